"""The check finds what does not add up, names the rule, and says nothing against honest books."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest

from node.billing.check import DEPOSIT_RULES, payment_rules
from node.billing.payments.tables import COMPONENT as PAYMENTS
from node.billing.payments.tables import STEPS as PAYMENT_TABLES
from node.billing.tokens.book import COMPONENT as DEPOSITS
from node.billing.tokens.book import STEPS as DEPOSIT_TABLES
from node.database.port import Statement
from node.ledger.check import ALLOTMENT_RULE, FILE_RULES, LEDGER_RULES, MAX_SHOWN, TRIGGER_RULE, CheckReport, check
from node.ledger.port import LedgerDatabase, Posting, Service, Source, Spender
from tests.support.ledgers import ACCOUNT, CENT, KEY, OTHER, LedgerWorld, SqliteWorld, give, pay
from tests.support.postgres_ledger import PostgresWorld
from tests.support.tampering import tamper

NOW_S = 1_800_000_000
HOUR_S = 3600
BOOK = f"account:0x{ACCOUNT:064x}"
HEX = f"0x{ACCOUNT:064x}"
DELTA = "INSERT INTO payments_delta (account, number, customer, cents, created_s) VALUES ('1', 1, 'cus_1', 5, {})"


async def checked(world: LedgerWorld, ledger: LedgerDatabase) -> CheckReport:
    own = (ALLOTMENT_RULE, TRIGGER_RULE) if world.name == "postgres" else FILE_RULES
    rules = (*LEDGER_RULES, *own, *payment_rules(NOW_S, HOUR_S), *DEPOSIT_RULES)
    return await check(ledger, rules)


async def broken(world: LedgerWorld, ledger: LedgerDatabase) -> list[str]:
    report = await checked(world, ledger)
    assert report.holds == (not any(verdict.broken_by for verdict in report.verdicts))
    return [verdict.rule for verdict in report.verdicts if verdict.broken_by]


async def used(ledger: LedgerDatabase) -> None:
    """A ledger that has seen everything there is: a payment, spending, a refund of what was spent, a token payment."""
    await ledger.migrate(PAYMENTS, PAYMENT_TABLES)
    await ledger.migrate(DEPOSITS, DEPOSIT_TABLES)
    await ledger.post(Posting("payment:pi_1", ACCOUNT, Source.CARD, 10 * CENT), received("pi_1", 10))
    await pay(ledger, "e1", 3, Spender(ACCOUNT, KEY, 5 * CENT))
    await pay(ledger, "e2", 2)
    await ledger.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -10 * CENT), reversed_("refund:re_1", -10))
    await ledger.post(Posting("token:1:0xaa:7", OTHER, Source.TOKEN, 20 * CENT), deposit("credited", OTHER))
    await pay(ledger, "e3", 4, Spender(OTHER, KEY + 1))
    await ledger.reserve(Spender(OTHER), "e4", CENT)


def received(intent: str, cents: int) -> Statement:
    return Statement(
        "INSERT INTO payments_payment (payment, account, amount_cents, intent, status, received_cents, created_s, look_at_s)"
        " VALUES (?, ?, ?, ?, 'succeeded', ?, 0, 0)",
        (intent, HEX, cents, intent, cents),
    )


def reversed_(cause: str, cents: int) -> Statement:
    return Statement(
        "INSERT INTO payments_reversal (cause, object, intent, wanted_cents, takes_back, cents, posted, look_at_s)"
        " VALUES (?, 're_1', 'pi_1', 10, 1, ?, 1, 0)",
        (cause, cents),
    )


def deposit(status: str, account: int) -> Statement:
    return Statement(
        "INSERT INTO token_deposit VALUES (1, '0xaa', 7, '0xcc', 5, '0xbb', ?, '0xdd', '0xee', '20', 0, ?, '', 'T', 6, 1, ?)",
        (f"0x{account:064x}", status, 20 * CENT),
    )


async def test_books_that_add_up_hold(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await used(ledger)
    report = await checked(world, ledger)
    assert report.holds
    assert report.entries == 6
    assert report.accounts == 2
    assert report.books == {
        "accounts": 11 * CENT,
        "card": 0,
        "execution": 9 * CENT,
        "token": -20 * CENT,
    }
    assert sum(report.books.values()) == 0


async def test_books_hold_at_every_moment_of_work(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await give(ledger, 200)
    running = asyncio.gather(*(pay(ledger, f"e{i}", 1, Spender(ACCOUNT, KEY)) for i in range(200)))
    while not running.done():
        assert await broken(world, ledger) == []
    await running


@pytest.mark.parametrize(
    ("rule", "statement"),
    [
        (
            "every account's balance is the sum of its entries",
            f"UPDATE ledger_account SET balance_microdollars = balance_microdollars + 1 WHERE book = '{BOOK}'",
        ),
        ("every account's balance is the sum of its entries", f"DELETE FROM ledger_account WHERE book = '{BOOK}'"),
        ("every account's balance is the sum of its entries", "DELETE FROM ledger_entry WHERE cause = 'e2'"),
        (
            "every account's balance is the sum of its entries",
            "UPDATE ledger_entry SET amount_microdollars = amount_microdollars + 1 WHERE cause = 'payment:pi_1'",
        ),
        (
            "all books together hold nothing",
            "UPDATE ledger_account SET balance_microdollars = balance_microdollars + 1",
        ),
        (
            "every entry moves an amount between one account and a book of the house",
            "UPDATE ledger_entry SET credit_book = 'pocket' WHERE cause = 'e2'",
        ),
        (
            "every entry moves an amount between one account and a book of the house",
            "UPDATE ledger_entry SET amount_microdollars = -1 WHERE cause = 'e2'",
        ),
        (
            "every account is named by its hash",
            f"UPDATE ledger_account SET book = UPPER(book) WHERE book = '{BOOK}'",
        ),
        ("every account is named by its hash", f"UPDATE ledger_account SET book = 'account:0x1' WHERE book = '{BOOK}'"),
        (
            "every account is named by its hash",
            f"UPDATE ledger_account SET book = SUBSTR(book, 1, 40) || 'g' || SUBSTR(book, 42) WHERE book = '{BOOK}'",
        ),
        (
            "every charge tells what it was for, and no other entry does",
            "UPDATE ledger_entry SET what = NULL WHERE cause = 'e2'",
        ),
        (
            "every charge tells what it was for, and no other entry does",
            "UPDATE ledger_entry SET usage_key = '0x1' WHERE cause = 'payment:pi_1'",
        ),
        (
            "no account owes more than was taken back from it by refunds and disputes",
            f"UPDATE ledger_account SET balance_microdollars = -100001 WHERE book = '{BOOK}'",
        ),
        ("every usage key's total is the sum of its charges", "UPDATE ledger_usage_key SET spent_microdollars = 0"),
        ("every usage key's total is the sum of its charges", "DELETE FROM ledger_usage_key"),
        (
            "every card payment that was received is entered, with its account and amount",
            "UPDATE payments_payment SET received_cents = 11",
        ),
        (
            "every card payment that was received is entered, with its account and amount",
            "UPDATE payments_payment SET account = '0x00'",
        ),
        (
            "every card payment that was received is entered, with its account and amount",
            "DELETE FROM ledger_entry WHERE cause = 'payment:pi_1'",
        ),
        ("every card payment that is entered was received", "DELETE FROM payments_payment"),
        (
            "every refund and dispute that was counted is entered, as its payment's",
            "UPDATE payments_reversal SET cents = -9",
        ),
        (
            "every refund and dispute that was counted is entered, as its payment's",
            "UPDATE payments_reversal SET cents = 10",
        ),
        (
            "every refund and dispute that was counted is entered, as its payment's",
            "UPDATE payments_payment SET account = '0x00'",
        ),
        ("every refund and dispute that is entered was counted", "DELETE FROM payments_reversal"),
        ("every refund and dispute that is entered was counted", "UPDATE payments_reversal SET cents = NULL"),
        (
            "a token deposit is credited when it is entered, with its account and amount, and not otherwise",
            "UPDATE token_deposit SET status = 'pending'",
        ),
        (
            "a token deposit is credited when it is entered, with its account and amount, and not otherwise",
            "UPDATE token_deposit SET account = '0x00'",
        ),
        (
            "a token deposit is credited when it is entered, with its account and amount, and not otherwise",
            "UPDATE token_deposit SET microdollars = 5",
        ),
        ("every token deposit that is entered was seen", "DELETE FROM token_deposit"),
        (
            "all credit was sent to the card processor in time",
            DELTA.format(NOW_S - HOUR_S - 1),
        ),
        (
            "every account became a customer of the card processor in time",
            f"INSERT INTO payments_customer (account, email, asked_s) VALUES ('{HEX}', 'x', {NOW_S - HOUR_S - 1})",
        ),
    ],
)
async def test_what_does_not_add_up_is_named(
    world: LedgerWorld, ledger: LedgerDatabase, rule: str, statement: str
) -> None:
    await used(ledger)
    assert await broken(world, ledger) == []
    tamper(world, statement)
    assert rule in await broken(world, ledger)


async def test_a_young_outbox_row_is_no_fault(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await used(ledger)
    tamper(
        world,
        DELTA.format(NOW_S - HOUR_S),
    )
    assert await broken(world, ledger) == []


@pytest.mark.parametrize("statement", ["UPDATE lease SET until_ms = 0", "DELETE FROM lease"])
async def test_what_is_set_aside_by_several_nodes_is_checked_too(postgres_world: PostgresWorld, statement: str) -> None:
    ledger = await postgres_world.node("node", lease_s=3600.0)  # so that it is not renewed meanwhile
    await used(ledger)
    assert await broken(postgres_world, ledger) == []
    tamper(postgres_world, statement)
    assert await broken(postgres_world, ledger) == ["nothing is set aside by a node that is gone"]
    await ledger.close()


@pytest.mark.parametrize(
    ("rule", "statements"),
    [
        ("the tables and the triggers that keep them are as they were made", ["DROP TRIGGER ledger_entry_kept"]),
        (
            "the tables and the triggers that keep them are as they were made",
            ["DROP INDEX ledger_entry_debited", "CREATE INDEX ledger_entry_debited ON ledger_entry (at_ms)"],
        ),
        (
            "entries are numbered without a gap",
            [
                "DROP TRIGGER ledger_entry_kept",
                "DELETE FROM ledger_entry WHERE cause = 'e2'",
                f"UPDATE ledger_account SET balance_microdollars = balance_microdollars + {2 * CENT} WHERE book = '{BOOK}'",
            ],
        ),
        (
            "the file is sound",
            [
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_schema SET sql = replace(sql, '(credit_book, at_ms', '(cause, at_ms') WHERE type = 'index'",
            ],
        ),
    ],
)
async def test_a_file_that_somebody_worked_on_is_no_sound_one(
    sqlite_world: SqliteWorld, sqlite_ledger: LedgerDatabase, rule: str, statements: Sequence[str]
) -> None:
    await used(sqlite_ledger)
    with closing(sqlite3.connect(sqlite_world.path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    assert rule in await broken(sqlite_world, sqlite_ledger)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER ledger_entry_unchanged ON ledger_entry",
        "ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_counts",
    ],
)
async def test_a_server_whose_triggers_are_off_keeps_no_books(postgres_world: PostgresWorld, statement: str) -> None:
    ledger = await postgres_world.node("node")
    await used(ledger)
    tamper(postgres_world, statement)
    assert await broken(postgres_world, ledger) == ["the triggers that keep the tables are there and in force"]
    await ledger.close()


async def test_a_long_list_of_faults_is_cut_and_says_so(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    for account in range(1, MAX_SHOWN + 2):
        await give(ledger, 1, account, f"payment:{account}")
    tamper(world, "UPDATE ledger_account SET balance_microdollars = 0")
    (verdict, *_) = (await checked(world, ledger)).verdicts
    assert (len(verdict.broken_by), verdict.more) == (MAX_SHOWN, True)
    assert verdict.broken_by[0]["kept_microdollars"] == 0
    assert verdict.broken_by[0]["counted_microdollars"] == CENT


def test_the_check_knows_every_book_of_the_house() -> None:
    text = " ".join(rule.select for rule in LEDGER_RULES)
    assert all(f"'{book.value}'" in text for book in (*Service, *Source))
