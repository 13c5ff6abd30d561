"""The part of a node that answers keyed requests, several times on one database: each time as another process would have it."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from node.api.calls import json_bytes
from node.api.errors import NodeError, as_node_error
from node.database.lease import ProcessLease
from node.errors import DomainError
from node.execution.metrics import LostRuns
from node.http.answers import NO_STORE, Answer, error_answer
from node.http.idempotency import Idempotency, KeyedAttempt, KeyedRequest
from node.http.idempotency_store import COMPONENT, IdempotencyStore
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import LedgerDatabase
from node.runtime.clock import Clock
from node.settings.http import HttpSettings
from node.settings.ledger import PostgresSettings
from tests.support.clock import FakeClock
from tests.support.http_server import CONTRACT, ROOT, LogLines, WriteTable
from tests.support.postgres_ledger import IMPATIENT, PostgresWorld

LIMITS = HttpSettings()
Produce = Callable[[KeyedAttempt], Awaitable[Answer]]


def ok(text: str = "done") -> Answer:
    """A success that says so."""
    return Answer(200, json_bytes({"success": True, "text": text}), NO_STORE)


def keyed(
    key: str,
    body: bytes = b"{}",
    *,
    secret: bool = False,
    owner: bytes = b"account",
    largest_answer_bytes: int = 1024,
    account: int | None = None,
) -> KeyedRequest:
    """A request with this Idempotency-Key."""
    return KeyedRequest(7, "POST", "/x", key, body, secret, lambda _: {}, owner, largest_answer_bytes, account)


@dataclass
class Work:
    """What is done for a request: how often and under which ids it was begun, and when it may end."""

    answer: Answer = field(default_factory=ok)
    ids: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def quick(cls, answer: Answer | None = None) -> "Work":
        """Work that ends at once."""
        work = cls(answer or ok())
        work.may_end.set()
        return work

    async def __call__(self, attempt: KeyedAttempt) -> Answer:
        self.ids.append(attempt.idempotency_id)
        self.begun.set()
        await self.may_end.wait()
        return self.answer


@dataclass
class Node:
    """A process of a node. Its pauses are counted; each lets the monotonic clock advance by `pauses_advance_s`, and others run."""

    ledger: LedgerDatabase
    store: IdempotencyStore
    idempotency: Idempotency
    clocks: "NodeClocks"
    refusal: NodeError | None = None
    """What a fresh call of the caller would be refused with."""

    async def ask(self, request: KeyedRequest, produce: Produce) -> Answer:
        """The answer to the request, which is produced so when it has to be."""

        async def authorise(_: Answer | None) -> None:
            if self.refusal is not None:
                raise self.refusal

        def refuse(error: DomainError) -> Answer:
            return error_answer(as_node_error(error), str(uuid.uuid4()))

        return await self.idempotency.answer(request, produce, refuse, authorise)


@dataclass
class NodeClocks:
    """Of all nodes of a test: `unix` and `monotonic` stand until the test moves them."""

    unix: FakeClock
    monotonic: FakeClock = field(default_factory=FakeClock)
    pauses_advance_s: float = 0.0
    paused: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def pause(self, seconds: float) -> None:
        self.monotonic.advance(min(seconds, self.pauses_advance_s))
        self.paused.release()
        await asyncio.sleep(0.001)


class Nodes:
    """Makes them, on one PostgreSQL database."""

    def __init__(self, world: PostgresWorld) -> None:
        self.world = world
        self.clocks = NodeClocks(world.clock)
        self.writes = WriteTable()
        self.logs = LogLines()

    async def start(self, postgres: PostgresSettings = IMPATIENT, limits: HttpSettings = LIMITS) -> Node:
        """One more."""
        ledger = await self.world.node("node", postgres=postgres)
        lease = ProcessLease(ledger.database, COMPONENT, uuid.uuid4().hex, limits.http_idempotency_lease_s)
        store = IdempotencyStore(ledger.database, limits, lease, self.logs, self.clocks.monotonic)
        await store.open()
        keyring = EnclaveKeyring(ROOT, 31337, CONTRACT)
        clock = Clock(self.clocks.monotonic, self.clocks.unix, self.clocks.pause)
        idempotency = Idempotency(store, keyring, self.writes, LostRuns(ledger, CollectorRegistry()), limits, clock)
        return Node(ledger, store, idempotency, self.clocks)

    async def silence(self, *living: Node) -> None:
        """A lease passes in which only these renew theirs."""
        period_s = LIMITS.http_idempotency_lease_s / 3
        for _ in range(4):
            for node in living:
                await node.store.maintain()
            self.clocks.monotonic.advance(period_s)
            await self.world.change(
                f"UPDATE lease SET until_ms = until_ms - {1000 * period_s} WHERE scope = '{COMPONENT}'"
            )


async def error_of(asked: Awaitable[Answer]) -> NodeError:
    """The error that it ends with."""
    try:
        answer = await asked
    except DomainError as error:
        return as_node_error(error)
    raise AssertionError(f"It was answered: {answer}")
