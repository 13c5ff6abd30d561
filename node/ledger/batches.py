"""The transactions of orders and of postings, on SQLite and PostgreSQL.

Reservations are in the memory of their process. Where several processes share a database, a row for
each process and name, its **allotment**, says how much of an account, or of a usage key's cap, the
process has set aside. It is written as a whole, so a repeated transaction changes nothing.

Accounts are locked in the order of their names, so that transactions cannot deadlock. An account's
lock covers its usage keys, the allotments of all of them, and the causes of their reservations:
what is read under it is true until the commit.

An allotment is valid until its process's lease is buried (node.database.lease). Any process may
remove the rest. A process that was paused past its lease finds its rows gone: its reservations are
expired, and are settled from the credit that is left.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from node.database.lease import ProcessLease, held_names
from node.database.port import Insertion, Names, Row, Statement, Transaction, text
from node.ledger.entries import ACCOUNT_PREFIX, Entry, cause_taken
from node.ledger.reservations import (
    AccountBusyError,
    Balances,
    Decisions,
    Holdings,
    Order,
    Outcome,
    Reservation,
    names_concerned,
)

LEASES: Final = "ledger"
"""Scope of the processes' leases. The `holder` of an allotment is the name of one."""
ENDED_KEPT_MS: Final = 7 * 86_400_000
"""Retention of released causes, for repeated calls and late settlements."""
MOST_AT_ONCE: Final = 500
"""Maximum rows that one transaction removes, to bound the time of its locks."""

_ACCOUNTS: Final = """
SELECT book, balance_microdollars FROM ledger_account WHERE book IN (SELECT value FROM @names) ORDER BY book
"""
_LOCK_ACCOUNTS: Final = f"{_ACCOUNTS} @for_update"
_LOCK_FREE_ACCOUNTS: Final = f"{_LOCK_ACCOUNTS} SKIP LOCKED"
_ENTERED, _SPENT, _OWN, _OTHERS, _BARRED, _LEFT_MS = "entered", "spent", "own", "others", "barred", "left_ms"
_ENTERED_ALREADY: Final = "SELECT cause FROM @names JOIN ledger_entry ON cause = value"
_STATE: Final = f"""
SELECT '{_ENTERED}' AS kind, cause AS name, 0 AS amount FROM @names JOIN ledger_entry ON cause = value
UNION ALL SELECT '{_SPENT}', usage_key, spent_microdollars FROM @names JOIN ledger_usage_key ON usage_key = value
"""  # noqa: S608 - constants alone
_SHARED_STATE: Final = f"""{_STATE}
UNION ALL SELECT CASE WHEN holder = ? THEN '{_OWN}' ELSE '{_OTHERS}' END, name, SUM(amount_microdollars)
    FROM @names JOIN ledger_allotment ON name = value GROUP BY 1, 2
UNION ALL SELECT '{_BARRED}', cause, 0 FROM @names JOIN ledger_released ON cause = value
UNION ALL SELECT '{_LEFT_MS}', name, until_ms - @now_ms FROM lease WHERE scope = '{LEASES}' AND name = ? AND holder = name
"""  # noqa: S608 - constants alone
_TRANSFER: Final = "SELECT debit_book, credit_book, amount_microdollars FROM ledger_entry WHERE cause = ?"
_WHOLE_COLUMNS: Final = frozenset({"at_ms", "amount_microdollars", "duration_ms"})
_ENTER: Final = Insertion(
    "ledger_entry", tuple((name, int if name in _WHOLE_COLUMNS else str) for name in Entry._fields)
)
_ALLOT: Final = Insertion(
    "ledger_allotment",
    (("name", str), ("holder", str), ("amount_microdollars", int)),
    "ON CONFLICT (name, holder) DO UPDATE SET amount_microdollars = excluded.amount_microdollars",
)
_BAR: Final = Insertion("ledger_released", (("cause", str),), "ON CONFLICT (cause) DO NOTHING")

