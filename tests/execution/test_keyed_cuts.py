"""A keyed run that is cut off at each of its awaits: its client hangs up there, or its node falls asleep and wakes late.

Whatever happens, what the action does outside happens once at most, every repetition is told the same, and the ledger has
taken what that says.
"""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from devkit.starter import StarterLedger
from node.api.calls import json_bytes
from node.api.errors import NodeError, as_node_error
from node.database.lease import ProcessLease
from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.errors import DomainError
from node.execution.metrics import LostRuns
from node.execution.models import Order
from node.http.answers import NO_STORE, Answer, error_answer
from node.http.idempotency import Idempotency, KeyedAttempt, KeyedRequest
from node.http.idempotency_store import COMPONENT, IdempotencyStore
from node.ledger.port import LedgerDatabase
from node.runtime.clock import Clock
from node.settings.http import HttpSettings
from tests.engine.egress.servers import Server as Origin
from tests.engine.egress.servers import answer, server
from tests.execution.bench import MASTER, STARTER_CENTS, Bench, World, bench_over
from tests.support.clock import FakeClock
from tests.support.http_server import LogLines, WriteTable
from tests.support.idempotent_nodes import keyed
from tests.support.leases import pass_time
from tests.support.ledgers import LedgerWorld
from tests.support.postgres_ledger import world_of

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive, pytest.mark.timeout(900)]

ASKS = "async function main({ url }) { await fetch(url); return Math.random(); }"
LIMITS = HttpSettings()
AWAITS_MIN = 5
"""A run that waits less often is none: the test would cut nothing."""


class Stepped:
    """A coroutine that calls `cut` at its `number`-th await, if it comes so far, and goes on once that has returned."""

    def __init__(
        self, coroutine: Coroutine[Any, None, Answer], number: int, cut: Callable[[], Awaitable[None]]
    ) -> None:
        self._coroutine = coroutine
        self._number = number
        self._cut = cut
        self.was_cut = False

    def __await__(self) -> Generator[Any, None, Answer]:
        steps = self._coroutine.__await__()
        send: Callable[[], Any] = lambda: next(steps)  # noqa: E731 - the first step, replaced below
        for number in range(1_000_000):
            try:
                waiting = send()
            except StopIteration as ended:
                answer: Answer = ended.value
                return answer
            if number == self._number:
                self.was_cut = True
                yield from self._cut().__await__()
            try:
                yield waiting
            except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                send = _throwing(steps, error)
            else:
                send = lambda: next(steps)  # noqa: E731 - as above
        raise AssertionError("it never ended")


def _throwing(steps: Generator[Any, None, Answer], error: BaseException) -> Callable[[], Any]:
    return lambda: steps.throw(error)


@dataclass
class OneNode:
    """A process of a node, as far as a keyed run is concerned."""

    ledger: LedgerDatabase
    bench: Bench
    store: IdempotencyStore
    idempotency: Idempotency

    async def ask(self, request: KeyedRequest, order: Order, attached: "Attached | None" = None) -> Answer:
        async def produce(attempt: KeyedAttempt) -> Answer:
            if attached is not None:
                attempt.detach = attached.detach
            try:
                ran = (await self.bench.service.run(order._replace(attempt=attempt))).answer
            except DomainError as error:
                return refuse(error)
            return Answer(200, json_bytes({"response": ran.response, "charged_cents": ran.charged_cents}), NO_STORE)

        def refuse(error: DomainError) -> Answer:
            return error_answer(as_node_error(error), "a-request")

        async def authorise(_: Answer | None) -> None: ...

        return await self.idempotency.answer(request, produce, refuse, authorise)


@dataclass
class Attached:
    """A run whose client may hang up: then its task is cancelled, unless it has been detached."""

    task: "asyncio.Task[Answer] | None" = None
    is_attached: bool = True

    def detach(self) -> None:
        self.is_attached = False

    async def hang_up(self) -> None:
        # As the loop tells of a lost connection: while the run waits, and not while it goes on.
        asyncio.get_running_loop().call_soon(self._lost)

    def _lost(self) -> None:
        if self.is_attached and self.task is not None:
            self.task.cancel()


