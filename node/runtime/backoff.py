"""Growing pauses between attempts that fail."""

import secrets
from typing import Final

_RANDOM_STEPS: Final = 1000


class Backoff:
    """Doubles the pause after each failure, from `min_s` up to `max_s` seconds.

    With `jitter`, a random share of at most that fraction is taken off each pause, so that nodes which failed
    together do not try again together.
    """

    def __init__(self, min_s: float, max_s: float, *, jitter: float = 0.0) -> None:
        self._min_s = min_s
        self._max_s = max_s
        self._jitter = jitter
        self._next_s = min_s

    def failed(self) -> float:
        """Return the seconds to wait before the next attempt, and double the pause after it."""
        pause_s = self._next_s
        self._next_s = min(self._max_s, pause_s * 2)
        return pause_s * (1 - self._jitter * secrets.randbelow(_RANDOM_STEPS + 1) / _RANDOM_STEPS)

    def succeeded(self) -> None:
        """Begin with the shortest pause again."""
        self._next_s = self._min_s
