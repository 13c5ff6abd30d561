"""When do endpoints agree? Pure: from who said what to the block that counts and the answers that hold.

With a quorum of more than the liars there are, an answer that a quorum gives is one that an honest endpoint gives. So
nothing here trusts an endpoint that stands alone: neither for an answer, nor for a block, nor for how high the chain is.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from node.chain.port import Head
from node.chain.quorum.answers import NOT_COMPUTED, Answer

Voter = TypeVar("Voter", bound=Hashable)


def height_of(heads: Sequence[Head], quorum: int) -> int | None:
    """The quorum-th highest of the heads: so many endpoints have reached it. None of fewer heads than a quorum."""
    if len(heads) < quorum:
        return None
    return sorted((head.number for head in heads), reverse=True)[quorum - 1]


def candidate_heads(
    fresh: Mapping[Voter, Head], known: Mapping[Voter, Head], quorum: int, floor: int, agreed: Head | None
) -> tuple[Head, ...]:
    """The blocks to seek agreement at, the best first; empty while a quorum has not reached `floor`.

    `fresh` is what endpoints report now, `known` what those without a fresh report said last; `agreed` is the last head
    agreed on. The quorum-th highest head comes first. One endpoint may have lifted it to where no quorum can confirm
    it; so the lower ones reported now follow. What was only known before is not followed downwards: that way a single
    endpoint could lead back to a block of the past.
    """
    heads = [*fresh.values(), *(head for voter, head in known.items() if voter not in fresh)]
    height = height_of(heads, quorum)
    if height is None:
        return ()
    now, ever = Counter(fresh.values()), Counter(heads)
    eligible = {head for head in heads if head.number == height} | {head for head in now if head.number < height}
    ranked = sorted(
        (head for head in ever if head in eligible and head.number >= floor),
        key=lambda head: (head.number, now[head], head == agreed, ever[head]),
        reverse=True,
    )
    return tuple(ranked)


def may_rise(asked: Sequence[Head], unasked: int, quorum: int, height: int | None) -> bool:
    """Whether `unasked` more endpoints could, at best, lift the height above `height`, given the heads of the others."""
    if unasked == 0:
        return False
    at_best = height_of(asked, quorum - unasked) if unasked < quorum else None
    return height is None or at_best is None or at_best > height


def missing_votes(votes: Mapping[Voter, Sequence[Answer]], calls: int, quorum: int) -> int:
    """How many more of the same voice it takes at least until `calls` answers are agreed on; 0 when they are."""
    support = [max(Counter(column).values(), default=0) for column in _columns(votes, calls)]
    return max(0, quorum - min(support, default=len(votes)))


def agreed_answers(votes: Mapping[Voter, Sequence[Answer]], calls: int, quorum: int) -> tuple[Answer, ...] | None:
    """The answer to each call that a quorum gives; None when there is one to which no quorum gives the same.

    Where only some of a quorum could compute a call and those gave the same answer, it is NotComputed.
    """
    if len(votes) < quorum:
        return None
    found: list[Answer] = []
    for column in _columns(votes, calls):
        counted = Counter(column)
        answer, support = counted.most_common(1)[0]
        if support < quorum:
            best = max((count for each, count in counted.items() if each != NOT_COMPUTED), default=0)
            if not counted[NOT_COMPUTED] or best + counted[NOT_COMPUTED] < quorum:
                return None
            answer = NOT_COMPUTED
        found.append(answer)
    return tuple(found)


def contradicting(votes: Mapping[Voter, Sequence[Answer]], agreed: Sequence[Answer]) -> set[Voter]:
    """Who gave another answer than the agreed one to some call; not being able to compute one contradicts nothing."""
    return {
        voter
        for voter, answers in votes.items()
        if any(NOT_COMPUTED not in {given, true} and given != true for given, true in zip(answers, agreed, strict=True))
    }


def divided(votes: Mapping[Voter, Sequence[Answer]], calls: int) -> bool:
    """Whether two voters contradict one another about some call."""
    return any(len(set(column) - {NOT_COMPUTED}) > 1 for column in _columns(votes, calls))


def _columns(votes: Mapping[Voter, Sequence[Answer]], calls: int) -> list[list[Answer]]:
    return [[answers[index] for answers in votes.values()] for index in range(calls)]
