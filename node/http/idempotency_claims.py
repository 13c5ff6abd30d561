"""What one life of a node works on under an Idempotency-Key: no claim outlives its work, and no answer is lost on the way.

A claim keeps all other nodes from a request. It therefore ends with the work in every case: by the answer, by being given
up, by a look every few seconds at what this life holds without working on it, and, when this node is gone, by the others.
"""

import asyncio
import contextlib
import math
import secrets
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import Final

from node.http.envelope import Logger
from node.http.errors import DomainError
from node.http.idempotency_lives import Silences
from node.http.idempotency_store import Finish, IdempotencyStore, Row

BEATS_PER_LEASE: Final = 3


class Claims:
    """The claims of this life. `clock` is monotonic, in seconds.

    `lease_s` is how long another life may be silent before its claims are taken from it; None where no other can have
    one, because the database is this process's alone. Answers that could not be stored yet take `unstored_max_bytes`
    of memory at most: beyond it the oldest of the owner that has most are given up.
    """

    def __init__(
        self,
        store: IdempotencyStore,
        lease_s: float | None,
        unstored_max_bytes: int,
        logger: Logger,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._storing_s = math.inf if lease_s is None else lease_s / BEATS_PER_LEASE
        self._silences = None if lease_s is None else Silences(lease_s, 2 * lease_s / BEATS_PER_LEASE)
        self._unstored_max_bytes = unstored_max_bytes
        self._logger = logger
        self._clock = clock
        self._active: set[str] = set()
        self._unstored: dict[bytes, tuple[str, Finish]] = {}
        self._begun: set[asyncio.Task[None]] = set()

    @contextlib.contextmanager
    def working(self) -> Iterator[str]:
        """The token of a new claim, which stands as long as the context lasts, or an answer under it is not stored."""
        token = secrets.token_hex(16)
        self._active.add(token)
        try:
            yield token
        finally:
            self._active.discard(token)

    async def store(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """`IdempotencyStore.finish`; when it cannot be done now, or the caller is cancelled, `tend` goes on with it.

        Raises NodeError `billing_unavailable`.
        """
        self._unstored[row_id] = (token, finish)
        self._bound_unstored()
        row = await self._store.finish(row_id, token, finish)
        self._unstored.pop(row_id, None)
        return row

    async def store_earlier(self, row_id: bytes) -> None:
        """Store the answer of this id that could not be stored before, if any. Raises NodeError `billing_unavailable`."""
        if row_id in self._unstored:
            await self.store(row_id, *self._unstored[row_id])

    def give_up(self, row_id: bytes, token: str) -> None:
        """Give the claim up soon, whatever happens to the caller; nothing while there is an answer to be stored."""
        if row_id not in self._unstored:
            self._begin(self._give_up(row_id, token))

    async def tend(self) -> None:
        """Say that this life lasts, store what could not be stored, end what nobody works on.

        To be called three times in a lease. Raises NodeError `billing_unavailable`.
        """
        if self._silences is None:
            await self._store_some()
            return
        standing = await self._store.beat()
        await self._store_some()
        kept = self._active | {token for token, _ in self._unstored.values()}
        for row_id, token in standing.held:
            if token not in kept:
                await self._store.release(row_id, token)
        for life in self._silences.observe(standing.beats, self._clock()):
            self._logger.info("idempotency_claims_taken_over")
            await self._store.take_from(life, standing.beats[life])

    async def close(self) -> None:
        """Store what could not be stored, and give up every claim, as far as the database lets it."""
        if self._begun:
            await asyncio.wait(self._begun)
        with contextlib.suppress(DomainError):
            for row_id in list(self._unstored):
                await self.store_earlier(row_id)
            await self._store.end()

    async def _store_some(self) -> None:
        """For a third of a lease at most: however many there are, the next beat does not wait for them."""
        until = self._clock() + self._storing_s
        for row_id in list(self._unstored):
            if self._clock() >= until:
                return
            await self.store_earlier(row_id)

    async def _give_up(self, row_id: bytes, token: str) -> None:
        with contextlib.suppress(DomainError):  # `tend` finds it among what nobody works on
            await self._store.release(row_id, token)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    def _bound_unstored(self) -> None:
        held: Counter[str] = Counter()
        for _, finish in self._unstored.values():
            held[finish.owner] += len(finish.sealed)
        while held.total() > self._unstored_max_bytes and len(self._unstored) > 1:
            owner = max(held, key=lambda each: held[each])
            row_id, size = next((row, len(f.sealed)) for row, (_, f) in self._unstored.items() if f.owner == owner)
            del self._unstored[row_id]
            held[owner] -= size
            self._logger.error("idempotency_answer_lost")
