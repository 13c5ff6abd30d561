"""Transactions on reservations: a node's orders, postings, and expiry without a lease.

Accounts are locked before usage keys, each in sorted order, so that transactions cannot deadlock.
Reservations change under their account's lock, so what is read under it is true until the commit.

A reservation is valid until its node's lease is buried (node.database.lease). Any node may release
the rest. A node that was paused past its lease finds its reservations expired, and settles them
from the credit that is left.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import asyncpg
from asyncpg.exceptions import SerializationError

from node.database.lease import ProcessLease, held_names
from node.database.port import Statement
from node.database.postgres import NOW_MS, run_statements
from node.database.postgres_connections import Connection
from node.database.postgres_transactions import forget_marks
from node.ledger.entries import ACCOUNT_PREFIX, COLUMNS, Entry, account_book, cause_taken
from node.ledger.port import Spender
from node.ledger.postgres_orders import AccountBusyError, Decisions, Order, Outcome, Reserve
from node.ledger.postgres_schema import FOR_UPDATE, LOCK_ACCOUNTS, LOCK_USAGE_KEYS
from node.ledger.reservations import AccountBalance, Reservation, State
from node.values import u256_hex

LEASES: Final = "ledger"
"""Scope of the nodes' leases. The `holder` of a reservation is the name of one."""
LARGEST_CAP: Final = 2**62
"""Highest cap that is stored. Caps on chain have 256 bits, a BIGINT 64; no account has as much."""

_LOCK_FREE_ACCOUNTS: Final = f"{LOCK_ACCOUNTS.rstrip()} SKIP LOCKED"
_ACCOUNTS: Final = LOCK_ACCOUNTS.removesuffix(FOR_UPDATE)
_KNOWN: Final = f"""
SELECT asked.cause, entry.cause IS NOT NULL AS entered, kept.book, kept.usage_key, kept.cap_microdollars,
    kept.amount_microdollars, kept.state, kept.holder, EXISTS (
        SELECT 1 FROM lease WHERE scope = '{LEASES}' AND name = $2 AND holder = $2 AND until_ms > {NOW_MS} + $3
    ) AS leased
FROM unnest($1::text[]) AS asked (cause)
LEFT JOIN ledger_reservation AS kept ON kept.cause = asked.cause
LEFT JOIN ledger_entry AS entry ON entry.cause = asked.cause
"""  # noqa: S608 - constants alone
_TRANSFER: Final = "SELECT debit_book, credit_book, amount_microdollars FROM ledger_entry WHERE cause = $1"
_RESERVE: Final = """
INSERT INTO ledger_reservation (cause, book, usage_key, cap_microdollars, amount_microdollars, state, holder)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
ON CONFLICT (cause) DO UPDATE SET cap_microdollars = excluded.cap_microdollars,
    amount_microdollars = excluded.amount_microdollars, state = excluded.state, holder = excluded.holder,
    changed_at = clock_timestamp()
"""
_END: Final = "DELETE FROM ledger_reservation WHERE cause = ANY($1::text[])"
_ENTER: Final = f"""
INSERT INTO ledger_entry ({", ".join(COLUMNS)})
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
    $8::text[], $9::bigint[])
"""  # noqa: S608 - constants alone


async def commit_orders(
    connection: Connection, orders: Sequence[Order], lease: ProcessLease, *, skip_busy: bool
) -> Sequence[Outcome]:
    """Decides and writes the orders in the caller's transaction. Returns an outcome for each.

    With `skip_busy`, an order whose account is locked by others is undecided (AccountBusyError).
    """
    causes = list(dict.fromkeys(order.cause for order in orders))
    spenders = [order.spender for order in orders if isinstance(order, Reserve)]
    accounts, busy = await _lock_accounts(connection, spenders, causes, skip_busy=skip_busy)
    usage_keys = await _lock_usage_keys(connection, spenders, causes)
    # Read after the locks, since a reservation changes only under its account's lock. Rows read
    # before could change until the commit, and two nodes would spend the same credit.
    known = await connection.fetch(_KNOWN, causes, lease.name, round(1000 * lease.renewal_interval_s))
    reservations = {str(row["cause"]): _reservation(row) for row in known if row["book"] is not None}
    entered = {str(row["cause"]) for row in known if row["entered"]}
    decided = {cause: kept for cause, kept in reservations.items() if kept.spender.account not in busy}
    _require_locked(decided.values(), accounts, usage_keys)
    decisions = Decisions(lease.name, accounts, usage_keys, decided, entered)
    outcomes: list[Outcome] = [
        AccountBusyError() if _account_of(order, reservations) in busy else decisions.decide(order) for order in orders
    ]
    await _write_reservations(connection, decisions.reservations)
    if decisions.entries:
        await enter(connection, decisions.entries)
    # A lease that ends before the next renewal is renewed together with the new reservations.
    # Otherwise another node could give them back first.
    if decisions.holds and not all(row["leased"] for row in known):
        await run_statements(connection, [lease.keep()])
    return outcomes


