"""The power fails, or the disk: whatever anybody was told is on the disk, and the event loop never waits for it."""

import asyncio
import itertools
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from node.database.port import Statement
from node.errors import DomainError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import LedgerDatabase, Spender, Usage
from tests.support.ledgers import ACCOUNT, CENT, RUN, SqliteWorld, assert_adds_up, cents, give, pay, rows

FLUSH = os.fdatasync
CHARGES = "SELECT cause FROM ledger_entry WHERE what IS NOT NULL"
SUFFIXES = ("", "-wal")
LONG = Usage(RUN.service, "x" * 20_000)
"""What is charged for, too long for the pages that are left."""


class Disk:
    """What a power cut would leave of the file and its log: as they were when the last flush returned."""

    def __init__(self, world: SqliteWorld, directory: Path) -> None:
        self._source = world.path
        self._directory = directory
        self._numbers = itertools.count()
        self._flushed = [b"" for _ in SUFFIXES]
        self.threads: set[int] = set()
        self.fails = False
        self.free = threading.Event()
        self.free.set()
        self._begun = threading.Event()

    def hold(self) -> None:
        """Let the next flush, and all after it, begin and not end until it is `free`."""
        self.free.clear()
        self._begun.clear()

    async def held(self) -> None:
        """Wait until one has begun."""
        assert await asyncio.to_thread(self._begun.wait, 60)

    def flush(self, descriptor: int) -> None:
        """In place of `os.fdatasync`."""
        if os.fstat(descriptor).st_ino != Path(f"{self._source}-wal").stat().st_ino:
            FLUSH(descriptor)  # the log of what was found after a power cut
            return
        self.threads.add(threading.get_ident())
        self._begun.set()
        self.free.wait(60)
        if self.fails:
            raise OSError(5, "Input/output error")
        FLUSH(descriptor)
        self._flushed = [Path(f"{self._source}{suffix}").read_bytes() for suffix in SUFFIXES]

    def after_a_power_cut(self, bytes_of_the_rest: int = 0) -> SqliteWorld:
        """The files as they are found then. Of what came after the last flush the first bytes may have arrived."""
        directory = self._directory / str(next(self._numbers))
        directory.mkdir()
        world = SqliteWorld(directory)
        world.path.write_bytes(self._flushed[0])
        whole = Path(f"{self._source}-wal").read_bytes()
        pairs = enumerate(zip(whole, self._flushed[1], strict=False))
        begun = next((at for at, (now, then) in pairs if now != then), len(self._flushed[1]))
        torn = whole[: begun + bytes_of_the_rest] + self._flushed[1][begun + bytes_of_the_rest :]
        Path(f"{world.path}-wal").write_bytes(torn)
        return world


@pytest.fixture
def disk(sqlite_world: SqliteWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    (tmp_path / "disk").mkdir()
    made = Disk(sqlite_world, tmp_path / "disk")
    monkeypatch.setattr(os, "fdatasync", made.flush)
    return made


def charged(world: SqliteWorld) -> set[str]:
    """The charges in the file, as another process finds them."""
    with closing(sqlite3.connect(world.path)) as connection:
        return {cause for (cause,) in connection.execute(CHARGES)}


async def test_nobody_is_told_before_it_is_on_the_disk(disk: Disk, sqlite_world: SqliteWorld) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 200)

    async def paid(cause: str) -> None:
        await pay(ledger, cause)
        assert cause in charged(disk.after_a_power_cut())

    for at_once in (1, 3, 40):
        await asyncio.gather(*(paid(f"{at_once}:{number}") for number in range(at_once)))
    assert threading.get_ident() not in disk.threads
    await ledger.close()


async def test_what_is_listed_is_on_the_disk_too(disk: Disk, sqlite_world: SqliteWorld) -> None:
    """A commit can be read before it is flushed; whoever reads it waits for the flush."""
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    disk.hold()
    paying = asyncio.create_task(pay(ledger, "e1"))
    await disk.held()
    assert "e1" in charged(sqlite_world)
    listing = asyncio.create_task(rows(ledger, CHARGES))
    balance = await ledger.balance(ACCOUNT)
    for _ in range(1000):
        await asyncio.sleep(0)
    assert not listing.done()
    assert not paying.done()
    assert balance == cents(9, 1)
    disk.free.set()
    assert await listing == [("e1",)]
    await paying
    await ledger.close()


@pytest.mark.parametrize("bytes_of_the_rest", [0, 24, 1000, 4120, 9000])
async def test_a_power_cut_within_a_flush_leaves_the_books_exact(
    disk: Disk, sqlite_world: SqliteWorld, bytes_of_the_rest: int
) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 100)
    told = {f"told:{number}" for number in range(5)}
    await asyncio.gather(*(pay(ledger, cause) for cause in told))
    disk.hold()
    untold = asyncio.create_task(pay(ledger, "untold"))
    await disk.held()
    assert "untold" in charged(sqlite_world)
    after = await disk.after_a_power_cut(bytes_of_the_rest).open()
    assert {str(cause) for (cause,) in await rows(after, CHARGES)} == told
    assert await after.balance(ACCOUNT) == cents(95)
    await assert_adds_up(after)
    assert not untold.done()
    await after.close()
    disk.free.set()
    await untold
    await ledger.close()


async def refused(ledger: LedgerDatabase, cause: str) -> bool:
    with pytest.raises(DomainError) as error:
        await ledger.settle(cause, CENT, RUN)
    return isinstance(error.value, LedgerUnavailableError)


async def assert_waits(asking: "asyncio.Task[int]") -> None:
    """The task is not done after many turns of the event loop."""
    for _ in range(1000):
        await asyncio.sleep(0)
    assert not asking.done()


