"""The disk refuses: everybody is told, nothing is half done, and the same calls succeed once it takes writes again."""

import asyncio
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from node.database.port import Reader, Statement
from node.database.sqlite_reader import LogShortener, SqliteReader
from node.errors import DomainError, StartupRefusedError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import LedgerDatabase, Posting, Source, Spender, Usage
from tests.support.ledgers import ACCOUNT, CENT, RUN, LedgerWorld, SqliteWorld, assert_adds_up, cents, give, pay, rows

LONG = Usage(RUN.service, "x" * 20_000)
"""What is charged for, too long for the pages that are left."""


async def fill(ledger: LedgerDatabase) -> None:
    """From now on the file may not grow."""
    await ledger.execute(Statement("PRAGMA max_page_count = 1"))


async def make_room(ledger: LedgerDatabase) -> None:
    await ledger.execute(Statement("PRAGMA max_page_count = 1000000"))


async def test_a_full_disk_loses_no_charge_and_takes_no_credit(sqlite_ledger: LedgerDatabase) -> None:
    await give(sqlite_ledger, 10)
    causes = [f"e{i}" for i in range(8)]
    for cause in causes:
        await sqlite_ledger.reserve(Spender(ACCOUNT), cause, CENT)
    await fill(sqlite_ledger)
    outcomes = await asyncio.gather(
        *(sqlite_ledger.settle(cause, CENT, LONG) for cause in causes), return_exceptions=True
    )
    assert len(outcomes) == 8
    assert all(isinstance(error, LedgerUnavailableError) and error.retry_after_s for error in outcomes)
    assert await sqlite_ledger.balance(ACCOUNT) == cents(10, 8)
    assert await rows(sqlite_ledger, "SELECT * FROM ledger_entry WHERE what IS NOT NULL") == []
    await make_room(sqlite_ledger)
    await sqlite_ledger.release("e7")
    await asyncio.gather(*(sqlite_ledger.settle(cause, CENT, LONG) for cause in causes))
    assert await sqlite_ledger.balance(ACCOUNT) == cents(3)
    await assert_adds_up(sqlite_ledger)


async def test_what_a_batch_asked_for_that_could_not_be_written_is_free_for_others(
    sqlite_ledger: LedgerDatabase,
) -> None:
    await give(sqlite_ledger, 3)
    await sqlite_ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    await fill(sqlite_ledger)
    asked = (sqlite_ledger.settle("e1", CENT, LONG), sqlite_ledger.reserve(Spender(ACCOUNT), "e2", 3 * CENT))
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {LedgerUnavailableError}
    await sqlite_ledger.reserve(Spender(ACCOUNT), "e3", 2 * CENT)
    assert await sqlite_ledger.balance(ACCOUNT) == cents(3, 3)


async def test_a_posting_that_could_not_be_written_is_posted_when_it_is_tried_again(
    sqlite_ledger: LedgerDatabase,
) -> None:
    await sqlite_ledger.migrate("notes", ["CREATE TABLE note (text TEXT)"])
    posting = Posting("payment:pi_1", ACCOUNT, Source.CARD, 5 * CENT)
    note = Statement("INSERT INTO note VALUES (?)", ("x" * 20_000,))
    await fill(sqlite_ledger)
    with pytest.raises(DomainError) as refused:
        await sqlite_ledger.post(posting, note)
    assert isinstance(refused.value, LedgerUnavailableError)
    with pytest.raises(DomainError) as refused:
        await sqlite_ledger.execute(note)
    assert isinstance(refused.value, LedgerUnavailableError)
    assert await sqlite_ledger.balance(ACCOUNT) == cents(0)
    await make_room(sqlite_ledger)
    assert await sqlite_ledger.post(posting, note) is True
    assert await sqlite_ledger.balance(ACCOUNT) == cents(5)


async def test_a_second_process_is_refused(sqlite_world: SqliteWorld, sqlite_ledger: LedgerDatabase) -> None:
    with pytest.raises(StartupRefusedError, match="another process"):
        await sqlite_world.open()
    await give(sqlite_ledger, 1)


async def test_a_damaged_file_is_refused_by_name_and_not_written(sqlite_world: SqliteWorld) -> None:
    await (await sqlite_world.open()).close()
    healthy = sqlite_world.path.read_bytes()
    damaged = healthy[:4096] + bytes(reversed(healthy[4096:]))
    sqlite_world.path.write_bytes(damaged)
    with pytest.raises(StartupRefusedError, match=r"ledger\.sqlite3 is damaged"):
        await sqlite_world.open()
    assert sqlite_world.path.read_bytes() == damaged


async def test_the_file_is_the_nodes_alone(sqlite_world: SqliteWorld, sqlite_ledger: LedgerDatabase) -> None:
    await give(sqlite_ledger, 1)
    assert {path.stat().st_mode & 0o077 for path in sqlite_world.path.parent.iterdir()} == {0}


