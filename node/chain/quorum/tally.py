"""Counts votes: from the answers of voters to the answer of a quorum. Pure.

A quorum is more than the liars there are. So an answer that a quorum gives is one that an honest voter gives, a number that
a quorum reaches is one that an honest voter reaches, and nothing rests on a single voter.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, cast

from node.chain.rpc import RpcUnavailableError

Voter = TypeVar("Voter", bound=Hashable)
Answer = TypeVar("Answer", bound=Hashable)
Number = TypeVar("Number", int, float)

NO_ABSTENTION: Final = object()
"""Equal to no answer."""


def quorum_size(wanted: int, endpoints: int) -> int:
    """Return the quorum among so many endpoints: `wanted`, or for 0 the majority (1 of 1, both of two, 2 of 3, 3 of 4).

    Raises ValueError when more are wanted than there are.
    """
    if not 0 <= wanted <= endpoints:
        raise ValueError(f"a quorum of {wanted} cannot be had of {endpoints} endpoints")
    return wanted or endpoints // 2 + 1


class DisagreementError(RpcUnavailableError):
    """The endpoints that answer do not agree: there is no answer just now."""

    def __init__(self) -> None:
        super().__init__("of the quorum", "the endpoints contradict each other")


@dataclass(frozen=True, slots=True)
class Tally(Generic[Voter, Answer]):
    """Votes on a question of so many `parts`, each counted separately; `votes` may still grow.

    A voter that answers `abstention` to a part contradicts nobody there. Without parts the voters are counted.
    """

    votes: Mapping[Voter, Sequence[Answer]]
    quorum: int
    parts: int = 1
    abstention: Hashable = NO_ABSTENTION

    @property
    def missing(self) -> int:
        """Least number of further votes needed; 0 when a quorum agrees on each part."""
        return max(0, self.quorum - min(map(_support, self._columns()), default=len(self.votes)))

    @property
    def agreed(self) -> tuple[Answer, ...] | None:
        """Answer of a quorum to each part; None when there is a part without one.

        Where the voters that do not abstain are fewer than a quorum and give one answer, the part is the abstention.
        """
        if len(self.votes) < self.quorum:
            return None
        found: list[Answer] = []
        for column in self._columns():
            counted = Counter(column)
            answer, support = counted.most_common(1)[0]
            if support < self.quorum:
                abstained = counted.pop(cast("Answer", self.abstention), 0)
                if not abstained or max(counted.values(), default=0) + abstained < self.quorum:
                    return None
                answer = cast("Answer", self.abstention)
            found.append(answer)
        return tuple(found)

    @property
    def is_divided(self) -> bool:
        """Whether two voters contradict each other about some part."""
        return any(len(set(column) - {self.abstention}) > 1 for column in self._columns())

    def contradicting(self, agreed: Sequence[Answer]) -> set[Voter]:
        """Return the voters that give another answer than the agreed one to some part."""
        return {
            voter
            for voter, answers in self.votes.items()
            if any(
                # An abstention contradicts nobody, on either side.
                given != true and self.abstention not in {given, true}
                for given, true in zip(answers, agreed, strict=True)
            )
        }

    def _columns(self) -> list[list[Answer]]:
        return [[answers[part] for answers in self.votes.values()] for part in range(self.parts)]


def is_agreed(answers: Iterable[Hashable], quorum: int) -> bool:
    """Return whether a quorum gives the same answer."""
    return _support(answers) >= quorum


def agreed(answers: Sequence[Answer], quorum: int) -> Answer:
    """Return the answer of a quorum. Raises DisagreementError."""
    for answer, count in Counter(answers).items():
        if count >= quorum:
            return answer
    raise DisagreementError


def at_least(numbers: Sequence[Number], quorum: int) -> Number:
    """Return the highest number that a quorum reaches. `numbers` holds at least a quorum of them."""
    # A quorum of voters gives this number or more, so at least one honest one does.
    return sorted(numbers, reverse=True)[quorum - 1]


def at_most(numbers: Sequence[Number], quorum: int) -> Number:
    """Return the lowest number that a quorum does not exceed. `numbers` holds at least a quorum of them."""
    return sorted(numbers)[quorum - 1]


def _support(answers: Iterable[Hashable]) -> int:
    """Return the count of the most frequent answer."""
    return max(Counter(answers).values(), default=0)
