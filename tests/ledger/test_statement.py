"""An account's statement: everything of it, nothing of others, and it adds up."""

import asyncio
import csv
import io
import json
import sqlite3
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from node.cli import main
from node.ledger.check import LedgerSource, postgres_source, sqlite_source
from node.ledger.entries import account_book
from node.ledger.errors import LedgerInconsistentError
from node.ledger.port import LedgerDatabase, Posting, Service, Source, Spender, Usage
from node.ledger.statement import (
    PAGE,
    AccountStatement,
    StatementLine,
    Write,
    account_statement,
    write_csv,
    write_for_people,
    write_json,
)
from tests.support.ledgers import ACCOUNT, CENT, CID, KEY, OTHER, RUN, WRITE, LedgerWorld, SqliteWorld, give, pay
from tests.support.postgres import write_certificate
from tests.support.postgres_ledger import PostgresWorld
from tests.support.tampering import tamper

pytestmark = pytest.mark.exhaustive

BOOK = f"0x{ACCOUNT:064x}"
START_MS = 1_800_000_000_000
BOUND_BYTES = 6 * 2**20
"""Of what a page takes, with room; 20,000 entries as objects take twice as much, 200,000 twenty times."""


async def lived(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    """One thing a second, from 1,800,000,000 on."""
    await give(ledger, 10)
    world.clock.advance(1)
    await pay(ledger, "e1", 3, Spender(ACCOUNT, KEY), RUN)
    await give(ledger, 70, OTHER, "payment:pi_other")
    await pay(ledger, "e0", 5, Spender(OTHER))
    world.clock.advance(1)
    await pay(ledger, "w1", 1, usage=WRITE)
    world.clock.advance(1)
    await ledger.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -10 * CENT))


@dataclass(frozen=True)
class Found:
    """A statement with all its lines."""

    opening_microdollars: int
    closing_microdollars: int
    lines: list[StatementLine]


async def gathered(statement: AccountStatement) -> Found:
    lines = [line async for line in statement.lines]
    return Found(statement.opening_microdollars, statement.closing_microdollars, lines)


def source_of(world: LedgerWorld) -> AbstractAsyncContextManager[LedgerSource]:
    """As the command reads it, beside the node."""
    if isinstance(world, SqliteWorld):
        return sqlite_source(world.path)
    assert isinstance(world, PostgresWorld)
    return postgres_source(world.url)


async def statement_of(world: LedgerWorld, account: int = ACCOUNT, from_ms: int = 0, to_ms: int | None = None) -> Found:
    async with source_of(world) as source:
        return await account_statement(source.reader, account, gathered, from_ms, to_ms)


