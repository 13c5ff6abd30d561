"""Deposits, and the port of the book that stores them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Deposit:
    """`CreditDeposited` event. Hashes are 0x and 64 lower-case digits, addresses lower-case 0x hex.

    `account` is the master hash, `amount` in units of `token`; `log_index` counts in the block.
    """

    transaction: str
    log_index: int
    block_number: int
    block_hash: str
    account: int
    payer: str
    token: str
    amount: int


@dataclass(frozen=True, slots=True)
class ReadTo:
    """Last block whose deposits are settled. An empty hash means that its hash is unknown."""

    number: int
    hash: str


class DepositBook(Protocol):
    """Stores deposits and the last settled block. Each method raises LedgerUnavailableError.

    Every call is idempotent, also if another node that watches the same contract repeats it.
    """

    async def read_to(self) -> ReadTo | None:
        """Return the last settled block; None before the first."""
        ...

    async def settle(self, deposits: Sequence[Deposit], before: ReadTo | None, reached: ReadTo) -> None:
        """Settles final deposits up to `reached`: credits each, or ignores it for a stored reason.

        When the last settled block is no longer `before`, another node has moved it, and it stays.
        """
        ...

    async def move(self, before: ReadTo, back_to: ReadTo) -> None:
        """Go back, for a reorganisation; unless the last settled block is no longer `before`."""
        ...

    async def pending(self, deposits: Sequence[Deposit], head_number: int) -> None:
        """Stores all deposits not final yet, as of this head: adds new ones, drops those gone."""
        ...
