"""The readings that are kept: those of one key together, the key used longest ago first to go."""

from collections import OrderedDict
from typing import TypeVar, cast

from node.chain.authorisations.readings import About, Question, Reading

Answer = TypeVar("Answer")


class Shelves:
    """At most `max_readings` readings, and of one key `max_per_key`.

    A shelf is a short tuple, searched from its end: most keys run one action, and a dictionary each would be most of
    the memory.
    """

    def __init__(self, max_readings: int, max_per_key: int) -> None:
        self._max_readings = max_readings
        self._max_per_key = max_per_key
        self._shelves: OrderedDict[int, tuple[Reading[object], ...]] = OrderedDict()
        self.readings = 0

    @property
    def keys(self) -> int:
        """Keys of which something is kept."""
        return len(self._shelves)

    def find(self, question: Question[Answer]) -> Reading[Answer] | None:
        """The reading that answers this question, good or not."""
        for reading in self._shelves.get(question.key_hash, ()):
            if reading.about == question.about:
                self._shelves.move_to_end(question.key_hash)
                # What is about the same thing of the same key was read by the same kind of question.
                return cast("Reading[Answer]", reading)
        return None

    def keep(self, key_hash: int, reading: Reading[object]) -> None:
        """Keep a reading in place of the last one about the same thing.

        On a full shelf the oldest denial makes room, else the oldest grant, but for a denial none does.
        """
        shelf = self._without(key_hash, reading.about)
        if len(shelf) >= self._max_per_key:
            leaving = _to_leave(shelf, reading)
            if leaving is reading:
                return
            shelf = tuple(kept for kept in shelf if kept is not leaving)
        self._put(key_hash, (*shelf, reading))
        while self.readings > self._max_readings:
            _, gone = self._shelves.popitem(last=False)
            self.readings -= len(gone)

    def drop(self, key_hash: int, about: About) -> None:
        """Keep no reading about this."""
        self._put(key_hash, self._without(key_hash, about))

    def forget(self, key_hash: int) -> None:
        """Keep nothing of this key."""
        self._put(key_hash, ())

    def _without(self, key_hash: int, about: About) -> tuple[Reading[object], ...]:
        return tuple(kept for kept in self._shelves.get(key_hash, ()) if kept.about != about)

    def _put(self, key_hash: int, shelf: tuple[Reading[object], ...]) -> None:
        self.readings += len(shelf) - len(self._shelves.pop(key_hash, ()))
        if shelf:
            self._shelves[key_hash] = shelf


def _to_leave(shelf: tuple[Reading[object], ...], arriving: Reading[object]) -> Reading[object]:
    """The caller is asked for with every call, and so never leaves."""
    candidates = [kept for kept in (*shelf, arriving) if kept.about is not None]
    return next((kept for kept in candidates if not kept.granted), candidates[0])
