"""How fast the outbox is sent."""

from collections.abc import Awaitable, Callable


class Pace:
    """Lets so many a second pass, evenly. `monotonic` is in seconds."""

    def __init__(
        self, per_second: float, monotonic: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._gap_s = 1 / per_second
        self._monotonic = monotonic
        self._sleep = sleep
        self._next_s = monotonic()

    async def wait(self) -> None:
        """Until it is one's turn."""
        now = self._monotonic()
        turn_s = max(self._next_s, now)
        self._next_s = turn_s + self._gap_s
        if turn_s > now:
            await self._sleep(turn_s - now)