async def enter(connection: Connection, entries: Sequence[Entry]) -> None:
    """Writes entries with new causes."""
    await connection.execute(_ENTER, *(list(column) for column in zip(*(entry.row for entry in entries), strict=True)))


async def post(connection: Connection, entry: Entry, also: Sequence[Statement]) -> bool:
    """Enters a posting and runs `also` in the caller's transaction. See `LedgerDatabase.post`."""
    # A repeated report of a payment has the same cause and enters nothing. If another node enters
    # it at this moment, the unique index makes this transaction wait, and then repeat.
    there = await connection.fetchrow(_TRANSFER, entry.cause)
    if there is None:
        await enter(connection, [entry])
    elif not entry.same_transfer(*there):
        raise cause_taken(entry.cause)
    await run_statements(connection, also)
    return there is None


async def _lock_accounts(
    connection: Connection, spenders: Sequence[Spender], causes: Sequence[str], *, skip_busy: bool
) -> tuple[dict[int, AccountBalance], set[int]]:
    """Returns the balances for spenders and for causes' reservations, and the accounts skipped.

    An account without a row has nothing.
    """
    books = [account_book(spender.account) for spender in spenders]
    # SKIP LOCKED omits locked rows like missing ones, so all rows are read first without a lock.
    there = await connection.fetch(_ACCOUNTS, books, causes) if skip_busy else []
    rows = await connection.fetch(_LOCK_FREE_ACCOUNTS if skip_busy else LOCK_ACCOUNTS, books, causes)
    locked = {_account_of_book(row[0]): AccountBalance(row[1], row[2]) for row in rows}
    balances = {spender.account: AccountBalance() for spender in spenders} | locked
    return balances, {_account_of_book(row[0]) for row in there} - locked.keys()


async def _lock_usage_keys(
    connection: Connection, spenders: Sequence[Spender], causes: Sequence[str]
) -> dict[int, AccountBalance]:
    """Returns the usage keys' totals. The lock of its only account covers a key without a row."""
    asked = {spender.usage_key for spender in spenders if spender.usage_key is not None}
    rows = await connection.fetch(LOCK_USAGE_KEYS, list(map(u256_hex, asked)), causes)
    totals = {usage_key: AccountBalance() for usage_key in asked}
    totals.update((int(row[0], 16), AccountBalance(row[1], row[2])) for row in rows)
    return totals


def _require_locked(
    reservations: Collection[Reservation],
    accounts: Mapping[int, AccountBalance],
    usage_keys: Mapping[int, AccountBalance],
) -> None:
    """Raises SerializationError, which repeats the batch, if a reservation is not locked."""
    # A decision on an account without its lock could spend the same credit on two nodes.
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
        # Caps are uint256 on chain; the column is a BIGINT.
        min(spender.cap_microdollars, LARGEST_CAP),
        reservation.amount_microdollars,
        reservation.state.value,
        reservation.holder,
    )


RESERVATION_IDLE_S: Final = 3_600.0
"""Age at which an unchanged reservation of a live node expires. Actions and writes are shorter."""
ENDED_KEPT_S: Final = 7 * 86_400.0
"""Retention of released and expired reservations, for repeated calls and late settlements."""
MOST_AT_ONCE: Final = 500
"""Maximum reservations that one transaction expires or deletes, to bound the time of its locks."""

_IS_OVER: Final = f"""
state = 'held' AND (changed_at < clock_timestamp() - make_interval(secs => {RESERVATION_IDLE_S})
    OR holder NOT IN ({held_names(LEASES)}))
"""
_FIND_OVER: Final = f"SELECT cause FROM ledger_reservation WHERE {_IS_OVER} LIMIT {MOST_AT_ONCE}"  # noqa: S608 - constants
_EXPIRE: Final = f"""
UPDATE ledger_reservation SET state = 'expired', changed_at = clock_timestamp()
WHERE cause = ANY($1::text[]) AND {_IS_OVER} RETURNING cause
"""  # noqa: S608 - constants alone
_FORGET_ENDED: Final = """
DELETE FROM ledger_reservation WHERE cause IN (
    SELECT cause FROM ledger_reservation
    WHERE changed_at < clock_timestamp() - make_interval(secs => $1) AND state <> 'held'
    LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""


async def expire(connection: Connection) -> int:
    """Gives back some idle reservations and some of nodes without a lease. Returns how many."""
    # Read without locks first, since most runs find nothing.
    causes = [str(row[0]) for row in await connection.fetch(_FIND_OVER)]
    if not causes:
        return 0
    nothing: list[str] = []
    # Every change of a reservation takes these locks. `_EXPIRE` checks again after them.
    await connection.fetch(LOCK_ACCOUNTS, nothing, causes)
    await connection.fetch(LOCK_USAGE_KEYS, nothing, causes)
    expired: Sequence[object] = await connection.fetch(_EXPIRE, causes)
    return len(expired)


async def forget(connection: Connection) -> None:
    """Removes reservations and marks that ended long ago."""
    await connection.execute(_FORGET_ENDED, ENDED_KEPT_S, MOST_AT_ONCE)
    await forget_marks(connection)
