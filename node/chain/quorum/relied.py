"""The heads that reads relied on, for followers to check that they are canonical still."""

from dataclasses import dataclass

from node.chain.port import Head


@dataclass(frozen=True, slots=True)
class Relied:
    """What was relied on after a mark: the `heads`, oldest use first, and the `mark` to ask from the next time.

    Not `complete` when some have been forgotten: then anything may have been relied on.
    """

    mark: int
    heads: tuple[Head, ...]
    complete: bool


class ReliedHeads:
    """Remembers up to `kept` heads; a mark counts the uses there have been, from 0."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._mark = 0
        self._forgotten = 0
        self._marks: dict[Head, int] = {}

    def note(self, head: Head) -> None:
        """A read relied on this head now."""
        self._mark += 1
        self._marks.pop(head, None)
        self._marks[head] = self._mark
        if len(self._marks) > self._kept:
            oldest = next(iter(self._marks))
            self._forgotten = self._marks.pop(oldest)

    def since(self, mark: int) -> Relied:
        """What was relied on after `mark` (0: ever), each head once, by its last use."""
        found: list[Head] = []
        for head, used in reversed(self._marks.items()):
            if used <= mark:
                break
            found.append(head)
        return Relied(self._mark, tuple(reversed(found)), complete=self._forgotten <= mark)
