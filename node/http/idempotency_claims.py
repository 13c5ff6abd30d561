"""Idempotency keys this process is executing; each claim ends completed, released or taken over.

A claim keeps all other nodes from a request, so it must not outlive the work. It ends with the stored answer, or is
released; `maintain` releases claims of this process that no request works on; other nodes take over the claims of a
process whose heartbeat stopped.
"""

import asyncio
import contextlib
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from node.errors import DomainError
from node.http.answers import Logger
from node.http.idempotency_store import Finish, IdempotencyStore, Row
from node.runtime.tasks import TaskSet

HEARTBEATS_PER_LEASE: Final = 3
"""A lease survives two heartbeats that are lost."""
UNSTORED_MAX_BYTES: Final = 64 * 1024 * 1024
"""Answers kept in memory until a database that is out can take them."""


class FailureDetector:
    """Detects instances of nodes that are gone: no new heartbeat for `lease_s` while this process watched.

    Clocks of nodes need not agree: the time without a new heartbeat is measured by the observer's own clock. After a gap
    of more than `longest_gap_s` between two observations the measurement starts again, because what kept the observer
    from looking (a database outage, a suspended process) may have kept the others from their heartbeats.
    """

    def __init__(self, lease_s: float, longest_gap_s: float) -> None:
        self._lease_s = lease_s
        self._longest_gap_s = longest_gap_s
        self._since: dict[str, tuple[int, float]] = {}
        self._observed_at: float | None = None

    def observe(self, heartbeats: Mapping[str, int], now: float) -> Sequence[str]:
        """Returns the instances among these that are gone, at a monotonic time in seconds."""
        if self._observed_at is None or now - self._observed_at > self._longest_gap_s:
            # Nobody is declared gone on the strength of a time in which nobody was watched.
            self._since.clear()
        self._observed_at = now
        known = self._since
        self._since = {
            instance: known[instance] if instance in known and known[instance][0] == heartbeat else (heartbeat, now)
            for instance, heartbeat in heartbeats.items()
        }
        return [instance for instance, (_, since) in self._since.items() if now - since >= self._lease_s]


class Claims:
    """Claims of this process. `clock` is monotonic, in seconds.

    `lease_s` is how long another instance may be silent before its claims are taken over; None if the database is this
    process's alone. Answers that could not be stored yet take UNSTORED_MAX_BYTES of memory at most: beyond it the oldest
    of the owner that has most are dropped.
    """

    def __init__(
        self, store: IdempotencyStore, lease_s: float | None, logger: Logger, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._storing_s = math.inf if lease_s is None else lease_s / HEARTBEATS_PER_LEASE
        self._failures = None if lease_s is None else FailureDetector(lease_s, 2 * lease_s / HEARTBEATS_PER_LEASE)
        self._logger = logger
        self._clock = clock
        self._active: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._unstored: dict[bytes, tuple[str, Finish]] = {}
        self._releases = TaskSet("idempotency")

    @contextlib.contextmanager
    def working(self) -> Iterator[str]:
        """Yields the token of a new claim, which is valid inside the context and while an answer under it is not stored."""
        token = secrets.token_hex(16)
        # Registered before the claim reaches the database: `maintain` would otherwise release it.
        self._active.add(token)
        self._idle.clear()
        try:
            yield token
        finally:
            self._active.discard(token)
            if not self._active:
                self._idle.set()

    async def store(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Store the answer (see `IdempotencyStore.finish`).

        If that fails, or the caller is cancelled, `maintain` repeats it. Raises DatabaseUnavailableError.
        """
        # Before the await: a cancelled caller, or an outage, leaves the answer to `maintain`.
        self._unstored[row_id] = (token, finish)
        self._bound_unstored()
        row = await self._store.finish(row_id, token, finish)
        self._unstored.pop(row_id, None)
        return row

    async def store_earlier(self, row_id: bytes) -> None:
        """Store the answer of this id that could not be stored before, if any. Raises DatabaseUnavailableError."""
        if row_id in self._unstored:
            await self.store(row_id, *self._unstored[row_id])

    def give_up(self, row_id: bytes, token: str, *, has_not_begun: bool) -> None:
        """Release the claim in the background, whatever happens to the caller, unless an answer is to be stored."""
        if row_id not in self._unstored:
            self._releases.start(self._give_up(row_id, token, has_not_begun))

    async def maintain(self) -> None:
        """Send a heartbeat, store what could not be stored, release claims without work, take over those of the gone.

        Called HEARTBEATS_PER_LEASE times in a lease. Raises DatabaseUnavailableError.
        """
        if self._failures is None:
            await self._store_some()
            return
        # First: the lease must not end while many answers are stored.
        snapshot = await self._store.heartbeat()
        await self._store_some()
        # After the snapshot: a claim made in between would otherwise be in the snapshot and not among the kept ones.
        kept = self._active | {token for token, _ in self._unstored.values()}
        for row_id, token in snapshot.held:
            if token not in kept:
                await self._store.release(row_id, token)
        for instance in self._failures.observe(snapshot.heartbeats, self._clock()):
            self._logger.info("idempotency_claims_taken_over")
            # The heartbeat is compared again in the statement: an instance that came back keeps its claims.
            await self._store.take_from(instance, snapshot.heartbeats[instance])

    async def close(self, wait_s: float) -> None:
        """Store what could not be stored, and release every claim, as far as the database allows.

        Waits so long for the work under way, some of which has no connection any more that others would wait for.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._idle.wait()
        # Before the end of the instance: a release after it would find no claim of its own.
        await self._releases.drain()
        with contextlib.suppress(DomainError):
            for row_id in list(self._unstored):
                await self.store_earlier(row_id)
            await self._store.end()

    async def _store_some(self) -> None:
        """Store pending answers for a third of a lease at most, so that the next heartbeat is in time."""
        until = self._clock() + self._storing_s
        for row_id in list(self._unstored):
            if self._clock() >= until:
                return
            await self.store_earlier(row_id)

    async def _give_up(self, row_id: bytes, token: str, has_not_begun: bool) -> None:
        with contextlib.suppress(DomainError):  # `maintain` releases it later
            await self._store.release(row_id, token, has_not_begun=has_not_begun)

    def _bound_unstored(self) -> None:
        held: Counter[str] = Counter()
        for _, finish in self._unstored.values():
            held[finish.owner] += len(finish.sealed)
        while held.total() > UNSTORED_MAX_BYTES and len(self._unstored) > 1:
            # One owner with large answers cannot push out those of others.
            owner = max(held, key=lambda each: held[each])
            row_id, size = next((row, len(f.sealed)) for row, (_, f) in self._unstored.items() if f.owner == owner)
            del self._unstored[row_id]
            held[owner] -= size
            self._logger.error("idempotency_answer_lost")