async def test_a_statement_has_every_entry_and_the_balance_after_each(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await lived(world, ledger)
    found = await statement_of(world)
    assert [(line.cause, line.book, line.amount_microdollars) for line in found.lines] == [
        ("payment:pi_1", "card", 10 * CENT),
        ("e1", "execution", -3 * CENT),
        ("w1", "write", -CENT),
        ("refund:re_1", "card", -10 * CENT),
    ]
    assert [line.balance_microdollars for line in found.lines] == [10 * CENT, 7 * CENT, 6 * CENT, -4 * CENT]
    assert (found.opening_microdollars, found.closing_microdollars) == (0, -4 * CENT)
    assert found.closing_microdollars == (await ledger.balance(ACCOUNT)).credit_microdollars
    run = found.lines[1]
    assert (run.what, run.request_id, run.duration_ms, run.usage_key) == (
        RUN.what,
        RUN.request_id,
        RUN.duration_ms,
        f"0x{KEY:064x}",
    )


async def test_a_run_of_less_than_a_millisecond_has_a_duration(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await give(ledger, 1)
    await pay(ledger, "e1", usage=Usage(Service.EXECUTION, CID, "request", 0))
    assert [line.duration_ms for line in (await statement_of(world)).lines] == [None, 0]


async def test_periods_follow_one_another_without_a_gap(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    start_ms = int(world.clock.now * 1000)
    await lived(world, ledger)
    first = await statement_of(world, ACCOUNT, 0, start_ms + 1000)
    second = await statement_of(world, ACCOUNT, start_ms + 1000, start_ms + 3000)
    third = await statement_of(world, ACCOUNT, start_ms + 3000)
    assert [[line.cause for line in part.lines] for part in (first, second, third)] == [
        ["payment:pi_1"],
        ["e1", "w1"],
        ["refund:re_1"],
    ]
    assert first.closing_microdollars == second.opening_microdollars == 10 * CENT
    assert second.closing_microdollars == third.opening_microdollars == 6 * CENT
    nothing = await statement_of(world, ACCOUNT, start_ms + 9000)
    assert (nothing.opening_microdollars, nothing.closing_microdollars) == (-4 * CENT, -4 * CENT)


@pytest.mark.usefixtures("ledger")
async def test_an_account_never_seen_has_an_empty_one(world: LedgerWorld) -> None:
    assert await statement_of(world, 0xDEAD) == Found(0, 0, [])


@pytest.mark.usefixtures("ledger")
async def test_pages_hold_every_entry_once_though_many_are_of_one_moment(world: LedgerWorld) -> None:
    count = 2 * PAGE + 7
    fill(world, count, a_millisecond=PAGE + 300)
    found = await statement_of(world)
    assert [line.cause for line in found.lines] == [f"run-{number:06}" for number in range(count)]
    assert [line.balance_microdollars for line in found.lines] == balances(count)
    assert found.closing_microdollars == balances(count)[-1]


async def test_a_statement_is_of_one_moment_though_the_node_goes_on(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    fill(world, 2 * PAGE)
    before = (await ledger.balance(ACCOUNT)).credit_microdollars
    seen: list[StatementLine] = []

    async def show(statement: AccountStatement) -> int:
        async for line in statement.lines:
            if not seen:
                await give(ledger, 1_000, cause="payment:late")
            seen.append(line)
        return statement.closing_microdollars

    async with source_of(world) as source:
        assert await account_statement(source.reader, ACCOUNT, show) == before
    assert len(seen) == 2 * PAGE
    assert seen[-1].balance_microdollars == before
    assert "payment:late" in {line.cause for line in (await statement_of(world)).lines}


@pytest.mark.usefixtures("ledger")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("form", "count"), [(write_csv, 200_000), (write_json, 20_000), (write_for_people, 20_000)])
async def test_an_account_of_many_entries_takes_bounded_memory(
    world: LedgerWorld, form: Callable[[AccountStatement, Write], Awaitable[None]], count: int
) -> None:
    fill(world, count)
    written = 0

    def write(text: str) -> None:
        nonlocal written
        written += text.count("run-")

    async with source_of(world) as source:
        tracemalloc.start()
        try:
            await account_statement(source.reader, ACCOUNT, lambda found: form(found, write))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert written == count
    assert peak < BOUND_BYTES


def fill(world: LedgerWorld, count: int, a_millisecond: int = 3) -> None:
    """So many entries, by the database itself, so many of them in each millisecond: credit of five, then a charge of one."""
    book, last = account_book(ACCOUNT), count - 1
    number, numbers = "lpad(n::text, 6, '0')", f"(SELECT generate_series(0, {last}) AS n)"
    if isinstance(world, SqliteWorld):
        number = "printf('%06d', n)"
        numbers = (
            f"(WITH RECURSIVE up (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM up WHERE n < {last}) SELECT n FROM up)"
        )
    sql = f"""
        INSERT INTO ledger_entry (cause, at_ms, debit_book, credit_book, amount_microdollars, what)
        SELECT 'run-' || {number}, {START_MS} + n / {a_millisecond},
            CASE WHEN n % 2 = 1 THEN '{book}' ELSE 'card' END, CASE WHEN n % 2 = 1 THEN 'execution' ELSE '{book}' END,
            CASE WHEN n % 2 = 1 THEN 1 ELSE 5 END, CASE WHEN n % 2 = 1 THEN 'QmRun' END
        FROM {numbers} AS numbers ORDER BY n
    """
    if isinstance(world, SqliteWorld):
        with closing(sqlite3.connect(world.path, isolation_level=None)) as connection:
            connection.execute(sql)
    else:
        assert isinstance(world, PostgresWorld)
        world.sql(sql)


def balances(count: int) -> list[int]:
    """After each entry of `fill`."""
    return list(accumulate(-1 if number % 2 else 5 for number in range(count)))


async def test_a_statement_that_does_not_add_up_is_not_shown(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await lived(world, ledger)
    tamper(world, "UPDATE ledger_account SET balance_microdollars = balance_microdollars + 1")
    with pytest.raises(LedgerInconsistentError, match="is not its balance"):
        await statement_of(world)


@pytest.fixture
async def told(world: LedgerWorld, ledger: LedgerDatabase) -> list[str]:
    """A ledger that a node has open, and how commands are told of it."""
    await lived(world, ledger)
    if isinstance(world, SqliteWorld):
        return ["--file", str(world.path)]
    assert isinstance(world, PostgresWorld)
    return ["--url", world.url]


async def run(*arguments: str, environment: dict[str, str] | None = None) -> Result:
    """The command, in a thread of its own: it has an event loop of its own, and the node's goes on here."""
    return await asyncio.to_thread(
        lambda: CliRunner().invoke(main, ["ledger", *arguments], env=environment, catch_exceptions=False)
    )


async def test_the_command_prints_the_same_while_the_node_works(ledger: LedgerDatabase, told: list[str]) -> None:
    ran = await run("statement", BOOK, *told, "--csv")
    assert ran.exit_code == 0, ran.output
    header, opening, *lines, closing = csv.reader(io.StringIO(ran.stdout, newline=""))
    entries = [dict(zip(header, line, strict=False)) for line in lines]
    assert (opening[4], closing[4]) == ("0", str(-4 * CENT))
    assert [entry["cause"] for entry in entries] == ["payment:pi_1", "e1", "w1", "refund:re_1"]
    assert entries[1] == {
        "time": "2027-01-15T08:00:01.000Z",
        "cause": "e1",
        "book": "execution",
        "amount_microdollars": str(-3 * CENT),
        "balance_microdollars": str(7 * CENT),
        "usage_key": f"0x{KEY:064x}",
        "what": RUN.what,
        "request_id": RUN.request_id,
        "duration_ms": str(RUN.duration_ms),
    }
    document = json.loads((await run("statement", BOOK, *told, "--json")).stdout)
    assert [str(entry["amount_microdollars"]) for entry in document["entries"]] == [
        entry["amount_microdollars"] for entry in entries
    ]
    assert document["closing_microdollars"] == -4 * CENT
    await pay(ledger, "after", 1, Spender(OTHER))


async def test_a_period_of_the_command(told: list[str]) -> None:
    ran = await run("statement", BOOK, *told, "--json", "--from", "2027-01-15T08:00:01Z", "--to", "1800000002")
    assert [entry["cause"] for entry in json.loads(ran.stdout)["entries"]] == ["e1"]
    assert json.loads(ran.stdout)["opening_microdollars"] == 10 * CENT


async def test_the_table_is_for_people(told: list[str]) -> None:
    ran = await run("statement", BOOK, *told)
    assert "$0.10" in ran.stdout
    assert "-$0.04" in ran.stdout
    assert f"execution {RUN.what}" in ran.stdout


async def test_the_check_says_by_its_exit_code_whether_the_books_hold(world: LedgerWorld, told: list[str]) -> None:
    ran = await run("check", *told, "--json")
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.stdout)
    assert report["holds"] is True
    assert len(report["verdicts"]) >= 5
    assert sum(report["books"].values()) == 0
    for_people = await run("check", *told)
    assert for_people.exit_code == 0
    assert "BROKEN" not in for_people.stdout
    tamper(world, "UPDATE ledger_usage_key SET spent_microdollars = 1")
    ran = await run("check", *told, "--json")
    assert ran.exit_code == 1
    assert json.loads(ran.stdout)["holds"] is False
    assert "BROKEN  every usage key's total" in (await run("check", *told)).stdout


async def test_the_node_s_settings_name_its_ledger(tmp_path: Path, world: LedgerWorld, told: list[str]) -> None:
    config = tmp_path / "node.toml"
    config.write_text(f'data_dir = "{tmp_path}"\n')
    environment = {"SVC_LEDGER_URL": world.url} if isinstance(world, PostgresWorld) else {}
    ran = await run("statement", BOOK, "--config", str(config), "--json", environment=environment)
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["closing_microdollars"] == -4 * CENT


async def test_the_environment_alone_names_a_postgresql_ledger(postgres_world: PostgresWorld) -> None:
    ledger = await postgres_world.open()
    await give(ledger, 4)
    ran = await run("check", "--json", environment={"SVC_LEDGER_URL": postgres_world.url})
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["accounts"] == 1
    await ledger.close()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check"], "name the ledger"),
        (["check", "--file", "/nonexistent/ledger.sqlite3"], "is not there"),
        (["check", "--file", "/nonexistent/a", "--url", "postgresql://a:secret@127.0.0.1:1/b"], "exclude"),
        (["check", "--url", "postgresql://a:secret@127.0.0.1:1/b?sslmode=disable"], "cannot be"),
        (["check", "--url", "mysql://a:secret@127.0.0.1/b"], "postgresql://"),
        (["statement", "0xACC", "--file", "/nonexistent/a"], "is no account"),
        (["statement", BOOK, "--file", "/nonexistent/a", "--from", "yesterday"], "must be a time"),
    ],
)
async def test_what_cannot_be_read_is_one_line_without_secrets(arguments: list[str], says: str) -> None:
    ran = await run(*arguments)
    assert ran.exit_code == 2
    assert says in ran.stderr
    assert "secret" not in ran.output
    assert "Traceback" not in ran.output


async def test_an_authority_without_its_database_is_no_ledger_of_the_file(tmp_path: Path) -> None:
    """The books of the node are elsewhere: those on this disk, of before, must not be taken for them."""
    write_certificate(tmp_path, "localhost")
    authority = (tmp_path / "ca.pem").read_text()
    config = tmp_path / "node.toml"
    config.write_text(f"data_dir = {str(tmp_path)!r}\nledger_ca_pem = '''\n{authority}'''\n")
    ran = await run("check", "--config", str(config), environment={"SVC_LEDGER_URL": ""})
    assert (ran.exit_code, "set SVC_LEDGER_URL" in ran.stderr) == (2, True), ran.output


async def test_a_file_that_is_no_ledger_or_of_another_version_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    ran = await run("check", "--file", str(other))
    assert ran.exit_code == 2
    world = SqliteWorld(tmp_path)
    ledger = await world.open()
    await ledger.close()
    tamper(world, "UPDATE schema_version SET steps = steps + 1")
    ran = await run("check", "--file", str(world.path))
    assert (ran.exit_code, "another version" in ran.stderr) == (2, True)
