"""The blocks that reads relied on, each held against the endpoint's chain until it is confirmed there or gone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from node.chain.listener.questions import Sight
from node.chain.port import Head
from node.chain.quorum.relied import Relied, ReliedHeads


@dataclass(frozen=True, slots=True)
class Verdict:
    """`fork`: what was read after this block is void, None when nothing is; `waiting`: to be held against it again."""

    fork: int | None
    waiting: Sequence[Head]


class ReliedCheck:
    """Between two polls a read may rely on a block that is gone before the second: no earlier position shows that."""

    def __init__(self, source: ReliedHeads, most: int) -> None:
        self._source = source
        self._most = most
        self._mark = 0
        self._waiting: Sequence[Head] = ()

    def gather(self) -> Relied:
        """All that this endpoint has not confirmed yet; not `complete` either when that is more than is looked at."""
        relied = self._source.since(self._mark)
        heads = tuple({head.hash: head for head in (*self._waiting, *relied.heads)}.values())
        return replace(relied, heads=heads[-self._most :], complete=relied.complete and len(heads) <= self._most)

    def judge(self, unconfirmed: Relied, sight: Sight, cursor: int, lowest: int) -> Verdict:
        """What is gone; `lowest` is the fork when some were not remembered.

        A block beyond the cursor waits though it is there: until the cursor has passed it, its going shows in nothing else.
        """
        shown = {head.hash: sight.hash_at(head.number) for head in unconfirmed.heads}
        gone = [head for head in unconfirmed.heads if shown[head.hash] not in {None, head.hash}]
        there = [head for head in unconfirmed.heads if shown[head.hash] == head.hash and head.number <= cursor]
        waiting = [head for head in unconfirmed.heads if head not in gone and head not in there]
        forks = [max(0, head.number - 1) for head in gone]
        if unconfirmed.complete:
            return Verdict(min(forks, default=None), waiting)
        # What waits is void with the rest; kept, it would be too much in every poll from now on.
        return Verdict(min(*forks, lowest) if forks else lowest, ())

    def settle(self, unconfirmed: Relied, verdict: Verdict) -> None:
        """The verdict was told: only what waits, and what is relied on from now, is looked at again."""
        self._mark = unconfirmed.mark
        self._waiting = verdict.waiting
