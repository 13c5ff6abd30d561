"""The deposits that were seen, and what became of each, in the ledger's database; crediting goes with its entry.

The row of a deposit says `credited` if and only if the ledger has its entry: both are written in one transaction.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import structlog

from node.billing.tokens.prices import Ignored, Quote, TokenPrice, TokenPrices
from node.billing.tokens.schema import COMPONENT, STEPS
from node.chain.deposits.port import Deposit, ReadTo
from node.chain.port import Page, Slice
from node.ledger.books import Books, Posting, Row, Source, Statement
from node.values import u256_hex

_log = structlog.get_logger(__name__)

AT_ONCE: Final = 64
"""Deposits settled together, so that they share commits."""

COLUMNS: Final = (
    "chain_id, tx, log_index, contract, block_number, block_hash, account, payer, token, amount, seen_at,"
    " status, reason, symbol, decimals, microdollars_per_token, microdollars"
)
CHANGED: Final = (
    "block_number = excluded.block_number, block_hash = excluded.block_hash, status = excluded.status,"
    " reason = excluded.reason, symbol = excluded.symbol, decimals = excluded.decimals,"
    " microdollars_per_token = excluded.microdollars_per_token, microdollars = excluded.microdollars"
)
NOT_CREDITED: Final = "token_deposit.status <> 'credited'"
NOT_FINAL: Final = "token_deposit.status IN ('pending', 'dropped')"
SHOWN: Final = (
    "tx, log_index, block_number, payer, token, amount, seen_at, status, reason, symbol, decimals,"
    " microdollars_per_token, microdollars"
)


class Status(StrEnum):
    """What became of a deposit."""

    PENDING = "pending"
    """Seen in a block that is not final yet."""
    CREDITED = "credited"
    IGNORED = "ignored"
    """Final, and credits nothing, for a reason that is told."""
    DROPPED = "dropped"
    """Its block is gone; it counts again if it comes back in another."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Which deposit contract (0x hex) on which chain."""

    chain_id: int
    contract: str


