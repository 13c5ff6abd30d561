"""What several endpoints' answers come to, pure: fewer liars than a quorum never move it past what an honest one said."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

from node.chain.rpc import RpcUnavailableError

Value = TypeVar("Value", bound=Hashable)


class DisagreementError(RpcUnavailableError):
    """The endpoints that answer do not agree: there is no answer just now."""

    def __init__(self) -> None:
        super().__init__("of the quorum", "the endpoints contradict each other")


def at_least(numbers: Sequence[int], quorum: int) -> int:
    """The highest number that a quorum reaches. `numbers` holds at least a quorum of them."""
    return sorted(numbers, reverse=True)[quorum - 1]


def at_most(numbers: Sequence[int], quorum: int) -> int:
    """The lowest number that a quorum does not exceed. `numbers` holds at least a quorum of them."""
    return sorted(numbers)[quorum - 1]


def is_agreed(values: Sequence[Hashable], quorum: int) -> bool:
    """Whether a quorum says the same."""
    return any(count >= quorum for count in Counter(values).values())


def agreed(values: Sequence[Value], quorum: int) -> Value:
    """What a quorum says. Raises DisagreementError."""
    for value, count in Counter(values).items():
        if count >= quorum:
            return value
    raise DisagreementError
