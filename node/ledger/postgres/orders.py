"""What may be asked of reservations, and what is known of one."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from node.ledger.port import Spender, Usage


class State(StrEnum):
    """Of a reservation that is known; one that was settled is an entry instead."""

    HELD = "held"
    EXPIRED = "expired"
    """Given back because its node was not heard of. Its cause may still be settled, from what is there then."""
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Reservation:
    """Credit set aside, by the node that holds this lease."""

    spender: Spender
    amount_microdollars: int
    state: State
    holder: str


@dataclass(eq=False, slots=True)
class Reserve:
    """`created` tells whether this very order made the reservation, in an attempt that may have been committed."""

    cause: str
    spender: Spender
    amount_microdollars: int
    created: bool = False


@dataclass(eq=False, slots=True)
class Extend:
    """`target` is what the reservation comes to, fixed by the first attempt: a repeated one adds nothing."""

    cause: str
    amount_microdollars: int
    target_microdollars: int | None = None


@dataclass(eq=False, slots=True)
class Settle:
    """`at_s` is unix time. `taken` is what this very order took, in an attempt that may have been committed."""

    cause: str
    amount_microdollars: int
    usage: Usage
    at_s: float
    taken_microdollars: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """Give it back; its cause is never reserved again."""

    cause: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Give back what `reserve` made, as if it had never been asked: whoever asked did not hear that it was done."""

    reserve: Reserve

    @property
    def cause(self) -> str:
        """The cause that was reserved."""
        return self.reserve.cause


Order: TypeAlias = Reserve | Extend | Settle | Release | Forget