@pytest.mark.exhaustive
async def test_readers_that_leave_no_gap_do_not_fill_the_disk(
    sqlite_world: SqliteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = 2**20
    monkeypatch.setattr("node.database.sqlite_reader.LOG_BYTES_MAX", bound)
    ledger = await sqlite_world.open()
    await give(ledger, 1_000)
    spending, longest, ended = True, 0, asyncio.Queue[None]()
    log = sqlite_world.path.with_name(f"{sqlite_world.path.name}-wal")
    slow = (
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        " SELECT COUNT(*) FROM n, (SELECT COUNT(*) FROM ledger_entry)"
    )

    async def read_on_and_on() -> None:
        while spending:
            await rows(ledger, slow)
            ended.put_nowait(None)

    readers = [asyncio.create_task(read_on_and_on()) for _ in range(8)]
    for number in range(60):
        await asyncio.gather(*(pay(ledger, f"e{number}/{i}", usage=LONG) for i in range(5)))
        longest = max(longest, log.stat().st_size)
        for _ in range(ended.qsize() + len(readers)):
            await ended.get()
    spending = False
    await asyncio.gather(*readers)
    assert longest < 3 * bound
    assert await ledger.balance(ACCOUNT) == cents(700)
    await assert_adds_up(ledger)
    await ledger.close()


async def test_who_waited_for_the_end_of_all_reads_and_went_away_lets_no_read_overlap(
    sqlite_world: SqliteWorld,
) -> None:
    await (await sqlite_world.open()).close()
    reader, order, free, inside = SqliteReader(sqlite_world.path), list[str](), asyncio.Event(), asyncio.Event()

    async def slow(_: Reader) -> None:
        inside.set()
        await free.wait()
        order.append("read")

    reading = asyncio.create_task(reader.at_one_moment(slow))
    await inside.wait()
    for is_cancelled in (True, False):
        waiting = asyncio.create_task(reader.alone(lambda: order.append("alone")))
        for _ in range(1000):
            await asyncio.sleep(0)
        if is_cancelled:
            waiting.cancel()
            await asyncio.wait([waiting])
    free.set()
    await asyncio.gather(reading, waiting)
    assert order == ["read", "alone"]


async def test_a_snapshot_that_fails_leaves_no_connection_open(sqlite_world: SqliteWorld) -> None:
    """Its transaction would keep the log from being shortened for as long as the error is kept somewhere."""
    ledger = await sqlite_world.open()
    reader = SqliteReader(sqlite_world.path)

    async def fail(of: Reader) -> None:
        await of.read(Statement("SELECT COUNT(*) FROM ledger_entry"))
        raise ValueError("no")

    before = open_logs(sqlite_world)
    with pytest.raises(ValueError, match="no") as kept:
        await reader.at_one_moment(fail)
    assert open_logs(sqlite_world) == before
    del kept
    await ledger.close()


def open_logs(world: SqliteWorld) -> int:
    """Returns the number of descriptors that this process has on the write-ahead log."""
    links = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return links.count(f"{world.path.resolve()}-wal")


async def test_a_log_that_another_process_reads_is_left_until_it_has_grown_as_much_again(
    sqlite_world: SqliteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try waits for the readers of other processes, and all reads of the node wait for it."""
    monkeypatch.setattr("node.database.sqlite_reader.LOG_BYTES_MAX", 2**17)
    monkeypatch.setattr("node.database.sqlite_reader._SHORTEN_TIMEOUT_S", 0.0)
    ledger = await sqlite_world.open()
    await give(ledger, 100)
    reader, tries = SqliteReader(sqlite_world.path), list[int]()
    shortener = LogShortener(sqlite_world.path, reader, lambda: tries.append(reader.log_bytes))
    with closing(sqlite3.connect(sqlite_world.path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM ledger_entry").fetchall()
        for turn in range(3):
            if turn == 2:
                other.execute("ROLLBACK")
            for number in range(8):
                await pay(ledger, f"e{turn}/{number}", usage=LONG)
            for _ in range(3):
                await reader.read(Statement("SELECT 1"))
                await shortener.keep_short()
            assert len(tries) == turn + 1
    assert [bool(left) for left in tries] == [True, True, False]
    await ledger.close()


async def test_many_readers_at_once_take_turns(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    """Each has a connection for itself; more of them than the process may open files would fail."""
    await give(ledger, 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Beyond what this process has open already, by other tests too.
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, highest + 96), hard))
    try:
        found = await asyncio.gather(*(rows(ledger, "SELECT COUNT(*) FROM ledger_entry") for _ in range(300)))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found == [[(1,)]] * 300