async def test_after_a_flush_that_failed_nothing_is_written_or_told_until_the_file_is_opened_again(
    disk: Disk, sqlite_world: SqliteWorld
) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    for cause in ("e1", "e2"):
        await ledger.reserve(Spender(ACCOUNT), cause, CENT)
    disk.fails = True
    assert await refused(ledger, "e1")
    disk.fails = False
    assert await refused(ledger, "e1")
    assert await refused(ledger, "e2")
    with pytest.raises(DomainError):
        await rows(ledger, CHARGES)
    await ledger.close()
    again = await sqlite_world.open()
    await pay(again, "e1")
    await pay(again, "e2")
    assert await again.balance(ACCOUNT) == cents(7)
    await assert_adds_up(again)
    await again.close()


async def test_after_a_flush_that_failed_nobody_is_told_that_nothing_is_charged(
    disk: Disk, sqlite_world: SqliteWorld
) -> None:
    """The disk may have taken it all the same, as the next start finds."""
    ledger = await sqlite_world.open()
    await give(ledger, 10)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    disk.fails = True
    for unknown in (ledger.settle("e1", CENT, RUN), ledger.charged("e1"), ledger.release("e1")):
        with pytest.raises(LedgerUnavailableError):
            await unknown
    await ledger.close()
    disk.fails = False
    again = await sqlite_world.open()
    assert await again.charged("e1") == CENT
    await again.close()


async def test_after_a_failed_flush_nothing_is_answered_from_memory(disk: Disk, sqlite_world: SqliteWorld) -> None:
    """A run that began now could not be charged."""
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    disk.fails = True
    assert await refused(ledger, "e1")
    disk.fails = False
    asked = (
        ledger.balance(ACCOUNT),
        ledger.reserve(Spender(ACCOUNT), "e2", CENT),
        ledger.extend("e1", CENT),
        ledger.release("e1"),
    )
    for each in asked:
        with pytest.raises(LedgerUnavailableError):
            await each
    await ledger.close()


async def test_a_closing_that_is_cancelled_loses_no_charge(disk: Disk, sqlite_world: SqliteWorld) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    for cause in ("e1", "e2"):
        await ledger.reserve(Spender(ACCOUNT), cause, CENT)
    disk.hold()
    settling = [asyncio.create_task(ledger.settle("e1", CENT, RUN))]
    await disk.held()
    settling.append(asyncio.create_task(ledger.settle("e2", CENT, RUN)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(ledger.close())
    for _ in range(2):
        await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing])
    disk.free.set()
    assert await asyncio.gather(*settling) == [CENT, CENT]
    await ledger.close()


async def test_a_charge_that_waits_for_its_commit_is_not_told_to_be_nothing(
    disk: Disk, sqlite_world: SqliteWorld
) -> None:
    """Who gave the settlement up asks what it came to."""
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    disk.hold()
    before = asyncio.create_task(pay(ledger, "e0"))
    await disk.held()
    settling = asyncio.create_task(ledger.settle("e1", CENT, RUN))
    await asyncio.sleep(0)
    asking = asyncio.create_task(ledger.charged("e1"))
    await assert_waits(asking)
    disk.free.set()
    assert await asking == CENT
    assert await settling == CENT
    await before
    await ledger.close()


async def test_a_charge_whose_caller_went_away_is_waited_for(disk: Disk, sqlite_world: SqliteWorld) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    disk.hold()
    settling = asyncio.create_task(ledger.settle("e1", CENT, RUN))
    await disk.held()
    settling.cancel()
    await asyncio.wait([settling])
    asking = asyncio.create_task(ledger.charged("e1"))
    await assert_waits(asking)
    disk.free.set()
    assert await asking == CENT
    await ledger.close()


async def test_a_caller_that_went_away_is_no_fault_of_the_database(disk: Disk, sqlite_world: SqliteWorld) -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    ledger = await sqlite_world.open()
    disk.hold()
    writing = asyncio.create_task(ledger.database.execute(Statement("CREATE TABLE kept (number INTEGER)")))
    await disk.held()
    writing.cancel()
    await asyncio.wait([writing])
    disk.free.set()
    assert await rows(ledger, "SELECT COUNT(*) FROM kept") == [(0,)]
    await ledger.close()
    assert faults == []


async def test_a_charge_that_was_undone_is_known_to_be_nothing(sqlite_world: SqliteWorld) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 10)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    await ledger.execute(Statement("PRAGMA max_page_count = 1"))
    with pytest.raises(LedgerUnavailableError):
        await ledger.settle("e1", CENT, LONG)
    await ledger.release("e1")
    assert await ledger.charged("e1") == 0
    assert await ledger.balance(ACCOUNT) == cents(10)
    await ledger.close()


async def test_a_lock_of_another_process_stops_the_charges_and_not_the_event_loop(
    sqlite_world: SqliteWorld,
) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    with closing(sqlite3.connect(sqlite_world.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        paying = asyncio.create_task(pay(ledger, "e1"))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert not paying.done()
        other.execute("ROLLBACK")
    await paying
    assert await ledger.balance(ACCOUNT) == cents(8)
    await ledger.close()


async def test_the_log_is_begun_anew_again_and_again_while_charges_go_on(sqlite_world: SqliteWorld) -> None:
    ledger = await sqlite_world.open()
    await give(ledger, 100_000)
    longest, log = 0, Path(f"{sqlite_world.path}-wal")
    for turn in range(400):
        await asyncio.gather(*(pay(ledger, f"{turn}:{number}") for number in range(30)))
        longest = max(longest, log.stat().st_size)
    assert longest < 24 * 1024 * 1024
    assert await ledger.balance(ACCOUNT) == cents(100_000 - 400 * 30)
    await assert_adds_up(ledger)
    await ledger.close()
