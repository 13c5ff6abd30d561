"""Deposits and their states in the ledger's database.

A deposit's row says `credited` if and only if the ledger has its entry, in one transaction.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import structlog

from node.billing.tokens.prices import Ignored, Quote, TokenPrice, TokenPrices
from node.chain.deposits.port import Deposit, ReadTo
from node.chain.port import Page, Slice
from node.database.port import Row, Statement, whole
from node.ledger.port import Posting, Postings, Source
from node.values import u256_hex

COMPONENT: Final = "token_payments"

# Append only, like all tables. `amount` is text, since 256 bits exceed BIGINT.
STEPS: Final = (
    """
    CREATE TABLE token_cursor (
        chain_id BIGINT NOT NULL,
        contract TEXT NOT NULL,
        block_number BIGINT NOT NULL,
        block_hash TEXT NOT NULL,
        PRIMARY KEY (chain_id, contract)
    )
    """,
    """
    CREATE TABLE token_deposit (
        chain_id BIGINT NOT NULL,
        tx TEXT NOT NULL,
        log_index BIGINT NOT NULL,
        contract TEXT NOT NULL,
        block_number BIGINT NOT NULL,
        block_hash TEXT NOT NULL,
        account TEXT NOT NULL,
        payer TEXT NOT NULL,
        token TEXT NOT NULL,
        amount TEXT NOT NULL,
        seen_at BIGINT NOT NULL,
        status TEXT NOT NULL,
        reason TEXT NOT NULL,
        symbol TEXT NOT NULL,
        decimals BIGINT NOT NULL,
        microdollars_per_token BIGINT NOT NULL,
        microdollars BIGINT NOT NULL,
        PRIMARY KEY (chain_id, tx, log_index)
    )
    """,
    "CREATE INDEX token_deposit_of_account ON token_deposit (account, chain_id, block_number, log_index)",
    "CREATE INDEX token_deposit_by_status ON token_deposit (chain_id, contract, status)",
)

_COLUMNS: Final = (
    *("chain_id", "tx", "log_index", "contract", "block_number", "block_hash", "account", "payer", "token", "amount"),
    *("seen_at", "status", "reason", "symbol", "decimals", "microdollars_per_token", "microdollars"),
)
_KEPT: Final = frozenset({"chain_id", "tx", "log_index", "seen_at"})
_CHANGED: Final = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in _KEPT)
_PUT: Final = (
    f"INSERT INTO token_deposit ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' for _ in _COLUMNS)})"  # noqa: S608 - names
    f" ON CONFLICT (chain_id, tx, log_index) DO UPDATE SET {_CHANGED}"
)
PUT_FINAL: Final = f"{_PUT} WHERE token_deposit.status <> 'credited'"
"""Takes values in the order of the columns. A credited row is not changed."""
PUT_PENDING: Final = f"{_PUT} WHERE token_deposit.status IN ('pending', 'dropped')"
"""Takes the same values. A final row is not changed."""
DROP: Final = (
    "UPDATE token_deposit SET status = 'dropped' WHERE chain_id = ? AND tx = ? AND log_index = ? AND status = 'pending'"
)
CREDITED_OF: Final = (
    "SELECT tx, log_index, block_hash FROM token_deposit WHERE chain_id = ? AND tx = ? AND status = 'credited'"
)
PENDING: Final = (
    "SELECT tx, log_index, block_number, block_hash FROM token_deposit"
    " WHERE chain_id = ? AND contract = ? AND status = 'pending'"
)
IGNORED_FOR: Final = (
    "SELECT tx, log_index, block_number, block_hash, account, payer, token, amount FROM token_deposit"
    " WHERE chain_id = ? AND contract = ? AND status = 'ignored' AND reason = ?"
)
PAYMENTS: Final = (
    "SELECT tx, log_index, block_number, payer, token, amount, seen_at, status, reason, symbol, decimals,"
    " microdollars_per_token, microdollars FROM token_deposit WHERE account = ? AND chain_id = ?"
    " ORDER BY block_number, log_index, tx LIMIT ? OFFSET ?"
)
COUNT: Final = "SELECT count(*) FROM token_deposit WHERE account = ? AND chain_id = ?"
READ_TO: Final = "SELECT block_number, block_hash FROM token_cursor WHERE chain_id = ? AND contract = ?"
MOVE_CURSOR: Final = (
    "INSERT INTO token_cursor (chain_id, contract, block_number, block_hash) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (chain_id, contract) DO UPDATE SET block_number = excluded.block_number,"
    " block_hash = excluded.block_hash WHERE token_cursor.block_number = ? AND token_cursor.block_hash = ?"
)
"""Takes the new place and the expected one. A cursor at another place is not moved."""


class Status(StrEnum):
    """State of a deposit."""

    PENDING = "pending"
    """In a block that is not final yet."""
    CREDITED = "credited"
    IGNORED = "ignored"
    """Final without credit, for a reason that its account can read."""
    DROPPED = "dropped"
    """Its block was reorganised away. It counts again if another block includes it."""


@dataclass(frozen=True, slots=True)
class TokenPayment:
    """Deposit as its account reads it. `amount` is in base units; `price` is None without one.

    `seen_at_ms` is unix milliseconds, from the node that saw it first.
    """

    transaction: str
    log_index: int
    block_number: int
    payer: str
    token: str
    amount: int
    seen_at_ms: int
    status: Status
    reason: Ignored | None
    price: TokenPrice | None
    microdollars: int

    @classmethod
    def of(cls, row: Row) -> "TokenPayment":
        """Returns the payment of a row of `PAYMENTS`."""
        transaction, index, number, payer, token, amount, seen_at, status, reason, symbol, decimals, per, worth = row
        price = TokenPrice(str(token), str(symbol), whole(decimals), whole(per)) if symbol else None
        return cls(
            transaction=str(transaction),
            log_index=whole(index),
            block_number=whole(number),
            payer=str(payer),
            token=str(token),
            amount=int(str(amount)),
            seen_at_ms=whole(seen_at),
            status=Status(str(status)),
            reason=Ignored(str(reason)) if reason else None,
            price=price,
            microdollars=whole(worth),
        )


def deposit_of(row: Row) -> Deposit:
    """Returns the deposit of a row of `IGNORED_FOR`."""
    transaction, log_index, number, block_hash, account, payer, token, amount = row
    return Deposit(
        transaction=str(transaction),
        log_index=whole(log_index),
        block_number=whole(number),
        block_hash=str(block_hash),
        account=int(str(account), 16),
        payer=str(payer),
        token=str(token),
        amount=int(str(amount)),
    )


class Credited:
    """Credited deposits, from rows of `CREDITED_OF`."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._places: set[tuple[str, int]] = set()
        self._blocks: dict[str, set[str]] = {}
        for transaction, log_index, block_hash in rows:
            self._places.add((str(transaction), whole(log_index)))
            self._blocks.setdefault(str(transaction), set()).add(str(block_hash))

    def has(self, deposit: Deposit) -> bool:
        """Returns whether this log was credited."""
        return (deposit.transaction, deposit.log_index) in self._places

    def has_elsewhere(self, deposit: Deposit) -> bool:
        """Returns whether its transaction was credited in another block, with other indices."""
        return bool(self._blocks.get(deposit.transaction, set()) - {deposit.block_hash})


