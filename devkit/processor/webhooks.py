"""Signed events sent to the node at least once, in any order, repeated after failures.

Source: https://docs.stripe.com/webhooks and https://docs.stripe.com/webhooks/signature.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Final, Literal

import aiohttp

from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.objects import Event
from devkit.processor.store import Store
from node.runtime.http_client import plain_session

SUCCESS: Final = 2
"""The class of a status that ends a delivery, 2xx."""

Mode = Literal["send", "hold", "drop"]


def signature_header(payload: bytes, secret: str, at: int) -> str:
    """Returns the `Stripe-Signature` of a payload sent at unix second `at`."""
    signed = f"{at}.".encode() + payload
    return f"t={at},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A delivery attempt; `status` is None without a response."""

    event: str
    type: str
    status: int | None


class Webhooks:
    """Sends every event to `url` until the status is 2xx, or the attempts are used up.

    Tests and developers set `url`; `mode` ("hold" keeps events for `release`, "drop" loses them);
    `copies`, how often each event is sent. `attempts` lists what was sent.
    """

    def __init__(self, store: Store, clock: Callable[[], float], limits: LocalProcessorLimits) -> None:
        self._url: str | None = None
        # A node learns its address when it listens, and earlier events are sent then.
        self._early: deque[Event] = deque(maxlen=limits.remembered_attempts)
        self.secret = ""
        self.mode: Mode = "send"
        self.copies = 1
        self.attempts: deque[Attempt] = deque(maxlen=limits.remembered_attempts)
        self._store = store
        self._clock = clock
        self._limits = limits
        self._held: list[Event] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._hurry = asyncio.Event()
        self._progress = asyncio.Event()
        self._attempted = 0
        self._turns = asyncio.Semaphore(limits.webhook_connections)
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str | None:
        """Address that webhooks go to. Earlier events wait for it."""
        return self._url

    @url.setter
    def url(self, url: str | None) -> None:
        self._url = url
        if url is not None:
            early = list(self._early)
            self._early.clear()
            for event in early:
                self._send(event)

    def take(self, event: Event) -> None:
        """Send, hold or lose a new event, according to `mode`."""
        if self.mode == "drop":
            return
        # Even while it is held, so that a restart sends it like others that were not delivered.
        event.pending_webhooks = 1
        if self.mode == "hold":
            self._held.append(event)
        else:
            self._send(event)

    def resume(self) -> None:
        """Send again what was not delivered when the processor stopped."""
        for event in self._store.events.oldest_first():
            if event.pending_webhooks:
                self._send(event)

    async def release(self, *, newest_first: bool = False) -> None:
        """Send held events in order, one at a time. Failed ones are repeated in the background."""
        held, self._held = self._held, []
        # One at a time in exact order, since a node must handle a refund before its payment.
        for event in reversed(held) if newest_first else held:
            for _ in range(self.copies):
                if not await self._delivered(event):
                    self._start(self._retry(event))

    async def resend(self, event_id: str) -> int | None:
        """Send an event once more now; returns the status, if any. Raises ApiError 404."""
        return await self._attempt(self._store.events.get(event_id))

    def retry_now(self) -> None:
        """End every wait for a next attempt."""
        self._hurry.set()
        self._hurry = asyncio.Event()

    async def attempted(self, count: int) -> None:
        """Return after `count` attempts since the start, when the failed ones wait."""
        while self._attempted < count:
            await self._progress.wait()

    async def settled(self) -> None:
        """Return when every event that is not held is delivered or given up."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop sending. With a file, undelivered events are sent after the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    def _send(self, event: Event) -> None:
        if self._url is None:
            self._early.append(event)
            return
        for _ in range(self.copies):
            self._start(self._deliver(event))

    def _start(self, delivery: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(delivery)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, event: Event) -> None:
        if not await self._delivered(event):
            await self._retry(event)

    async def _retry(self, event: Event) -> None:
        for delay_s in self._limits.webhook_retry_delays_s:
            # The time-out is the usual end of the wait, `retry_now` the other.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), delay_s)
            if await self._delivered(event):
                return

    async def _delivered(self, event: Event) -> bool:
        status = await self._attempt(event)
        if status is None or status // 100 != SUCCESS:
            return False
        event.pending_webhooks = 0
        if self._store.events.find(event.id) is event:  # else it was removed meanwhile
            self._store.events.put(event)
            self._store.flush()
        return True

    async def _attempt(self, event: Event) -> int | None:
        # Signed at its turn, since receivers refuse a signature that is minutes old.
        async with self._turns:
            status = await self._post(json.dumps(event.shown(), indent=2).encode())
        self.attempts.append(Attempt(event.id, event.type, status))
        self._attempted += 1
        self._progress.set()
        self._progress = asyncio.Event()
        return status

    async def _post(self, payload: bytes) -> int | None:
        if self.url is None:
            return None
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=self._limits.webhook_timeout_s)
            self._session = plain_session(timeout=timeout)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Stripe-Signature": signature_header(payload, self.secret, int(self._clock())),
            "User-Agent": "Stripe/1.0 (local stand-in)",
        }
        try:
            # The real one takes a redirect as a failure too. A signed event goes to the registered
            # address alone.
            async with self._session.post(self.url, data=payload, headers=headers, allow_redirects=False) as answer:
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return None