REMOVE_LEFT: Final = f"""
DELETE FROM ledger_allotment WHERE (name, holder) IN (
    SELECT name, holder FROM ledger_allotment WHERE holder NOT IN ({held_names(LEASES)})
        OR (holder = ? AND amount_microdollars = 0)
    LIMIT {MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
) RETURNING amount_microdollars
"""  # noqa: S608 - constants alone
"""Removes allotments of processes that are gone, and this process's empty ones. It follows
`LOCK_BURIED` in its transaction."""
LOCK_BURIED: Final = f"SELECT 1 FROM lease WHERE scope = '{LEASES}' AND holder = '' @for_share"  # noqa: S608 - constants
"""Keeps a process from taking its lease again between the search for its rows and their removal."""
FORGET_RELEASED: Final = f"""
DELETE FROM ledger_released WHERE cause IN (
    SELECT cause FROM ledger_released WHERE released_ms < @now_ms - {ENDED_KEPT_MS}
    LIMIT {MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
)
"""  # noqa: S608 - constants alone


class AllotmentsRemovedError(Exception):
    """Allotments of this process are gone: what it reserved of `names` is expired."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__()
        self.names = names


class Batch(NamedTuple):
    """Orders to be decided, with this process's reservations of their causes.

    `reserved` has what the process has set aside by name, of all names that the orders change.
    """

    orders: Sequence[Order]
    known: Mapping[str, Reservation]
    reserved: Mapping[str, int]


def batch_of(orders: Sequence[Order], holdings: Holdings) -> Batch:
    """Returns the orders with what concerns them of a process's reservations."""
    known, reserved = holdings.reservations, holdings.balances.reserved
    names: dict[str, int] = {}
    concerned: dict[str, Reservation] = {}
    for order in orders:
        reservation = known.get(order.cause)
        if reservation is not None:
            concerned[order.cause] = reservation
        for name in names_concerned(order, known) if reservation is None else reservation.names:
            names[name] = reserved.get(name, 0)
    return Batch(orders, concerned, names)


async def commit_orders(
    transaction: Transaction,
    batch: Batch,
    lease: ProcessLease | None = None,
    *,
    skip_busy: bool = False,
) -> tuple[Sequence[Outcome], Decisions]:
    """Decides and writes the orders. Returns the outcome of each. Raises AllotmentsRemovedError.

    `lease` is None where no other process has the database. With `skip_busy`, an order whose
    account is locked by others is undecided (AccountBusyError).
    """
    books = tuple(name for name in batch.reserved if name.startswith(ACCOUNT_PREFIX))
    totals, busy = await _lock_accounts(transaction, books, skip_busy=skip_busy)
    # Read after the locks. Rows read before could change until the commit, and two processes would
    # spend the same credit.
    state = await _state(transaction, batch, lease)
    if lease is not None:
        # Rows are removed without the account's lock, but what they held is only spent under it.
        removed = frozenset(name for name, amount in batch.reserved.items() if amount and name not in state[_OWN])
        if removed:
            raise AllotmentsRemovedError(removed)
    decisions = Decisions(batch.known, _balances(batch, totals, state), state[_ENTERED], state[_BARRED])
    outcomes: list[Outcome] = []
    skipped: set[str] = set()
    for order in batch.orders:
        names = names_concerned(order, batch.known) if busy else ()
        if busy.isdisjoint(names):
            outcomes.append(decisions.decide(order))
        else:
            outcomes.append(AccountBusyError())
            skipped.update(names)
    await transaction.insert(_ENTER, decisions.entries)
    if lease is not None:
        own, reserved = state[_OWN], decisions.balances.reserved
        rows: list[Row] = [
            (name, lease.name, reserved.get(name, 0))
            for name in sorted(batch.reserved.keys() - skipped)
            if reserved.get(name, 0) != own.get(name, 0)
        ]
        await transaction.insert(_ALLOT, rows)
        await transaction.insert(_BAR, [(cause,) for cause in decisions.released])
        # A lease that ends before the next renewal is renewed together with what was set aside.
        # Otherwise another process could remove it first.
        if any(decisions.reservations.values()) and not _is_leased(lease, state[_LEFT_MS]):
            await transaction.execute(lease.keep())
    return outcomes, decisions


