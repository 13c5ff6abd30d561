"""The database as other rooms use it: their own tables, all or nothing, and reading beside the writers."""

import asyncio
import sqlite3

import pytest

from node.database.migrations import Contraction, Expansion
from node.database.port import Statement
from node.errors import DomainError, StartupRefusedError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import LedgerDatabase
from tests.support.ledgers import ACCOUNT, LedgerWorld, cents, give, pay, rows

FIRST = "CREATE TABLE parcel (name TEXT PRIMARY KEY, weight BIGINT NOT NULL)"
SECOND = "ALTER TABLE parcel ADD COLUMN sender TEXT NOT NULL DEFAULT 'unknown'"
THIRD = "CREATE INDEX parcel_sender ON parcel (sender)"


def parcel(name: str, weight: int = 1) -> Statement:
    return Statement("INSERT INTO parcel (name, weight) VALUES (?, ?)", (name, weight))


async def test_steps_are_run_once_each_and_newer_ones_over_older_rows(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await ledger.migrate("parcels", [FIRST])
    await ledger.execute(parcel("a", 7))
    await ledger.migrate("parcels", [FIRST])
    await world.die(ledger)
    newer = await world.open()
    await newer.migrate("parcels", [FIRST, SECOND, THIRD])
    assert await rows(newer, "SELECT name, weight, sender FROM parcel") == [("a", 7, "unknown")]
    await newer.close()


async def test_tables_of_a_newer_version_are_refused(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST, SECOND])
    with pytest.raises(StartupRefusedError, match="newer"):
        await ledger.migrate("parcels", [FIRST])


EXPANDED = [FIRST, Expansion(SECOND), Expansion(THIRD)]
CONTRACTED = [*EXPANDED, Contraction("DROP INDEX parcel_sender", understood_from=2)]


async def test_a_version_that_is_older_by_an_expansion_uses_the_tables_and_takes_nothing_back(
    ledger: LedgerDatabase,
) -> None:
    await ledger.migrate("parcels", EXPANDED)
    await ledger.migrate("parcels", [FIRST])
    await ledger.execute(parcel("a", 7))
    await ledger.migrate("parcels", EXPANDED)
    assert await rows(ledger, "SELECT name, weight, sender FROM parcel") == [("a", 7, "unknown")]
    assert await rows(ledger, "SELECT steps FROM schema_version WHERE component = 'parcels'") == [(3,)]


async def test_a_contraction_refuses_those_that_may_still_use_what_it_removed(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", EXPANDED)
    await ledger.migrate("parcels", CONTRACTED)
    for understood in (EXPANDED, [FIRST, Expansion(SECOND)], CONTRACTED):
        await ledger.migrate("parcels", understood)
    with pytest.raises(StartupRefusedError, match="does not understand"):
        await ledger.migrate("parcels", [FIRST])


async def test_a_step_that_is_no_expansion_refuses_all_that_do_not_know_it(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST, Expansion(SECOND), THIRD])
    for older in ([FIRST, Expansion(SECOND)], [FIRST]):
        with pytest.raises(StartupRefusedError, match="newer"):
            await ledger.migrate("parcels", older)


async def test_tables_of_a_version_that_recorded_nothing_are_taken_over(ledger: LedgerDatabase) -> None:
    """Releases before this record know `schema_version` alone."""
    await ledger.migrate("parcels", [FIRST])
    await ledger.execute(Statement("DELETE FROM schema_understood_from WHERE component = 'parcels'", ()))
    with pytest.raises(StartupRefusedError, match="newer"):
        await ledger.migrate("parcels", [])
    await ledger.migrate("parcels", [FIRST])
    await ledger.migrate("parcels", EXPANDED)
    await ledger.migrate("parcels", [FIRST])


async def test_of_steps_that_fail_none_is_kept(ledger: LedgerDatabase) -> None:
    with pytest.raises(Exception, match=r"(?i)syntax"):
        await ledger.migrate("parcels", [FIRST, "CREATE NONSENSE"])
    await ledger.migrate("parcels", [FIRST])
    assert await rows(ledger, "SELECT COUNT(*) FROM parcel") == [(0,)]


async def test_components_do_not_share_their_steps(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST])
    await ledger.migrate("letters", ["CREATE TABLE letter (name TEXT)"])
    assert await rows(ledger, "SELECT COUNT(*) FROM letter") == [(0,)]


async def test_the_ledgers_own_tables_of_a_newer_version_are_refused(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    for table in ("schema_version", "schema_understood_from"):
        await ledger.execute(Statement(f"UPDATE {table} SET steps = steps + 1 WHERE component = ?", ("ledger",)))
    await ledger.close()
    with pytest.raises(StartupRefusedError, match="newer"):
        await world.open()


async def test_statements_are_one_transaction(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST])
    with pytest.raises(Exception, match=r"(?i)unique"):
        await ledger.execute(parcel("a"), parcel("b"), parcel("a"))
    assert await rows(ledger, "SELECT * FROM parcel") == []
    nothing, found, gone = await ledger.execute(
        parcel("a"), Statement("SELECT name FROM parcel"), Statement("DELETE FROM parcel RETURNING weight")
    )
    assert (list(nothing), [tuple(row) for row in found], [tuple(row) for row in gone]) == ([], [("a",)], [(1,)])


async def test_every_kind_of_value_comes_back_as_it_went_in(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST])
    await ledger.execute(parcel("ümlaut ? $1 %s", 2**62))
    assert await rows(ledger, "SELECT name, weight, NULL FROM parcel WHERE name = ?", "ümlaut ? $1 %s") == [
        ("ümlaut ? $1 %s", 2**62, None)
    ]


async def test_readers_see_one_moment(ledger: LedgerDatabase) -> None:
    """Whenever they look while charges are made: entries and balances agree."""
    await give(ledger, 100)
    running = asyncio.gather(*(pay(ledger, f"e{i}") for i in range(100)))
    entries = Statement("SELECT COUNT(*) FROM ledger_entry WHERE what IS NOT NULL")
    balance = Statement("SELECT balance_microdollars FROM ledger_account")
    seen = set()
    while not running.done():
        (((count,),), ((credit,),)) = await ledger.read(entries, balance)
        assert isinstance(count, int)
        assert credit == (100 - count) * 10_000
        seen.add(count)
    await running
    assert await ledger.balance(ACCOUNT) == cents(0)
    assert await rows(ledger, entries.sql) == [(100,)]


async def test_a_reader_cannot_write(ledger: LedgerDatabase) -> None:
    await ledger.migrate("parcels", [FIRST])
    with pytest.raises(DomainError) as refused:
        await ledger.read(parcel("a"))
    assert isinstance(refused.value, LedgerUnavailableError)
    assert await rows(ledger, "SELECT * FROM parcel") == []


async def test_a_wrong_statement_is_no_outage(ledger: LedgerDatabase) -> None:
    """No repetition cures it."""
    with pytest.raises((sqlite3.ProgrammingError, ValueError)):
        await ledger.read(Statement("SELECT ?"))


async def test_a_closed_ledger_is_out_and_closing_twice_is_nothing(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await give(ledger, 3)
    await ledger.close()
    await ledger.close()
    with pytest.raises(DomainError) as refused:
        await ledger.balance(0x1)
    assert isinstance(refused.value, LedgerUnavailableError)
    again = await world.open()
    assert await again.balance(ACCOUNT) == cents(3)
    await again.close()
