"""The ledger's database goes out at every moment of a write: what was not journaled was not sent, and nothing is lost."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.billing.charging import Prices
from node.chain.errors import ChainUnavailableError
from node.chain.port import ContractCall, WriteResult
from node.chain.writes.model import JournaledWrite, WriteStep
from node.chain.writes.writer import ChainWrites
from node.errors import DomainError
from node.ledger.port import Balance, LedgerDatabase
from node.permissions.grants import Caller
from node.settings.chain import ChainWriteSettings
from tests.support.free_writes import Unbounded
from tests.support.journal_rows import cancel_reasons, journal_rows
from tests.support.ledgers import LedgerWorld, SqliteWorld, cents, give
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld, impatient
from tests.support.statement_faults import CUTS, Fault, Trap, trap
from tests.support.writes import ANYWHERE, BY_HAND_S, Told, WriteWorld, set_constants

pytestmark = pytest.mark.exhaustive

ACCOUNT = 0xACC
PATIENT = ChainWriteSettings(payer_count=1)
QUICK = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=1.0)
HURRIED = impatient(settle_patience_s=0.3)
COMMITS = "COMMIT\0"
"""The end of a commit's message, and of no beginning's, which names an isolation level."""
AT_ONCE = impatient(settle_patience_s=0.0)
"""One attempt, and the client is told."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05)


@pytest.fixture
def by_hand(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)


@dataclass
class Breakable:
    """A database that is there or out, as the test says."""

    place: LedgerWorld
    out: Callable[[], contextlib.AbstractContextManager[None]]


@pytest.fixture(params=["sqlite", "postgres"])
def breakable(request: pytest.FixtureRequest) -> Breakable:
    if request.param == "sqlite":
        place = SqliteWorld(request.getfixturevalue("tmp_path"))
        return Breakable(place, lambda: locked(place))
    server: PostgresServer = request.getfixturevalue("fragile_postgres")
    return Breakable(PostgresWorld(server, HURRIED), lambda: crashed(server))