@dataclass(frozen=True, slots=True)
class TokenPayment:
    """A deposit as its account reads it. `amount` in base units; `price` is None where there is none, or not yet.

    `seen_at_ms` is unix milliseconds of the node that saw it first.
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


class TokenBook:
    """A DepositBook over the ledger's database, with the prices in force. `clock` is unix seconds."""

    def __init__(self, books: Books, watched: Watched, prices: TokenPrices, clock: Callable[[], float]) -> None:
        self._books = books
        self._chain_id = watched.chain_id
        self._contract = watched.contract.lower()
        self._prices = prices
        self._clock = clock

    async def open(self) -> None:
        """Make the tables where there are none, and credit what was ignored for want of a price that is there now.

        Raises StartupRefusedError when a newer version wrote the tables, NodeError `billing_unavailable`.
        """
        await self._books.migrate(COMPONENT, STEPS)
        for deposit in await self._without_price():
            await self._settle_one(deposit, self._verdict(deposit, _Known({})))

    async def read_to(self) -> ReadTo | None:
        """As DepositBook says."""
        select = "SELECT block_number, block_hash FROM token_cursor WHERE chain_id = ? AND contract = ?"
        (rows,) = await self._books.read(Statement(select, (self._chain_id, self._contract)))
        return ReadTo(_int(rows[0][0]), str(rows[0][1])) if rows else None

    async def settle(self, deposits: Sequence[Deposit], before: ReadTo | None, reached: ReadTo) -> None:
        """As DepositBook says."""
        known = await self._known(deposits) if deposits else _Known({})
        new = [each for each in deposits if not known.credited(each)]
        verdicts = [self._verdict(each, known) for each in new]
        ignored = Counter(verdict.value for verdict in verdicts if isinstance(verdict, Ignored))
        if ignored:
            # One line for them all: anybody can send deposits that are worth nothing.
            _log.warning("deposits_ignored", up_to_block=reached.number, **ignored)
        for start in range(0, len(new), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            await asyncio.gather(*map(self._settle_one, new[part], verdicts[part]))
        await self._stand_at(before, reached)

    async def move(self, before: ReadTo, back_to: ReadTo) -> None:
        """As DepositBook says."""
        await self._stand_at(before, back_to)

    async def pending(self, deposits: Sequence[Deposit], head_number: int) -> None:
        """As DepositBook says."""
        known = await self._pending_rows()
        there = {place for place, (number, _) in known.items() if number <= head_number}
        found = {(each.transaction, each.log_index): each for each in deposits}
        gone = sorted(there - found.keys())
        if gone:
            _log.warning("deposits_vanished", count=len(gone), first=gone[0][0], head=head_number)
        news = [each for place, each in found.items() if known.get(place) != (each.block_number, each.block_hash)]
        work = [self._row(each, Status.PENDING, NOT_FINAL) for each in news]
        work += [self._dropped(transaction, log_index) for transaction, log_index in gone]
        if work:
            await self._books.execute(*work)

    async def payments(self, account: int, page: Page) -> Slice[TokenPayment]:
        """A page of the account's deposits on this chain, the oldest first."""
        of = (u256_hex(account), self._chain_id)
        where = "FROM token_deposit WHERE account = ? AND chain_id = ?"
        order = "ORDER BY block_number, log_index, tx LIMIT ? OFFSET ?"
        # Not interpolated: nothing but this module's own constants.
        rows, ((total,),) = await self._books.read(
            Statement(f"SELECT {SHOWN} {where} {order}", (*of, page.size, page.number * page.size)),
            Statement(f"SELECT count(*) {where}", of),
        )
        return Slice([_payment(row) for row in rows], _int(total))

    def _verdict(self, deposit: Deposit, known: "_Known") -> Quote | Ignored:
        if known.counted_elsewhere(deposit):
            return Ignored.COUNTED_BEFORE
        return self._prices.quote(deposit.token, deposit.amount)

    async def _settle_one(self, deposit: Deposit, verdict: Quote | Ignored) -> None:
        if isinstance(verdict, Ignored):
            await self._books.execute(self._row(deposit, Status.IGNORED, NOT_CREDITED, verdict))
            return
        posting = Posting(self._cause(deposit), deposit.account, Source.TOKEN, verdict.microdollars)
        try:
            await self._books.post(posting, self._row(deposit, Status.CREDITED, NOT_CREDITED, verdict))
        except ValueError:
            # Another node, with another price, was first: it has been credited, once.
            _log.warning("deposit_credited_at_another_price", transaction=deposit.transaction)

    def _cause(self, deposit: Deposit) -> str:
        return f"token:{self._chain_id}:{deposit.transaction}:{deposit.log_index}"

    async def _pending_rows(self) -> dict[tuple[str, int], tuple[int, str]]:
        """(transaction, log index) to block number and hash."""
        select = (
            "SELECT tx, log_index, block_number, block_hash FROM token_deposit"
            " WHERE chain_id = ? AND contract = ? AND status = 'pending'"
        )
        (rows,) = await self._books.read(Statement(select, (self._chain_id, self._contract)))
        return {(str(row[0]), _int(row[1])): (_int(row[2]), str(row[3])) for row in rows}

    async def _known(self, deposits: Sequence[Deposit]) -> "_Known":
        """The rows of these transactions that are credited already."""
        select = (
            "SELECT tx, log_index, block_hash FROM token_deposit WHERE chain_id = ? AND tx = ? AND status = 'credited'"
        )
        transactions = sorted({each.transaction for each in deposits})
        found = await self._books.read(*(Statement(select, (self._chain_id, each)) for each in transactions))
        return _Known({(str(row[0]), _int(row[1])): str(row[2]) for rows in found for row in rows})

    async def _without_price(self) -> Sequence[Deposit]:
        """What was ignored for want of a price, of tokens that have one now."""
        select = (
            "SELECT tx, log_index, block_number, block_hash, account, payer, token, amount FROM token_deposit"
            " WHERE chain_id = ? AND contract = ? AND status = 'ignored' AND reason = ?"
        )
        (rows,) = await self._books.read(Statement(select, (self._chain_id, self._contract, Ignored.NO_PRICE.value)))
        return [each for each in map(_deposit, rows) if each.token in self._prices.by_token]

    async def _stand_at(self, before: ReadTo | None, reached: ReadTo) -> None:
        none = ReadTo(-1, "") if before is None else before
        sql = (
            "INSERT INTO token_cursor (chain_id, contract, block_number, block_hash) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (chain_id, contract) DO UPDATE SET block_number = excluded.block_number,"
            " block_hash = excluded.block_hash WHERE token_cursor.block_number = ? AND token_cursor.block_hash = ?"
        )
        here = (self._chain_id, self._contract)
        await self._books.execute(Statement(sql, (*here, reached.number, reached.hash, none.number, none.hash)))

    def _dropped(self, transaction: str, log_index: int) -> Statement:
        sql = (
            "UPDATE token_deposit SET status = 'dropped'"
            " WHERE chain_id = ? AND tx = ? AND log_index = ? AND status = 'pending'"
        )
        return Statement(sql, (self._chain_id, transaction, log_index))

    def _row(self, deposit: Deposit, status: Status, unless: str, quote: Quote | Ignored | None = None) -> Statement:
        price = quote.price if isinstance(quote, Quote) else self._prices.by_token.get(deposit.token)
        values = (
            *(self._chain_id, deposit.transaction, deposit.log_index, self._contract),
            *(deposit.block_number, deposit.block_hash, u256_hex(deposit.account), deposit.payer, deposit.token),
            *(str(deposit.amount), int(self._clock() * 1000), status.value),
            quote.value if isinstance(quote, Ignored) else "",
            *(("", 0, 0) if price is None else (price.symbol, price.decimals, price.microdollars_per_token)),
            quote.microdollars if isinstance(quote, Quote) else 0,
        )
        places = ", ".join("?" for _ in values)
        sql = (
            f"INSERT INTO token_deposit ({COLUMNS}) VALUES ({places})"  # noqa: S608 - constants
            f" ON CONFLICT (chain_id, tx, log_index) DO UPDATE SET {CHANGED} WHERE {unless}"
        )
        return Statement(sql, values)


@dataclass(frozen=True, slots=True)
class _Known:
    """Credited already: (transaction, log index) to the block's hash."""

    blocks: dict[tuple[str, int], str]

    def credited(self, deposit: Deposit) -> bool:
        """Whether this very log was."""
        return (deposit.transaction, deposit.log_index) in self.blocks

    def counted_elsewhere(self, deposit: Deposit) -> bool:
        """Whether its transaction was, in another block: there its logs may have had other places."""
        return any(
            transaction == deposit.transaction and block != deposit.block_hash
            for (transaction, _), block in self.blocks.items()
        )


def _deposit(row: Row) -> Deposit:
    transaction, log_index, number, block_hash, account, payer, token, amount = row
    return Deposit(
        transaction=str(transaction),
        log_index=_int(log_index),
        block_number=_int(number),
        block_hash=str(block_hash),
        account=int(str(account), 16),
        payer=str(payer),
        token=str(token),
        amount=int(str(amount)),
    )


def _payment(row: Row) -> TokenPayment:
    transaction, log_index, number, payer, token, amount, seen_at, status, reason, symbol, decimals, per, worth = row
    price = TokenPrice(str(token), str(symbol), _int(decimals), _int(per)) if symbol else None
    return TokenPayment(
        transaction=str(transaction),
        log_index=_int(log_index),
        block_number=_int(number),
        payer=str(payer),
        token=str(token),
        amount=int(str(amount)),
        seen_at_ms=_int(seen_at),
        status=Status(str(status)),
        reason=Ignored(str(reason)) if reason else None,
        price=price,
        microdollars=_int(worth),
    )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("the database gave no number where one was kept")
    return value
