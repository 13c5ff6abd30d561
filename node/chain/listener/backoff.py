"""Pauses that double from failure to failure, up to a cap; pure."""


class Backoff:
    """The first pause is `least` seconds, none is longer than `most`."""

    def __init__(self, least: float, most: float) -> None:
        self._least = least
        self._most = most
        self._next = least

    def failed(self) -> float:
        """Seconds to wait before the next try."""
        pause = self._next
        self._next = min(self._most, pause * 2)
        return pause

    def succeeded(self) -> None:
        """Begin with the shortest pause again."""
        self._next = self._least
