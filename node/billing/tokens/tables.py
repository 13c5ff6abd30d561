"""Tables of token payments in the ledger's database: schema, statements for both databases, and typed rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from node.billing.tokens.prices import Ignored, TokenPrice
from node.chain.deposits.port import Deposit
from node.database.port import Row

COMPONENT: Final = "token_payments"

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
"""Values in the order of the columns; a row that is credited stays as it is."""
PUT_PENDING: Final = f"{_PUT} WHERE token_deposit.status IN ('pending', 'dropped')"
"""Likewise; a row that is final stays as it is."""
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
"""Values: the new place, and the place it is moved from; from another place it is not moved."""


class Status(StrEnum):
    """State of a deposit."""

    PENDING = "pending"
    """Seen in a block that is not final yet."""
    CREDITED = "credited"
    IGNORED = "ignored"
    """Final, and credits nothing, for a reason that its account can read."""
    DROPPED = "dropped"
    """Its block was reorganised away; it counts again if it comes back in another."""


@dataclass(frozen=True, slots=True)
class TokenPayment:
    """Deposit as its account reads it. `amount` in base units; `price` is None where there is none, or not yet.

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
        """Return a row of `PAYMENTS`."""
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
    """Return the deposit of a row of `IGNORED_FOR`."""
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
    """Deposits that are credited already, from rows of `CREDITED_OF`."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._places: set[tuple[str, int]] = set()
        self._blocks: dict[str, set[str]] = {}
        for transaction, log_index, block_hash in rows:
            self._places.add((str(transaction), integer(log_index)))
            self._blocks.setdefault(str(transaction), set()).add(str(block_hash))

    def has(self, deposit: Deposit) -> bool:
        """Return whether this very log was credited."""
        return (deposit.transaction, deposit.log_index) in self._places

    def has_elsewhere(self, deposit: Deposit) -> bool:
        """Return whether its transaction was credited in another block, where its logs may have had other indices."""
        return bool(self._blocks.get(deposit.transaction, set()) - {deposit.block_hash})


def integer(value: object) -> int:
    """Return a number from the database. Raises TypeError for anything else."""
    if not isinstance(value, int):
        raise TypeError("the database gave no number where one was kept")
    return value
