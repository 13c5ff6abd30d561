"""What the cache keeps of one look at the chain."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

Answer_co = TypeVar("Answer_co", covariant=True)

About: TypeAlias = int | tuple[int, str | int] | None
"""What is asked of a key: None who it is, an action whether it may run it, action and wallet whether it may use it."""


class Kind(StrEnum):
    """The kinds of questions, as metrics name them."""

    CALLER = "caller"
    EXECUTION = "execution"
    WALLET = "wallet"


@dataclass(frozen=True, slots=True)
class Reading(Generic[Answer_co]):
    """An answer of the chain, and all that its validity depends on.

    `known` is False when the chain knows no such key, and `granted` when the answer refuses anything. `account` is the
    master hash whose changes void it. `began_at` is when the reading began, in seconds of the cache's own time:
    whatever was told before that is in the answer, or was told of a later block.
    """

    about: About
    answer: Answer_co
    account: int
    known: bool
    granted: bool
    expiration: int
    block_number: int
    began_at: float


@dataclass(frozen=True, slots=True)
class Question(Generic[Answer_co]):
    """What is asked of one key; `read` makes a reading, given when it began."""

    kind: Kind
    key_hash: int
    about: About
    read: Callable[[float], Awaitable[Reading[Answer_co]]]