@contextlib.contextmanager
def locked(place: SqliteWorld) -> Iterator[None]:
    """Somebody else writes in the file: nothing can be noted."""
    with contextlib.closing(sqlite3.connect(place.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextlib.contextmanager
def crashed(server: PostgresServer) -> Iterator[None]:
    server.crash()
    yield
    server.start()


@contextlib.asynccontextmanager
async def node(
    world: WriteWorld,
    place: LedgerWorld,
    told: Told,
    settings: ChainWriteSettings = QUICK,
    on_step: Callable[[WriteStep], None] = lambda _: None,
) -> AsyncIterator[ChainWrites]:
    """Node with a single payer, and an account to write groups to."""
    async with world.open(place, told=told, settings=settings, on_step=on_step) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        told.ended.clear()
        yield writes


async def test_a_write_that_cannot_be_journaled_is_not_sent_and_the_next_one_is(
    world: WriteWorld, breakable: Breakable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.database.sqlite._PRAGMAS", (*_pragmas(), "busy_timeout=20"))
    told = Told()
    async with node(world, breakable.place, told) as writes:
        (payer,) = writes.payers.addresses
        intent = world.add_group(ACCOUNT, "first", idempotency_id="request")
        for _ in range(2):
            before = await world.count(payer, "pending")
            with breakable.out():
                with pytest.raises(DomainError, match="not sent") as refused:
                    await writes.writer.write(replace(intent, idempotency_id=None))
                with pytest.raises(DomainError) as unknown:
                    await writes.writer.recall("request")
                for error in (refused.value, unknown.value):
                    assert as_node_error(error).code is ErrorCode.DATABASE_UNAVAILABLE
                    assert error.retry_after_s
                    assert "credit" not in error.message
                assert await world.count(payer, "pending") == before
            await written(writes, world, f"after {before}")
        assert await writes.writer.recall("request") is None
        await writes.writer.write(intent)
    assert sorted(await world.group_names(ACCOUNT)) == ["after 1", "after 2", "first"]
    assert len(told.ended) == 3


def _pragmas() -> tuple[str, ...]:
    from node.database import sqlite  # noqa: PLC0415 - what is patched, as it was

    return sqlite._PRAGMAS


async def written(writes: ChainWrites, world: WriteWorld, name: str) -> WriteResult:
    """Write as soon as the database is back."""
    while True:
        with contextlib.suppress(DomainError):
            return await writes.writer.write(world.add_group(ACCOUNT, name))


async def test_the_end_of_a_write_is_noted_when_the_database_is_back(
    world: WriteWorld, breakable: Breakable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.database.sqlite._PRAGMAS", (*_pragmas(), "busy_timeout=20"))
    told = Told()
    async with node(world, breakable.place, told) as writes:
        await world.automine(False)
        intent = world.add_group(ACCOUNT, "slow", idempotency_id="slow")
        running = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        with breakable.out():
            await world.mine()
            with pytest.raises(DomainError) as late:
                await running
            assert as_node_error(late.value).code is ErrorCode.CHAIN_TIMEOUT
        await world.automine(True)
        result = await written(writes, world, "next")
        found = None
        while found is None:
            with contextlib.suppress(DomainError):
                found = await writes.writer.recall("slow")
        assert found.result is not None
        assert result.block_number == found.result.block_number + 1
    assert told.of(intent.write_id) == [found.result]
    assert await world.group_names(ACCOUNT) == ["slow", "next"]


async def test_a_write_that_could_not_be_journaled_is_not_charged(
    world: WriteWorld, breakable: Breakable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database goes out when credit is set aside and the write is signed: it is the one of both."""
    monkeypatch.setattr("node.database.sqlite._PRAGMAS", (*_pragmas(), "busy_timeout=20"))
    out = contextlib.ExitStack()

    def go_out(step: WriteStep) -> None:
        if step is WriteStep.SIGNED and armed:
            armed.clear()
            out.enter_context(breakable.out())

    armed: list[bool] = []
    ledger = await breakable.place.open()
    await give(ledger, 10)
    open_ = world.open(breakable.place, books=ledger, settings=QUICK, on_step=go_out)
    async with open_ as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        metered = MeteredWrites(writes.writer, ledger, Prices(), Unbounded())
        armed.append(True)
        with out, pytest.raises(DomainError) as refused:
            await metered.write(order(world, "refused"))
        assert as_node_error(refused.value).code is ErrorCode.DATABASE_UNAVAILABLE
        assert refused.value.retry_after_s
        assert await eventually(ledger) == cents(10)
        await metered.write(order(world, "paid"))
        assert await eventually(ledger) == cents(9)
    assert await world.group_names(ACCOUNT) == ["paid"]
    await ledger.close()


def order(world: WriteWorld, name: str) -> WriteOrder:
    """A group that its account pays for."""

    async def prepare() -> ContractCall:
        return world.add_group(ACCOUNT, name).call

    return WriteOrder(prepare, Caller(ACCOUNT, ACCOUNT, True, None))


async def eventually(ledger: LedgerDatabase) -> Balance:
    """The account's balance once the database is there and nothing is reserved."""
    while True:
        with contextlib.suppress(DomainError):
            balance = await ledger.balance(ACCOUNT)
            if not balance.reserved_microdollars:
                return balance
        await asyncio.sleep(0.02)


class Cut:
    """Once `armed`, the connection is cut at the commit that stores what is signed next."""

    def __init__(self, fault: Fault, trap: Trap) -> None:
        self.fault = fault
        self.armed = False
        self.trap = trap

    def on_step(self, step: WriteStep) -> None:
        if step is WriteStep.SIGNED and self.armed:
            self.armed, self.trap.armed = False, True


@pytest.fixture(params=CUTS)
def cut(request: pytest.FixtureRequest) -> Iterator[Cut]:
    with trap(COMMITS, request.param) as set_up:
        yield Cut(request.param, set_up)


@pytest.mark.usefixtures("by_hand")
async def test_a_connection_cut_at_the_journaling_commit_delays_a_write_and_never_doubles_it(
    world: WriteWorld, shared: PostgresWorld, cut: Cut
) -> None:
    told = Told()
    async with node(world, shared, told, PATIENT, cut.on_step) as writes:
        cut.armed = True
        intent = world.add_group(ACCOUNT, idempotency_id="request")
        result = await writes.writer.write(intent)
        assert cut.trap.sprung == 1
        assert await writes.writer.write(intent) == result
    assert told.of(intent.write_id) == [result]
    assert await world.group_names(ACCOUNT) == ["group"]
    assert len(journal_rows(shared, "SELECT 1 FROM write_attempt JOIN chain_write USING (instance, payer, nonce)")) == 4


@pytest.mark.usefixtures("by_hand")
async def test_a_write_refused_because_of_a_cut_is_never_sent_though_its_commit_came_through(
    world: WriteWorld, postgres: PostgresServer, cut: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored write that was refused is cancelled under its nonce, and does not block the payer's next writes.

    Its request, repeated before that has ended, hears that nothing was done, and later succeeds.
    """
    stored = cut.fault is Fault.CUT_AFTER
    place, told = PostgresWorld(postgres, AT_ONCE), Told()
    async with node(world, place, told, PATIENT, cut.on_step) as writes:
        cut.armed = True
        refused = world.add_group(ACCOUNT, "refused", idempotency_id="request")
        with pytest.raises(DomainError, match="not known yet" if stored else "not sent") as error:
            await writes.writer.write(refused)
        assert (as_node_error(error.value).code, cut.trap.sprung) == (ErrorCode.DATABASE_UNAVAILABLE, 1)
        await world.automine(False)
        later = asyncio.create_task(written(writes, world, "later"))
        while not journal_rows(place, "SELECT 1 FROM chain_write WHERE intent LIKE '%later%'"):  # noqa: ASYNC110 - the journal's own rows are what there is to watch
            await asyncio.sleep(0.01)
        await writes.tracker.prepare(next(iter(writes.transactor.payers.admitted)), ANYWHERE, b"")
        again = world.add_group(ACCOUNT, "again", idempotency_id="request")
        looked_up = asyncio.Event()
        find = writes.transactor.journal.find

        async def noticed(idempotency_id: str) -> JournaledWrite | None:
            looked_up.set()
            return await find(idempotency_id)

        monkeypatch.setattr(writes.transactor.journal, "find", noticed)
        early = asyncio.create_task(writes.writer.write(again)) if stored else None
        if early is not None:
            await looked_up.wait()
        await world.automine(True)
        await writes.tracker.check_unfinished()
        await world.mine()
        await later
        if early is not None:
            with pytest.raises(ChainUnavailableError, match=r"did not say .* cancelled; .* nothing was charged"):
                await early
            assert cancel_reasons(place) == ["commit_unknown"]
        result = await writes.writer.write(again)
        assert result.write_id == again.write_id
    assert await world.group_names(ACCOUNT) == ["later", "again"]
    assert told.of(refused.write_id) == ([None] if stored else [])
    nonces = journal_rows(place, "SELECT nonce FROM chain_write WHERE write_id IS NOT NULL ORDER BY nonce")
    assert nonces == [(str(number),) for number in range(4 if stored else 3)]


@pytest.mark.usefixtures("by_hand")
async def test_an_unknown_commit_is_resolved_by_the_tracker_when_nobody_writes(
    world: WriteWorld, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.chain.writes.writer.ASK_AGAIN_S", -1.0)
    place, told = PostgresWorld(postgres, AT_ONCE), Told()
    with trap(COMMITS, Fault.CUT_AFTER) as set_up:
        cut = Cut(Fault.CUT_AFTER, set_up)
        async with node(world, place, told, PATIENT, cut.on_step) as writes:
            cut.armed = True
            intent = world.add_group(ACCOUNT, "refused", idempotency_id="request")
            with pytest.raises(DomainError):
                await writes.writer.write(intent)
            with pytest.raises(DomainError, match="not known yet"):
                await writes.writer.is_journaled(intent.write_id)
            await writes.tracker.check_unfinished()
            assert await writes.writer.is_journaled(intent.write_id)
            found = await writes.writer.recall("request")
    assert found is not None
    assert (found.result, found.failure is not None) == (None, True)
    assert told.of(intent.write_id) == [None]
    assert await world.group_names(ACCOUNT) == []
