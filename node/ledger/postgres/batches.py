"""Orders of one node in one transaction: lock, read, decide, write. Locks are taken in one order everywhere.

First accounts by book, then usage keys, each sorted: no two batches wait for each other. Every change of a reservation
is made under its account's lock, so what is read under it stays true until the commit.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import asyncpg
from asyncpg.exceptions import SerializationError

from node.ledger.entries import ACCOUNT_PREFIX, COLUMNS, Entry, account_book
from node.ledger.port import Spender
from node.ledger.postgres.connections import Connection
from node.ledger.postgres.decisions import AccountBusyError, Decisions, Outcome, Purse
from node.ledger.postgres.leases import Lease, renew
from node.ledger.postgres.locks import FOR_UPDATE, LOCK_ACCOUNTS, LOCK_USAGE_KEYS
from node.ledger.postgres.orders import Order, Reservation, Reserve, State
from node.values import u256_hex

LARGEST: Final = 2**62
"""Of a cap, which may be anything on chain and is a BIGINT here; no account has as much."""

_LOCK_FREE_ACCOUNTS: Final = f"{LOCK_ACCOUNTS.rstrip()} SKIP LOCKED"
_ACCOUNTS: Final = LOCK_ACCOUNTS.removesuffix(FOR_UPDATE)
_KNOWN: Final = """
SELECT asked.cause, entry.cause IS NOT NULL AS entered, kept.book, kept.usage_key, kept.cap_microdollars,
    kept.amount_microdollars, kept.state, kept.holder, EXISTS (
        SELECT 1 FROM ledger_lease WHERE holder = $2 AND expires_at > clock_timestamp() + make_interval(secs => $3)
    ) AS leased
FROM unnest($1::text[]) AS asked (cause)
LEFT JOIN ledger_reservation AS kept ON kept.cause = asked.cause
LEFT JOIN ledger_entry AS entry ON entry.cause = asked.cause
"""
_RESERVE: Final = """
INSERT INTO ledger_reservation (cause, book, usage_key, cap_microdollars, amount_microdollars, state, holder)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
ON CONFLICT (cause) DO UPDATE SET amount_microdollars = excluded.amount_microdollars, state = excluded.state,
    holder = excluded.holder, changed_at = clock_timestamp()
"""
_END: Final = "DELETE FROM ledger_reservation WHERE cause = ANY($1::text[])"
ENTER: Final = f"""
INSERT INTO ledger_entry ({", ".join(COLUMNS)})
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
    $8::text[], $9::bigint[])
