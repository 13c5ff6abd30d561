"""The blocks a follower stood at, newest last, of which a reorganisation leaves the older ones; pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A block up to which an endpoint's logs were read: `hash` is 0x and 64 lower-case hex digits."""

    number: int
    hash: str


class Trail:
    """At most `most` positions of rising number, each a descendant of those before it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._positions: list[Position] = []

    @property
    def cursor(self) -> Position | None:
        """Where the follower stands."""
        return self._positions[-1] if self._positions else None

    def move_to(self, position: Position) -> None:
        """Stand at a later block; at the same one or an earlier one nothing changes."""
        if self._positions and position.number <= self._positions[-1].number:
            return
        self._positions.append(position)
        del self._positions[: -self._most]

    def begin_at(self, position: Position) -> None:
        """Stand there, and forget the rest."""
        self._positions = [position]

    def back_to(self, position: Position) -> None:
        """Stand at one of the positions again; those after it are no more."""
        del self._positions[self._positions.index(position) + 1 :]

    def below(self, number: int) -> Sequence[Position]:
        """The positions at or below `number`, the newest first."""
        return [each for each in reversed(self._positions) if each.number <= number]


def newest_common(positions: Sequence[Position], hash_at: Callable[[int], str | None]) -> Position | None:
    """The first of `positions` (newest first) whose block is still there; None when none is."""
    return next((each for each in positions if hash_at(each.number) == each.hash), None)
