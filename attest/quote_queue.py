"""Queue for quotes. The platform makes one at a time, and any client may request one."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from attest.errors import AttestError, AttestErrorCode
from attest.responses import Quote
from attest.settings import GuestAgentSettings

_FIRST_GUESS_S: Final = 1.0
"""Assumed duration of a quote before the first is made, for the Retry-After."""
_WEIGHT_OF_LAST: Final = 0.25
TURN_TIMEOUT_S: Final = 20.0
"""Longest wait of a client in the queue, below the timeout of common proxies."""


class QuotingPlatform(Protocol):
    """Port of the platform that makes quotes; `attest.guest_agent.GuestAgent` implements it."""

    async def get_quote(self, report_data: bytes) -> Quote:
        """Returns a quote over these 64 bytes. Raises AttestError."""
        ...


class QuoteQueue:
    """Requests one quote at a time. `monotonic` is a clock in seconds.

    A quote that was begun is awaited even if its caller is gone, since the platform finishes it and
    clients that hang up must not start more. Quotes for the node precede those for clients.
    """

    def __init__(self, platform: QuotingPlatform, settings: GuestAgentSettings, monotonic: Callable[[], float]) -> None:
        self._platform = platform
        self._settings = settings
        self._monotonic = monotonic
        self._node_waiters: deque[asyncio.Future[None]] = deque()
        self._client_waiters: deque[asyncio.Future[None]] = deque()
        self._making: asyncio.Task[Quote] | None = None
        self._taken = False
        self._usual_s = _FIRST_GUESS_S

    @property
    def waiting(self) -> int:
        """Number of callers behind the quote that is being made."""
        return len(self._node_waiters) + len(self._client_waiters)

    async def quote(self, report_data: bytes) -> Quote:
        """Returns a quote for a client. Raises AttestError (BUSY: with a time to retry)."""
        if self._taken:
            if len(self._client_waiters) >= self._settings.quote_places:
                raise self._busy(f"{len(self._client_waiters)} callers wait already")
            try:
                async with asyncio.timeout(TURN_TIMEOUT_S):
                    await self._wait_in(self._client_waiters)
            except TimeoutError:
                raise self._busy(f"no turn within {TURN_TIMEOUT_S:g} s") from None
        return await self._make_now(report_data)

    async def own_quote(self, report_data: bytes) -> Quote:
        """Returns the next quote, for the node itself. Raises AttestError, but never BUSY."""
        if self._taken:
            await self._wait_in(self._node_waiters)
        return await self._make_now(report_data)

    async def close(self) -> None:
        """Cancel the quote that is being made."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)

    def _busy(self, why: str) -> AttestError:
        # The usual duration times the places, since clients that return together would collide.
        wait_s = max(1, math.ceil(self._usual_s * (len(self._client_waiters) + 1)))
        return AttestError(AttestErrorCode.BUSY, f"GetQuote: {why}.", retry_after_s=wait_s)

    async def _make_now(self, report_data: bytes) -> Quote:
        # Set before the task starts, without an await between a free queue and the claim on it.
        self._taken = True
        making = self._making = asyncio.create_task(self._make(report_data))
        making.add_done_callback(self._made)
        # A caller that hangs up ends its wait and not the quote, which the platform finishes.
        return await asyncio.shield(making)

    async def _wait_in(self, queue: deque[asyncio.Future[None]]) -> None:
        """Wait for the turn. A caller that is cancelled after it got the turn wakes the next."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            # This caller has the turn and must pass it on, or the queue would stop.
            if waiter.done() and not waiter.cancelled():
                self._wake_next()
            else:
                queue.remove(waiter)
            raise

    async def _make(self, report_data: bytes) -> Quote:
        started = self._monotonic()
        quote = await self._platform.get_quote(report_data)
        self._usual_s += _WEIGHT_OF_LAST * (self._monotonic() - started - self._usual_s)
        return quote

    def _made(self, making: asyncio.Task[Quote]) -> None:
        if not making.cancelled():
            making.exception()  # Retrieved here: its caller may be gone.
        self._making = None
        self._wake_next()

    def _wake_next(self) -> None:
        """Wake the longest waiter, the node's first. `_taken` stays set, so none can pass them."""
        # The node's quotes are few, and without evidence it serves no new certificate.
        for queue in (self._node_waiters, self._client_waiters):
            while queue:
                waiter = queue.popleft()
                if not waiter.done():
                    waiter.set_result(None)
                    return
        self._taken = False
