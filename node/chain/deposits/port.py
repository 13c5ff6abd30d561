"""What the watcher of token payments tells, and whom. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Deposit:
    """One `CreditDeposited` event. Hashes are 0x and 64 lower-case hex digits, addresses lower-case 0x hex.

    `account` is the master hash, `amount` in base units of `token`; `log_index` counts within the block.
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
    """The last block whose deposits are settled. An empty hash: which block of that number it was is not known."""

    number: int
    hash: str


class DepositBook(Protocol):
    """Keeps deposits and where the watcher stands. Each method raises NodeError `billing_unavailable`.

    Every call may be repeated, also by another node that watches the same contract: it then changes nothing.
    """

    async def read_to(self) -> ReadTo | None:
        """Where the watcher stands; None before it has begun."""
        ...

    async def settle(self, deposits: Sequence[Deposit], before: ReadTo | None, reached: ReadTo) -> None:
        """These are final: each is credited, or ignored for a reason that is kept; then the watcher stands at `reached`.

        Unless it no longer stood at `before`: then another node has moved it, and it stays there.
        """
        ...

    async def move(self, before: ReadTo, back_to: ReadTo) -> None:
        """The watcher goes back, for a reorganisation; unless it no longer stood at `before`."""
        ...

    async def pending(self, deposits: Sequence[Deposit], head_number: int) -> None:
        """These are all that are not final yet, as of this head: those not told before are noted, those gone are dropped."""
        ...
