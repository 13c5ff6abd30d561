"""The blocks that reads relied on, and the check of each endpoint's chain for whether they are still there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from node.chain.port import Head


@dataclass(frozen=True, slots=True)
class ObservedSince:
    """The blocks relied on after a mark: the `heads`, oldest use first, and the `mark` to ask from the next time.

    Not `complete` when some have been forgotten: then anything may have been relied on.
    """

    mark: int
    heads: tuple[Head, ...]
    complete: bool


class ObservedBlocks:
    """Remembers up to `kept` heads; a mark counts the uses there have been, from 0."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._mark = 0
        self._forgotten = 0
        self._marks: dict[Head, int] = {}

    def note(self, head: Head) -> None:
        """Note that a read relied on this head now."""
        self._mark += 1
        self._marks.pop(head, None)
        self._marks[head] = self._mark
        if len(self._marks) > self._kept:
            oldest = next(iter(self._marks))
            self._forgotten = self._marks.pop(oldest)

    def since(self, mark: int) -> ObservedSince:
        """The heads relied on after `mark` (0: ever), each head once, by its last use."""
        found: list[Head] = []
        for head, used in reversed(self._marks.items()):
            if used <= mark:
                break
            found.append(head)
        return ObservedSince(self._mark, tuple(reversed(found)), complete=self._forgotten <= mark)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Blocks that are gone: what was read after `fork` is void, nothing where it is None; `waiting` is checked again."""

    fork: int | None
    waiting: Sequence[Head]


class ObservedBlockCheck:
    """Compares the blocks relied on with one endpoint's chain until each is confirmed there or gone.

    Between two polls a read may rely on a block that is gone before the second: no earlier checkpoint shows that.
    """

    def __init__(self, source: ObservedBlocks, most: int) -> None:
        self._source = source
        self._most = most
        self._mark = 0
        self._waiting: Sequence[Head] = ()

    def gather(self) -> ObservedSince:
        """The blocks this endpoint has not confirmed yet; not `complete` either when that is more than is looked at."""
        relied = self._source.since(self._mark)
        heads = tuple({head.hash: head for head in (*self._waiting, *relied.heads)}.values())
        return replace(relied, heads=heads[-self._most :], complete=relied.complete and len(heads) <= self._most)

    def judge(
        self, unconfirmed: ObservedSince, hash_at: Callable[[int], str | None], cursor: int, lowest: int
    ) -> CheckResult:
        """Find the blocks that are gone from the chain of an endpoint, whose block of a number has the hash `hash_at`.

        `lowest` is the fork when some blocks were not remembered. A block beyond the cursor waits though it is there: until the cursor has passed it, its going shows in nothing else.
        """
        shown = {head.hash: hash_at(head.number) for head in unconfirmed.heads}
        gone = [head for head in unconfirmed.heads if shown[head.hash] not in {None, head.hash}]
        there = [head for head in unconfirmed.heads if shown[head.hash] == head.hash and head.number <= cursor]
        waiting = [head for head in unconfirmed.heads if head not in gone and head not in there]
        forks = [max(0, head.number - 1) for head in gone]
        if unconfirmed.complete:
            return CheckResult(min(forks, default=None), waiting)
        # What waits is void with the rest; kept, it would be too much in every poll from now on.
        return CheckResult(min(*forks, lowest) if forks else lowest, ())

    def settle(self, unconfirmed: ObservedSince, result: CheckResult) -> None:
        """Note that the result was acted on: only what waits, and what is relied on from now, is looked at again."""
        self._mark = unconfirmed.mark
        self._waiting = result.waiting
