"""A deposit as it is kept and told; pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from node.billing.tokens.prices import Ignored, TokenPrice
from node.chain.deposits.port import Deposit
from node.database.port import Row


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

    @classmethod
    def of(cls, row: Row) -> "TokenPayment":
        """From a row of `statements.PAYMENTS`."""
        transaction, index, number, payer, token, amount, seen_at, status, reason, symbol, decimals, per, worth = row
        price = TokenPrice(str(token), str(symbol), integer(decimals), integer(per)) if symbol else None
        return cls(
            transaction=str(transaction),
            log_index=integer(index),
            block_number=integer(number),
            payer=str(payer),
            token=str(token),
            amount=int(str(amount)),
            seen_at_ms=integer(seen_at),
            status=Status(str(status)),
            reason=Ignored(str(reason)) if reason else None,
            price=price,
            microdollars=integer(worth),
        )


def deposit_of(row: Row) -> Deposit:
    """From a row of `statements.IGNORED_FOR`."""
    transaction, log_index, number, block_hash, account, payer, token, amount = row
    return Deposit(
        transaction=str(transaction),
        log_index=integer(log_index),
        block_number=integer(number),
        block_hash=str(block_hash),
        account=int(str(account), 16),
        payer=str(payer),
        token=str(token),
        amount=int(str(amount)),
    )


class Credited:
    """Which deposits are credited already, by rows of `statements.CREDITED_OF`."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._places: set[tuple[str, int]] = set()
        self._blocks: dict[str, set[str]] = {}
        for transaction, log_index, block_hash in rows:
            self._places.add((str(transaction), integer(log_index)))
            self._blocks.setdefault(str(transaction), set()).add(str(block_hash))

    def has(self, deposit: Deposit) -> bool:
        """Whether this very log was credited."""
        return (deposit.transaction, deposit.log_index) in self._places

    def has_elsewhere(self, deposit: Deposit) -> bool:
        """Whether its transaction was, in another block: there its logs may have had other places."""
        return bool(self._blocks.get(deposit.transaction, set()) - {deposit.block_hash})


def integer(value: object) -> int:
    """A number from the database. Raises TypeError for anything else."""
    if not isinstance(value, int):
        raise TypeError("the database gave no number where one was kept")
    return value
