"""An account's statement: everything of it, nothing of others, and it adds up."""

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from node.cli import main
from node.errors import NodeError
from node.ledger.books import LedgerDatabase, Posting, Source
from node.ledger.port import Spender
from node.ledger.statement import account_statement
from tests.world.ledgers import ACCOUNT, CENT, KEY, OTHER, RUN, WRITE, LedgerWorld, SqliteWorld, give, pay
from tests.world.postgres_ledger import PostgresWorld
from tests.world.tampering import tamper

BOOK = f"0x{ACCOUNT:064x}"


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


async def test_a_statement_has_every_entry_and_the_balance_after_each(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await lived(world, ledger)
    found = await account_statement(ledger, ACCOUNT)
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


async def test_periods_follow_one_another_without_a_gap(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    start_ms = int(world.clock.now * 1000)
    await lived(world, ledger)
    first = await account_statement(ledger, ACCOUNT, 0, start_ms + 1000)
    second = await account_statement(ledger, ACCOUNT, start_ms + 1000, start_ms + 3000)
    third = await account_statement(ledger, ACCOUNT, start_ms + 3000)
    assert [[line.cause for line in part.lines] for part in (first, second, third)] == [
        ["payment:pi_1"],
        ["e1", "w1"],
        ["refund:re_1"],
    ]
    assert first.closing_microdollars == second.opening_microdollars == 10 * CENT
    assert second.closing_microdollars == third.opening_microdollars == 6 * CENT
    nothing = await account_statement(ledger, ACCOUNT, start_ms + 9000)
    assert (nothing.opening_microdollars, nothing.closing_microdollars) == (-4 * CENT, -4 * CENT)


async def test_an_account_never_seen_has_an_empty_one(ledger: LedgerDatabase) -> None:
    found = await account_statement(ledger, 0xDEAD)
    assert (found.opening_microdollars, found.closing_microdollars, list(found.lines)) == (0, 0, [])


async def test_a_statement_that_does_not_add_up_is_not_shown(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await lived(world, ledger)
    tamper(world, "UPDATE ledger_account SET balance_microdollars = balance_microdollars + 1")
    with pytest.raises(NodeError, match="is not its balance") as refused:
        await account_statement(ledger, ACCOUNT)
    assert refused.value.fix == "Run `svc-node ledger check`."


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
