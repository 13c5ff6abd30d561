"""Two nodes under load are exchanged for a version with another schema, and back, and no operation fails."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from node.database.migrations import Contraction, Expansion
from node.errors import StartupRefusedError
from node.ledger import postgres_ledger
from node.ledger.port import Spender
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.schema import COMPONENT
from node.ledger.schema import POSTGRES_STEPS as STEPS
from tests.support.ledgers import ACCOUNT, CENT, RUN, assert_adds_up, cents, give, rows
from tests.support.postgres_ledger import PostgresWorld

NEXT = (
    *STEPS,
    Expansion("ALTER TABLE ledger_entry ADD COLUMN region TEXT"),
    Expansion("CREATE INDEX ledger_entry_region ON ledger_entry (region) WHERE region IS NOT NULL"),
)
"""Steps of a next version: what it adds, this version can ignore."""
AFTER_NEXT = (*NEXT, Contraction("DROP INDEX ledger_entry_region", understood_from=len(NEXT)))
CLIENTS = 6
RUNS_BETWEEN = 40
"""Runs that end between one exchange of a node and the next: some are under way at each."""
CREDIT_CENTS = 100_000


class Rotation:
    """Load balancer over the nodes in service. A node that leaves ends what it was given before it is closed."""

    def __init__(self) -> None:
        self._nodes: list[tuple[PostgresLedger, set[str]]] = []
        self._numbers = itertools.count()
        self._changed = asyncio.Condition()
        self.completed = 0

    def enter(self, node: PostgresLedger) -> None:
        """Give the node its share of the runs from now on."""
        self._nodes.append((node, set()))

    async def leave(self) -> None:
        """Take the oldest node out of service and close it once its runs have ended."""
        node, running = self._nodes.pop(0)
        async with self._changed:
            await self._changed.wait_for(lambda: not running)
        await node.close()

    async def run(self) -> None:
        """Reserve a cent and settle it, on one node. Raises what the ledger raises."""
        number = next(self._numbers)
        node, running = self._nodes[number % len(self._nodes)]
        cause = f"run-{number}"
        running.add(cause)
        try:
            await node.reserve(Spender(ACCOUNT), cause, CENT)
            assert await node.settle(cause, CENT, RUN) == CENT
        finally:
            running.remove(cause)
            self.completed += 1
            async with self._changed:
                self._changed.notify_all()

    async def more_runs(self) -> None:
        """Wait until RUNS_BETWEEN more runs have ended."""
        until = self.completed + RUNS_BETWEEN
        async with self._changed:
            await self._changed.wait_for(lambda: self.completed >= until)


@contextlib.asynccontextmanager
async def loaded(rotation: Rotation) -> AsyncIterator[None]:
    """Load the nodes until the context ends. A run that fails fails the test."""
    stopping = asyncio.Event()

    async def client() -> None:
        while not stopping.is_set():
            await rotation.run()

    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(client())
        try:
            yield
        finally:
            stopping.set()


Opened = Callable[[str, tuple[str, ...]], Awaitable[PostgresLedger]]


@pytest.fixture
def opened(world: PostgresWorld, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Open a node of the version with these steps."""

    async def opened(name: str, steps: tuple[str, ...]) -> PostgresLedger:
        monkeypatch.setattr(postgres_ledger, "POSTGRES_STEPS", steps)
        return await world.node(name)

    return opened


@pytest.mark.exhaustive
async def test_two_nodes_are_upgraded_and_rolled_back_under_load_without_a_failed_run(opened: Opened) -> None:
    rotation = Rotation()
    first = await opened("a", STEPS)
    await give(first, CREDIT_CENTS)
    rotation.enter(first)
    rotation.enter(await opened("b", STEPS))
    async with loaded(rotation):
        await rotation.more_runs()
        for name, steps in (("c", NEXT), ("d", NEXT), ("e", STEPS), ("f", STEPS), ("g", NEXT), ("h", NEXT)):
            rotation.enter(await opened(name, steps))
            await rotation.more_runs()
            await rotation.leave()
            await rotation.more_runs()
    last = await opened("i", NEXT)
    assert await last.balance(ACCOUNT) == cents(CREDIT_CENTS - rotation.completed)
    assert await rows(last, "SELECT COUNT(*) FROM ledger_entry WHERE region IS NULL AND what IS NOT NULL") == [
        (rotation.completed,)
    ]
    assert await rows(last, f"SELECT steps FROM schema_version WHERE component = '{COMPONENT}'") == [(len(NEXT),)]
    await assert_adds_up(last)


async def test_two_versions_back_is_refused_once_the_old_form_is_gone(opened: Opened) -> None:
    await opened("a", AFTER_NEXT)
    await opened("b", NEXT)
    with pytest.raises(StartupRefusedError, match="does not understand"):
        await opened("c", STEPS)