_log = structlog.get_logger(__name__)

AT_ONCE: Final = 64
"""Deposits settled together, so that they share commits."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Deposit contract (0x hex) on a chain."""

    chain_id: int
    contract: str


class TokenBook:
    """DepositBook in the ledger's database, with current prices. `unix` returns unix seconds."""

    def __init__(self, database: Postings, watched: Watched, prices: TokenPrices, unix: Callable[[], float]) -> None:
        self._database = database
        self._chain_id = watched.chain_id
        self._contract = watched.contract.lower()
        self._prices = prices
        self._unix = unix

    async def open(self) -> None:
        """Updates the tables, and credits deposits that had no price before and have one now.

        Raises StartupRefusedError if a newer version wrote the tables, LedgerUnavailableError.
        """
        await self._database.migrate(COMPONENT, STEPS)
        # An operator who adds a price owes credit for earlier deposits.
        (rows,) = await self._database.read(
            Statement(IGNORED_FOR, (self._chain_id, self._contract, Ignored.NO_PRICE.value))
        )
        late = [each for each in map(deposit_of, rows) if each.token in self._prices.by_token]
        known = await self._known(late)
        for deposit in late:
            await self._settle_one(deposit, self._verdict(deposit, known))

    async def read_to(self) -> ReadTo | None:
        """See `DepositBook.read_to`."""
        (rows,) = await self._database.read(Statement(READ_TO, (self._chain_id, self._contract)))
        return ReadTo(whole(rows[0][0]), str(rows[0][1])) if rows else None

    async def settle(self, deposits: Sequence[Deposit], before: ReadTo | None, reached: ReadTo) -> None:
        """See `DepositBook.settle`."""
        known = await self._known(deposits)
        new = [each for each in deposits if not known.has(each)]
        verdicts = [self._verdict(each, known) for each in new]
        ignored = Counter(verdict.value for verdict in verdicts if isinstance(verdict, Ignored))
        if ignored:
            # One line for all, since any sender can make worthless deposits.
            _log.warning("deposits_ignored", up_to_block=reached.number, **ignored)
        for start in range(0, len(new), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            await asyncio.gather(*map(self._settle_one, new[part], verdicts[part]))
        # Last, so that after a crash these blocks are read again. Causes prevent double credit.
        await self._move_cursor(before, reached)

    async def move(self, before: ReadTo, back_to: ReadTo) -> None:
        """See `DepositBook.move`."""
        await self._move_cursor(before, back_to)

    async def pending(self, deposits: Sequence[Deposit], head_number: int) -> None:
        """See `DepositBook.pending`."""
        (rows,) = await self._database.read(Statement(PENDING, (self._chain_id, self._contract)))
        known = {(str(row[0]), whole(row[1])): (whole(row[2]), str(row[3])) for row in rows}
        # A row above this head is from a node that is ahead, so it has not vanished.
        there = {place for place, (number, _) in known.items() if number <= head_number}
        found = {(each.transaction, each.log_index): each for each in deposits}
        gone = sorted(there - found.keys())
        if gone:
            _log.warning("deposits_vanished", count=len(gone), first=gone[0][0], head=head_number)
        news = [each for place, each in found.items() if known.get(place) != (each.block_number, each.block_hash)]
        work = [self._row(each, Status.PENDING, PUT_PENDING) for each in news]
        work += [Statement(DROP, (self._chain_id, transaction, log_index)) for transaction, log_index in gone]
        if work:
            await self._database.execute(*work)

    async def payments(self, account: int, page: Page) -> Slice[TokenPayment]:
        """Returns a page of the account's deposits on this chain, oldest first."""
        of = (u256_hex(account), self._chain_id)
        rows, ((total,),) = await self._database.read(
            Statement(PAYMENTS, (*of, page.size, page.number * page.size)), Statement(COUNT, of)
        )
        return Slice([TokenPayment.of(row) for row in rows], whole(total))

    def _verdict(self, deposit: Deposit, known: Credited) -> Quote | Ignored:
        # A deep reorganisation may give a log another index, and so another cause.
        if known.has_elsewhere(deposit):
            return Ignored.COUNTED_BEFORE
        return self._prices.quote(deposit.token, deposit.amount)

    async def _settle_one(self, deposit: Deposit, verdict: Quote | Ignored) -> None:
        if isinstance(verdict, Ignored):
            await self._database.execute(self._row(deposit, Status.IGNORED, PUT_FINAL, verdict))
            return
        # Transaction and log index identify an event across reorganisations.
        cause = f"token:{self._chain_id}:{deposit.transaction}:{deposit.log_index}"
        posting = Posting(cause, deposit.account, Source.TOKEN, verdict.microdollars)
        try:
            await self._database.post(posting, self._row(deposit, Status.CREDITED, PUT_FINAL, verdict))
        except ValueError:
            # Another node with another price was first. The deposit is credited once.
            _log.warning("deposit_credited_at_another_price", transaction=deposit.transaction)

    async def _known(self, deposits: Sequence[Deposit]) -> Credited:
        """Returns the rows of these transactions that are credited already."""
        if not deposits:
            return Credited()
        transactions = sorted({each.transaction for each in deposits})
        found = await self._database.read(*(Statement(CREDITED_OF, (self._chain_id, each)) for each in transactions))
        return Credited(row for rows in found for row in rows)

    async def _move_cursor(self, before: ReadTo | None, reached: ReadTo) -> None:
        # Compare and swap, so that a node that lags does not move the cursor back.
        none = ReadTo(-1, "") if before is None else before
        here = (self._chain_id, self._contract)
        await self._database.execute(
            Statement(MOVE_CURSOR, (*here, reached.number, reached.hash, none.number, none.hash))
        )

    def _row(self, deposit: Deposit, status: Status, sql: str, quote: Quote | Ignored | None = None) -> Statement:
        price = quote.price if isinstance(quote, Quote) else self._prices.by_token.get(deposit.token)
        values = (
            *(self._chain_id, deposit.transaction, deposit.log_index, self._contract),
            *(deposit.block_number, deposit.block_hash, u256_hex(deposit.account), deposit.payer, deposit.token),
            *(str(deposit.amount), int(self._unix() * 1000), status.value),
            quote.value if isinstance(quote, Ignored) else "",
            *(("", 0, 0) if price is None else (price.symbol, price.decimals, price.microdollars_per_token)),
            quote.microdollars if isinstance(quote, Quote) else 0,
        )
        return Statement(sql, values)