"""  # noqa: S608 - constants alone


async def commit_orders(
    connection: Connection, orders: Sequence[Order], lease: Lease, *, skip_busy: bool
) -> Sequence[Outcome]:
    """Decide the orders and write what follows, inside the caller's transaction; an outcome for each.

    A node that was paused past its lease takes it up again in the transaction that sets credit aside under it: else
    another node would give that back before the next renewal. With `skip_busy`, accounts whose locks others hold are
    not waited for: their orders' outcome is AccountBusyError.
    """
    causes = list(dict.fromkeys(order.cause for order in orders))
    spenders = [order.spender for order in orders if isinstance(order, Reserve)]
    accounts, busy = await _lock_accounts(connection, spenders, causes, skip_busy=skip_busy)
    usage_keys = await _lock_usage_keys(connection, spenders, causes)
    known = await connection.fetch(_KNOWN, causes, lease.holder, lease.renewed_every_s)
    reservations = {str(row["cause"]): _reservation(row) for row in known if row["book"] is not None}
    entered = {str(row["cause"]) for row in known if row["entered"]}
    decided = {cause: kept for cause, kept in reservations.items() if kept.spender.account not in busy}
    _require_locked(decided.values(), accounts, usage_keys)
    decisions = Decisions(lease.holder, accounts, usage_keys, decided, entered)
    outcomes: list[Outcome] = [
        AccountBusyError() if _account_of(order, reservations) in busy else decisions.decide(order) for order in orders
    ]
    await _write_reservations(connection, decisions.reservations)
    if decisions.entries:
        await enter(connection, decisions.entries)
    if decisions.holds and not all(row["leased"] for row in known):
        await renew(connection, lease)
    return outcomes


async def enter(connection: Connection, entries: Sequence[Entry]) -> None:
    """Write entries, whose causes are new."""
    await connection.execute(ENTER, *(list(column) for column in zip(*(entry.row for entry in entries), strict=True)))


async def _lock_accounts(
    connection: Connection, spenders: Sequence[Spender], causes: Sequence[str], *, skip_busy: bool
) -> tuple[dict[int, Purse], set[int]]:
    """The purses of those who pay, and of those whose reservations have these causes; one without a row has nothing.

    And the accounts that were skipped.
    """
    books = [account_book(spender.account) for spender in spenders]
    there = await connection.fetch(_ACCOUNTS, books, causes) if skip_busy else []
    rows = await connection.fetch(_LOCK_FREE_ACCOUNTS if skip_busy else LOCK_ACCOUNTS, books, causes)
    locked = {_account_of_book(row[0]): Purse(row[1], row[2]) for row in rows}
    purses = {spender.account: Purse() for spender in spenders} | locked
    return purses, {_account_of_book(row[0]) for row in there} - locked.keys()


async def _lock_usage_keys(
    connection: Connection, spenders: Sequence[Spender], causes: Sequence[str]
) -> dict[int, Purse]:
    """The same of usage keys. One without a row needs no lock: it is under that of the one account it belongs to."""
    asked = {spender.usage_key for spender in spenders if spender.usage_key is not None}
    rows = await connection.fetch(LOCK_USAGE_KEYS, list(map(u256_hex, asked)), causes)
    purses = {usage_key: Purse() for usage_key in asked}
    purses.update((int(row[0], 16), Purse(row[1], row[2])) for row in rows)
    return purses


def _require_locked(
    reservations: Collection[Reservation], accounts: Mapping[int, Purse], usage_keys: Mapping[int, Purse]
) -> None:
    """A reservation that another node made between our locks and our reading is not decided about: once more."""
    for spender in (reservation.spender for reservation in reservations):
        if spender.account not in accounts or not (spender.usage_key is None or spender.usage_key in usage_keys):
            raise SerializationError("a reservation was made meanwhile")


def _account_of(order: Order, reservations: Mapping[str, Reservation]) -> int | None:
    if isinstance(order, Reserve):
        return order.spender.account
    reservation = reservations.get(order.cause)
    return None if reservation is None else reservation.spender.account


def _account_of_book(book: str) -> int:
    return int(book.removeprefix(ACCOUNT_PREFIX), 16)


def _reservation(row: asyncpg.Record) -> Reservation:
    key = None if row["usage_key"] is None else int(row["usage_key"], 16)
    spender = Spender(_account_of_book(row["book"]), key, row["cap_microdollars"])
    return Reservation(spender, row["amount_microdollars"], State(row["state"]), row["holder"])


async def _write_reservations(connection: Connection, changed: Mapping[str, Reservation | None]) -> None:
    if kept := [(cause, reservation) for cause, reservation in changed.items() if reservation is not None]:
        rows = [_row(cause, reservation) for cause, reservation in kept]
        await connection.execute(_RESERVE, *(list(column) for column in zip(*rows, strict=True)))
    if ended := [cause for cause, reservation in changed.items() if reservation is None]:
        await connection.execute(_END, ended)


def _row(cause: str, reservation: Reservation) -> tuple[str, str, str | None, int, int, str, str]:
    spender = reservation.spender
    return (
        cause,
        account_book(spender.account),
        None if spender.usage_key is None else u256_hex(spender.usage_key),
        min(spender.cap_microdollars, LARGEST),
        reservation.amount_microdollars,
        reservation.state.value,
        reservation.holder,
    )
