"""Databases of release 0.1.0, and of any step before it, come to the one table of leases with their rows."""

import time

import pytest

from node.chain.writes import journal_rows
from node.chain.writes.journal import Journal
from node.database import lease, postgres_transactions
from node.database.lease import ProcessLease
from node.database.port import Database, Statement
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import address_of
from node.errors import DomainError
from node.http import idempotency_store
from node.http.idempotency_store import IdempotencyStore, Share
from node.keyring.enclave import EnclaveKeyring
from node.ledger import postgres_schema
from node.ledger.entries import account_book
from node.settings.http import HttpSettings
from tests.support.http_server import LogLines
from tests.support.ledgers import ACCOUNT, CENT, cents
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import IMPATIENT, PostgresWorld
from tests.support.writes import ANYWHERE, ROOT

PAYER = "0x" + "11" * 20
ROW, MAC = bytes(32), bytes([1]) * 32
HOLDER_UNTIL = 8
"""Steps to which a row of a payer names its process."""
LIFE_FROM = 5
"""Steps from which the table of heartbeats is there."""


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


async def test_reservations_stay_with_a_lease_of_before_that_has_not_lapsed(postgres: PostgresServer) -> None:
    world = PostgresWorld(postgres)
    before = PostgresDatabase(address_of(world.url), IMPATIENT)
    await before.migrate(postgres_transactions.COMPONENT, postgres_transactions.STEPS[:1])
    await before.migrate(postgres_schema.COMPONENT, postgres_schema.STEPS)
    await before.close()
    world.sql(
        "INSERT INTO ledger_lease VALUES ('living', clock_timestamp() + interval '1 hour'), ('dead', clock_timestamp())"
    )
    for holder, amount in (("living", 1), ("dead", 2), ("forgotten", 4)):
        world.sql(
            "INSERT INTO ledger_reservation (cause, book, cap_microdollars, amount_microdollars, state, holder)"
            f" VALUES ('{holder}', '{account_book(ACCOUNT)}', 0, {amount * CENT}, 'held', '{holder}')"
        )
    ledger = await world.node("now")
    assert await ledger.balance(ACCOUNT) == cents(0, 1)
    assert world.sql(f"SELECT steps FROM schema_version WHERE component = '{lease.COMPONENT}'") == str(len(lease.STEPS))
    await world.close()
