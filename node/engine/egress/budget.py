"""Memory for what is being received: a count that is taken from and given back to."""

from typing import Self

from node.engine.egress.refusal import FetchRefusedError


class ByteBudget:
    """At most `bytes_max` at a time, and of `shared` what that has left."""

    def __init__(self, bytes_max: int, shared: Self | None = None) -> None:
        self._free = bytes_max
        self._shared = shared

    def take(self, count: int) -> None:
        """Raises FetchRefusedError when there is not so much left; then nothing is taken."""
        if count > self._free:
            raise FetchRefusedError("too many bodies are being received at once; fetch them one after the other")
        if self._shared is not None:
            self._shared.take(count)
        self._free -= count

    def give_back(self, count: int) -> None:
        """Undo what `take` took, or part of it."""
        self._free += count
        if self._shared is not None:
            self._shared.give_back(count)