@dataclass
class Cuts:
    """Nodes on one database, and the place outside that counts what their actions do."""

    world: World
    books: LedgerWorld
    origin: Origin
    monotonic: FakeClock = field(default_factory=FakeClock)
    nodes: list[OneNode] = field(default_factory=list)

    async def start(self) -> OneNode:
        ledger = await self.books.open()
        egress = Egress(policy=AddressPolicy(allow_loopback=True))
        bench = await bench_over(self.world, egress=egress, ledger=StarterLedger(ledger, STARTER_CENTS))
        lease = None
        if self.books.name == "postgres":
            lease = ProcessLease(ledger.database, COMPONENT, uuid.uuid4().hex, LIMITS.http_idempotency_lease_s)
        store = IdempotencyStore(ledger.database, LIMITS, lease, LogLines(), self.monotonic)
        await store.open()
        runs = LostRuns(ledger, bench.registry)
        clock = Clock(self.monotonic, FakeClock(), self._pause)
        idempotency = Idempotency(store, self.world.keyring, WriteTable(), runs, LIMITS, clock)
        node = OneNode(ledger, bench, store, idempotency)
        self.nodes.append(node)
        return node

    async def _pause(self, seconds: float) -> None:
        self.monotonic.advance(seconds)
        await asyncio.sleep(0.001)

    async def lapse(self, living: OneNode) -> None:
        """A lease passes in which only this one renews its own."""
        for _ in range(5):
            await living.store.maintain()
            self.monotonic.advance(LIMITS.http_idempotency_lease_s / 3)
            await pass_time(living.ledger.database, COMPONENT, LIMITS.http_idempotency_lease_s / 3)

    async def taken_over(self, living: OneNode, request: KeyedRequest, order: Order) -> Answer:
        """What it answers to a client that asks until the other one is known to be gone."""
        while True:
            await self.lapse(living)
            try:
                return await living.ask(request, order)
            except NodeError as error:
                # Claimed by a statement that was under way when the other fell asleep.
                if not error.details.get("in_progress"):
                    raise

    async def order(self, node: OneNode) -> Order:
        return await node.bench.order(MASTER, ASKS, {"url": self.origin.url()}, max_seconds=30)

    async def charged(self) -> int:
        """The cents that the account has paid, with nothing left set aside."""
        balance = await self.nodes[0].bench.ledger.balance(MASTER)
        assert balance.reserved_microdollars == 0
        return STARTER_CENTS - balance.credit_microdollars // 10_000


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    return world_of(request, tmp_path)


@contextlib.asynccontextmanager
async def cuts(world: World, books: LedgerWorld) -> AsyncIterator[Cuts]:
    async with server() as origin:
        origin.by_path["/"] = answer()
        made = Cuts(world, books, origin)
        try:
            yield made
        finally:
            for node in made.nodes:
                await node.bench.service.close()
                await node.store.close(10)
                await node.ledger.close()


def charged_by(told: Answer) -> int:
    body = json_of(told)
    return int(body["details"]["charged_cents"] if told.status == 409 else body["charged_cents"])


def json_of(told: Answer) -> Any:
    return json.loads(told.body)


async def test_a_client_that_hangs_up_at_any_await_begins_it_once(world: World, books: LedgerWorld) -> None:
    async with cuts(world, books) as here:
        node = await here.start()
        order = await here.order(node)
        for number in range(1_000):
            request, before, paid = (
                keyed(str(uuid.uuid4()), account=MASTER),
                len(here.origin.asked),
                await here.charged(),
            )
            attached = Attached()
            run = Stepped(node.ask(request, order, attached), number, attached.hang_up)

            async def first(run: Stepped = run) -> Answer:
                return await run

            attached.task = asyncio.create_task(first())
            with contextlib.suppress(asyncio.CancelledError):
                await attached.task
            again = await node.ask(request, order)
            assert again.status == 200
            assert (await node.ask(request, order)).body == again.body
            assert len(here.origin.asked) == before + 1, f"at the await {number}"
            # What was cancelled before it began leaves its release to a task of its own.
            await node.bench.service.endings.drain()
            assert await here.charged() == paid + charged_by(again), f"at the await {number}"
            if not run.was_cut:
                break
        assert number > AWAITS_MIN


@pytest.mark.parametrize("books", ["postgres"], indirect=True)
async def test_a_node_that_falls_asleep_at_any_await_and_wakes_late(world: World, books: LedgerWorld) -> None:
    async with cuts(world, books) as here:
        a, b = await here.start(), await here.start()
        order = await here.order(a)
        await a.bench.ledger.balance(MASTER)
        outcomes = []
        for number in range(1_000):
            request, before, paid = (
                keyed(str(uuid.uuid4()), account=MASTER),
                len(here.origin.asked),
                await here.charged(),
            )
            asleep, wake = asyncio.Event(), asyncio.Event()

            async def sleep(asleep: asyncio.Event = asleep, wake: asyncio.Event = wake) -> None:
                asleep.set()
                await wake.wait()

            run = Stepped(a.ask(request, order), number, sleep)

            async def first(run: Stepped = run) -> Answer:
                return await run

            running, sleeping = asyncio.create_task(first()), asyncio.create_task(asleep.wait())
            await asyncio.wait({running, sleeping}, return_when=asyncio.FIRST_COMPLETED)
            again = await here.taken_over(b, request, order)
            wake.set()
            late = await running
            sleeping.cancel()
            assert (late.status, late.body) == (again.status, again.body), f"at the await {number}"
            assert (await b.ask(request, order)).body == again.body
            assert len(here.origin.asked) <= before + 1, f"at the await {number}"
            await a.bench.service.endings.drain()
            assert await here.charged() == paid + charged_by(again), f"at the await {number}"
            outcomes.append(again.status)
            if not run.was_cut:
                break
        assert number > AWAITS_MIN
        assert set(outcomes) == {200, 409}
        assert b.bench.registry.get_sample_value("svc_executions_outcome_unknown_total") == outcomes.count(409)
