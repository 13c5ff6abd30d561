"""Whether the guest agent answers, and when it last did: remembered, so that nobody has to ask it to be told."""

from collections.abc import Callable


class AgentContact:
    """Told by whoever asks the guest agent how it went. `clock` is monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._answered_at: float | None = None
        self.reachable: bool | None = None
        """Whether it answered when it was last asked; None before that."""

    def answered(self) -> None:
        """It did."""
        self.reachable, self._answered_at = True, self._clock()

    def silent(self) -> None:
        """It did not, or not in time."""
        self.reachable = False

    def age_s(self) -> float | None:
        """How long ago its last answer came; None before the first."""
        return None if self._answered_at is None else self._clock() - self._answered_at
