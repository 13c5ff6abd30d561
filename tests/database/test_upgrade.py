"""Databases of release 0.1.0, and of any step before it, come to the tables of this one with their rows."""

import time
from pathlib import Path

import pytest

from node.chain.writes import journal_rows
from node.chain.writes.journal import Journal
from node.database import lease, postgres_transactions
from node.database.lease import ProcessLease
from node.database.port import Database, Statement
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import address_of
from node.database.sqlite import SqliteDatabase
from node.errors import DomainError
from node.http import idempotency_store
from node.http.idempotency_store import IdempotencyStore, Share
from node.keyring.enclave import EnclaveKeyring
from node.ledger import schema
from node.ledger.entries import account_book
from node.ledger.port import LedgerDatabase, Spender
from node.settings.http import HttpSettings
from node.values import u256_hex
from tests.support.http_server import LogLines
from tests.support.ledgers import ACCOUNT, CENT, KEY, SqliteWorld, assert_adds_up, cents, pay
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import IMPATIENT, PostgresWorld
from tests.support.release_0_1_0 import RESERVATIONS
from tests.support.writes import ANYWHERE, ROOT

PAYER = "0x" + "11" * 20
ROW, MAC = bytes(32), bytes([1]) * 32
HOLDER_UNTIL = 8
"""Steps to which a row of a payer names its process."""
LIFE_FROM = 5
"""Steps from which the table of heartbeats is there."""
COUNTED_FROM = 6
"""Steps from which the file's balances follow from its entries; no release had fewer."""
RESERVATIONS_FROM = 3
"""Steps from which PostgreSQL had a row for each reservation."""


def of_each(steps: tuple[str, ...]) -> pytest.MarkDecorator:
    """Every number of steps that a database of before can have: the last one quickly, the others too."""
    *earlier, last = range(1, len(steps))
    return pytest.mark.parametrize("done", [last, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in earlier)])


@of_each(journal_rows.MIGRATIONS[: HOLDER_UNTIL + 1])
async def test_payers_keep_their_nonces_and_the_process_of_before_is_fenced(database: Database, done: int) -> None:
    await database.migrate(journal_rows.COMPONENT, journal_rows.MIGRATIONS[:done])
    kept = "INSERT INTO write_payer (chain_id, instance, payer, next_nonce, holder) VALUES (1, 'first', ?, 7, 'before')"
    await database.execute(Statement(kept, (PAYER,)))
    journal = Journal(database, EnclaveKeyring(ROOT, 1, ANYWHERE).idempotency_sealer(), 1, "first")
    await journal.open()
    assert (await journal.acquire_lease(PAYER)).next == 7
    await journal.require_lease(PAYER)
    with pytest.raises(DomainError):
        await database.execute(Statement("UPDATE write_payer SET next_nonce = 8 WHERE holder = 'before'"))


@of_each(idempotency_store.STEPS)
async def test_claims_of_processes_of_before_are_free_and_answers_stay(database: Database, done: int) -> None:
    await database.migrate(idempotency_store.COMPONENT, idempotency_store.STEPS[:done])
    made = "INSERT INTO idempotency (id, body_mac, created_us, holder, claim, finished_us, sealed) VALUES"
    await database.execute(
        Statement(f"{made} (?, ?, 0, 'before', 'claimed', NULL, NULL)", (ROW.hex(), MAC.hex())),
        Statement(f"{made} (?, ?, 0, 'before', 'ended', 1000000, 'YW5zd2Vy')", (MAC.hex(), MAC.hex())),
    )
    if done >= LIFE_FROM:
        await database.execute(Statement("INSERT INTO idempotency_life (life, beat) VALUES ('before', 3)"))
    now = ProcessLease(database, idempotency_store.COMPONENT, "now", 15.0)
    store = IdempotencyStore(database, HttpSettings(), now, LogLines(), time.monotonic)
    await store.open()
    claimed = await store.claim(ROW, MAC, "mine", Share("owner", 100), 1.0)
    assert (claimed.claim, claimed.fresh, claimed.finished_at) == ("mine", False, None)
    ended = await store.claim(MAC, MAC, "mine", Share("owner", 100), 1.0)
    assert (ended.claim, ended.finished_at, ended.sealed) == ("ended", 1.0, b"answer")


POSTING = (
    "INSERT INTO ledger_entry (cause, at_ms, debit_book, credit_book, amount_microdollars)"
    f" VALUES ('payment:pi_1', 0, 'card', '{account_book(ACCOUNT)}', {3 * CENT})"
)
BALANCE = f"INSERT INTO ledger_account (book, balance_microdollars) VALUES ('{account_book(ACCOUNT)}', {3 * CENT})"


async def assert_is_the_ledger_of_before(ledger: LedgerDatabase) -> None:
    """Its three cents are there, all of them to be spent, and charges go on from them."""
    assert await ledger.balance(ACCOUNT) == cents(3)
    await pay(ledger, "e1", 3, Spender(ACCOUNT, KEY, 3 * CENT))
    assert await ledger.balance(ACCOUNT) == cents(0)
    await assert_adds_up(ledger)


@pytest.mark.parametrize("done", range(COUNTED_FROM, len(schema.SQLITE_STEPS) + 1))
async def test_a_ledger_in_a_file_keeps_its_entries(tmp_path: Path, done: int) -> None:
    world = SqliteWorld(tmp_path)
    before = await SqliteDatabase.open(world.path)
    await before.migrate(schema.COMPONENT, schema.SQLITE_STEPS[:done])
    await before.execute(Statement(POSTING))
    await before.close()
    ledger = await world.open()
    await assert_is_the_ledger_of_before(ledger)
    await ledger.close()


@of_each(schema.POSTGRES_STEPS)
async def test_a_ledger_in_postgresql_keeps_its_entries_and_sets_nothing_aside(
    postgres: PostgresServer, done: int
) -> None:
    world = PostgresWorld(postgres)
    before = PostgresDatabase(address_of(world.url), IMPATIENT)
    await before.migrate(postgres_transactions.COMPONENT, postgres_transactions.STEPS[:1])
    await before.migrate(schema.COMPONENT, (*schema.POSTGRES_STEPS[:2], RESERVATIONS)[:done])
    await before.close()
    world.sql("INSERT INTO ledger_lease VALUES ('living', clock_timestamp() + interval '1 hour')")
    world.sql(POSTING)
    if done == 1:
        world.sql(BALANCE)
    if done >= RESERVATIONS_FROM:
        world.sql(
            "INSERT INTO ledger_reservation (cause, book, usage_key, cap_microdollars, amount_microdollars, state, holder)"
            f" VALUES ('w1', '{account_book(ACCOUNT)}', '{u256_hex(KEY)}', 0, {2 * CENT}, 'held', 'living')"
        )
    await assert_is_the_ledger_of_before(await world.node("now"))
    assert world.sql(f"SELECT steps FROM schema_version WHERE component = '{lease.COMPONENT}'") == str(len(lease.STEPS))
    await world.close()
