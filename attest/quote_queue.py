"""One quote at a time: the platform makes them one by one, and anybody may ask for them (attestation.md section 5)."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from attest.answers import Quote
from attest.errors import AttestError, AttestErrorCode

_FIRST_GUESS_S: Final = 1.0
"""What a quote is taken to cost before the first was made."""
_WEIGHT_OF_LAST: Final = 0.25


@dataclass(frozen=True, slots=True)
class QuoteLimits:
    """How many may wait for a quote of their own."""

    places: int = 16
    """Waiting behind the quote that is being made; whoever comes then is sent away with a time to come back."""
    turn_timeout_s: float = 20.0
    """Longest a client waits for its turn; then it is sent away likewise."""


class QuotingPlatform(Protocol):
    """Who makes quotes; `attest.guest_agent.GuestAgent` is one."""

    async def get_quote(self, report_data: bytes) -> Quote:
        """A quote over these 64 bytes. Raises AttestError."""
        ...


class QuoteQueue:
    """Lets one quote be made at a time. `clock` is monotonic seconds.

    A quote that was begun is waited for also when its caller is gone: the platform goes on with it, and clients that
    hang up must not get more of them under way. What the node asks for itself passes everybody else.
    """

    def __init__(self, platform: QuotingPlatform, limits: QuoteLimits, clock: Callable[[], float]) -> None:
        self._platform = platform
        self._limits = limits
        self._clock = clock
        self._ours: deque[asyncio.Future[None]] = deque()
        self._theirs: deque[asyncio.Future[None]] = deque()
        self._making: asyncio.Task[Quote] | None = None
        self._taken = False
        self._usual_s = _FIRST_GUESS_S

    @property
    def waiting(self) -> int:
        """Callers behind the quote that is being made."""
        return len(self._ours) + len(self._theirs)

    async def quote(self, report_data: bytes) -> Quote:
        """A quote for a client. Raises AttestError: BUSY, with a time to come back, when too many wait, or too long."""
        if self._taken:
            if len(self._theirs) >= self._limits.places:
                raise self._busy(f"{len(self._theirs)} callers wait already")
            try:
                async with asyncio.timeout(self._limits.turn_timeout_s):
                    await self._turn(self._theirs)
            except TimeoutError:
                raise self._busy(f"no turn within {self._limits.turn_timeout_s:g} s") from None
        return await self._make_now(report_data)

    async def own_quote(self, report_data: bytes) -> Quote:
        """A quote the node itself needs: next in turn, never sent away. Raises AttestError."""
        if self._taken:
            await self._turn(self._ours)
        return await self._make_now(report_data)

    async def close(self) -> None:
        """End the quote that is being made."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)

    def _busy(self, why: str) -> AttestError:
        wait_s = max(1, math.ceil(self._usual_s * (len(self._theirs) + 1)))
        return AttestError(AttestErrorCode.BUSY, f"GetQuote: {why}.", retry_after_s=wait_s)

    async def _make_now(self, report_data: bytes) -> Quote:
        self._taken = True
        making = self._making = asyncio.create_task(self._make(report_data))
        making.add_done_callback(self._made)
        return await asyncio.shield(making)

    async def _turn(self, lane: deque[asyncio.Future[None]]) -> None:
        """Wait until the turn is handed over; a caller that goes away hands it on."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._hand_on()
            else:
                lane.remove(place)
            raise

    async def _make(self, report_data: bytes) -> Quote:
        started = self._clock()
        quote = await self._platform.get_quote(report_data)
        self._usual_s += _WEIGHT_OF_LAST * (self._clock() - started - self._usual_s)
        return quote

    def _made(self, making: asyncio.Task[Quote]) -> None:
        if not making.cancelled():
            making.exception()  # seen here: its caller may be gone
        self._making = None
        self._hand_on()

    def _hand_on(self) -> None:
        """To the one who waits longest, ours first; the turn stays taken meanwhile, so that nobody slips in."""
        for lane in (self._ours, self._theirs):
            while lane:
                place = lane.popleft()
                if not place.done():
                    place.set_result(None)
                    return
        self._taken = False
