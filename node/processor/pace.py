"""How fast and how much at once the processor is asked, so that it never has to say "too many requests"."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from node.processor.limits import ProcessorLimits

_SECONDS: Final = re.compile(r"[0-9]{1,6}")


class Pace:
    """Turns, evenly apart, of which a few overlap. `clock` is monotonic seconds."""

    def __init__(
        self,
        limits: ProcessorLimits,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._places = asyncio.Semaphore(limits.concurrent_max)
        self._next_at = float("-inf")
        self._rests_until = float("-inf")

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a place and a time; hold the place inside."""
        async with self._places:
            at = max(self._next_at, self._clock())
            self._next_at = at + 1 / self._limits.requests_per_second
            while (wait_s := max(at, self._rests_until) - self._clock()) > 0:
                await self._sleep(wait_s)
            yield

    def rest(self, asked_s: str | None) -> None:
        """Ask nothing for a while, after a 429; `asked_s` is its `Retry-After`."""
        wait_s = float(asked_s) if asked_s and _SECONDS.fullmatch(asked_s) else self._limits.too_many_rest_s
        until = self._clock() + min(wait_s, self._limits.too_many_rest_max_s)
        self._rests_until = max(self._rests_until, until)