async def commit_charges(
    transaction: Transaction, batch: Batch, totals: dict[str, int]
) -> tuple[Sequence[Outcome], Decisions]:
    """Decides and writes settlements of the only process that has the database.

    `totals` has the balances of all names, as in `Balances`, and is changed.
    """
    (rows,) = await transaction.execute(Statement(_ENTERED_ALREADY, (tuple(order.cause for order in batch.orders),)))
    decisions = Decisions(batch.known, Balances(totals, dict(batch.reserved)), {text(row[0]) for row in rows})
    outcomes = [decisions.decide(order) for order in batch.orders]
    await transaction.insert(_ENTER, decisions.entries)
    return outcomes, decisions


async def post(transaction: Transaction, entry: Entry, also: Sequence[Statement]) -> bool:
    """Enters a posting and runs `also`. See `LedgerDatabase.post`."""
    # A repeated report of a payment has the same cause and enters nothing. If another node enters
    # it at this moment, the unique index makes this transaction wait, and then repeat.
    (there,) = await transaction.execute(Statement(_TRANSFER, (entry.cause,)))
    if not there:
        await transaction.insert(_ENTER, [entry])
    elif not entry.same_transfer(*there[0]):
        raise cause_taken(entry.cause)
    await transaction.execute(*also)
    return not there


async def _lock_accounts(
    transaction: Transaction, books: Names, *, skip_busy: bool
) -> tuple[dict[str, int], frozenset[str]]:
    """Returns the balances by book, and the skipped books. A book without a row has nothing."""
    if not books:
        return {}, frozenset()
    # SKIP LOCKED omits locked rows like missing ones, so all rows are read first without a lock.
    (there,) = await transaction.execute(Statement(_ACCOUNTS, (books,))) if skip_busy else ((),)
    lock = _LOCK_FREE_ACCOUNTS if skip_busy else _LOCK_ACCOUNTS
    (rows,) = await transaction.execute(Statement(lock, (books,)))
    locked = dict(cast("Sequence[tuple[str, int]]", rows))
    return locked, frozenset(text(row[0]) for row in there) - locked.keys()


async def _state(transaction: Transaction, batch: Batch, lease: ProcessLease | None) -> Mapping[str, Mapping[str, int]]:
    """Returns, by kind and name, what the orders are decided from beside the accounts' balances."""
    state: dict[str, dict[str, int]] = {kind: {} for kind in (_ENTERED, _SPENT, _OWN, _OTHERS, _BARRED, _LEFT_MS)}
    causes = tuple({order.cause: None for order in batch.orders})
    keys = tuple(name for name in batch.reserved if not name.startswith(ACCOUNT_PREFIX))
    statement = Statement(_STATE, (causes, keys))
    if lease is not None:
        names = tuple(batch.reserved)
        statement = Statement(_SHARED_STATE, (causes, keys, lease.name, names, causes, lease.name))
    (rows,) = await transaction.execute(statement)
    for kind, name, amount in cast("Sequence[tuple[str, str, int]]", rows):
        state[kind][name] = amount
    return state


def _balances(batch: Batch, totals: Mapping[str, int], state: Mapping[str, Mapping[str, int]]) -> Balances:
    """Returns what this process may count with: what others have set aside is as good as spent."""
    counted = {**dict.fromkeys(batch.reserved, 0), **totals, **state[_SPENT]}
    for name, amount in state[_OTHERS].items():
        counted[name] += -amount if name.startswith(ACCOUNT_PREFIX) else amount
    return Balances(counted, {name: amount for name, amount in batch.reserved.items() if amount})


def _is_leased(lease: ProcessLease, left_ms: Mapping[str, int]) -> bool:
    return left_ms.get(lease.name, 0) > 1000 * lease.renewal_interval_s
