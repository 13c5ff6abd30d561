"""Journal append queue of one payer: nonces are counted, signed and stored one batch after the other.

The database takes plain statements, so bytes are signed before the transaction that counts their nonce. It counts only
where the payer's next nonce is the very one they were signed under, and stores nothing otherwise. So there is no nonce
without bytes, and there are no bytes without a nonce. This holds also when another process has written in between, and
for either result of a commit whose response was lost.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from node.chain.errors import JournalConflictError
from node.chain.writes.journal_rows import attempt_insertion, insertion, integer, row_of
from node.chain.writes.lease import PayerLease
from node.chain.writes.model import Attempt, Draft, JournaledWrite
from node.database.port import Database, Statement
from node.errors import DomainError

SignAt = Callable[[int], Attempt]
"""Signs under the nonce it is given, without waiting for anything."""

OnUnsent = Callable[[JournaledWrite], None]

BATCH_MAX: Final = 32
"""Writes in one commit: enough to share a flush, few enough to be signed within one step of the event loop."""

_COUNT_FROM: Final = """
UPDATE write_payer SET next_nonce = ?
WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ? AND next_nonce = ? RETURNING next_nonce
"""
_COUNT: Final = """
UPDATE write_payer SET next_nonce = next_nonce + 1
WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ? AND next_nonce = ? AND EXISTS (
    SELECT 1 FROM chain_write w WHERE w.chain_id = write_payer.chain_id AND w.instance = write_payer.instance
    AND w.payer = write_payer.payer AND w.nonce = ? AND w.first_hash = ?
)
"""
_STORED_FROM: Final = """
SELECT first_hash FROM chain_write WHERE chain_id = ? AND instance = ? AND payer = ? AND nonce >= ?
"""
_TWIN: Final = """
SELECT 1 FROM chain_write WHERE chain_id = ? AND (write_id = ? OR (idempotency_id = ? AND state <> 'failed'))
"""
_STATEMENTS_EACH: Final = 3


class DuplicateWriteError(Exception):
    """The request's idempotency id, or the write id, is journaled already."""


@dataclass(frozen=True, slots=True, eq=False)
class _QueuedWrite:
    """Write that waits for its commit. `sealed` is its answer."""

    draft: Draft
    sign: SignAt
    sealed: bytes | None
    stored: "asyncio.Future[JournaledWrite]"

    def end(self, outcome: JournaledWrite | Exception) -> None:
        """Give the caller the result, if it still waits."""
        if self.stored.done():
            return
        if isinstance(outcome, Exception):
            self.stored.set_exception(outcome)
        else:
            self.stored.set_result(outcome)


class AppendQueue:
    """Journals new writes of a payer under `lease`. `next_nonce` as the journal has it; None: to be read first.

    `on_unsent` receives a write that is in the journal though its caller was answered that it could not be stored. The
    call comes before any write under a later nonce is stored. No provider has the bytes.
    """

    def __init__(
        self, books: Database, lease: PayerLease, payer: str, on_unsent: OnUnsent, next_nonce: int | None = None
    ) -> None:
        self._books = books
        self._lease = lease
        self._payer = payer
        self._on_unsent = on_unsent
        self._next = next_nonce
        self._waiting: deque[_QueuedWrite] = deque()
        self._working: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._unknown: Sequence[JournaledWrite] = ()

    async def append(self, draft: Draft, sign: SignAt, sealed: bytes | None) -> JournaledWrite:
        """Store the draft under the payer's next nonce. Drafts that come at the same time share a transaction.

        Raises DuplicateWriteError, DomainError when it could not be stored, and what `sign` raises.
        """
        waiting = _QueuedWrite(draft, sign, sealed, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        # One worker for each payer: two would sign under the same nonce.
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await waiting.stored

    def is_unknown(self, write_id: str) -> bool:
        """Whether the result of the commit of this write is still unknown."""
        return any(row.intent is not None and row.intent.write_id == write_id for row in self._unknown)

    async def resolve_unknown_commits(self) -> None:
        """Find the result of a commit whose response was lost. Raises DomainError while that is not possible."""
        if self._unknown:
            async with self._lock:
                await self._resolve()

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_MAX))]
                await self._store(batch)
        finally:
            # No await between the last check of the queue and this line: an append cannot be missed.
            self._working = None

    async def _store(self, batch: Sequence[_QueuedWrite]) -> None:
        try:
            async with self._lock:
                # Unknown after a lost commit or a lost race: the journal is read before anything is signed.
                if self._next is None:
                    await self._resolve()
                await self._store_signed(self._signed(batch))
        except Exception as error:  # noqa: BLE001 - raised to each caller
            for each in batch:
                each.end(error)

    def _signed(self, batch: Sequence[_QueuedWrite]) -> Sequence[tuple[_QueuedWrite, JournaledWrite]]:
        """Sign each under a nonce of its own, in order. A draft that cannot be signed takes none."""
        # The chain counts more than the journal where other instances sign with this key (the admin payer).
        nonce = max(self._next or 0, *(each.draft.nonce_min for each in batch))
        signed = []
        for each in batch:
            try:
                attempt = each.sign(nonce)
            except Exception as error:  # noqa: BLE001 - raised to the caller
                each.end(error)
            else:
                signed.append((each, row_of(self._lease.instance, each.draft, nonce, attempt)))
                nonce += 1
        return signed

    async def _store_signed(self, signed: Sequence[tuple[_QueuedWrite, JournaledWrite]]) -> None:
        if not signed:
            return
        statements = [self._storing(each, row) for each, row in signed]
        try:
            counted, *gave = await self._books.execute(
                self._count_from(signed[0][1].nonce), *itertools.chain.from_iterable(statements)
            )
        except BaseException:
            # The commit may have succeeded all the same: `_resolve` reads that before anything else is signed.
            self._next, self._unknown = None, [row for _, row in signed]
            raise
        # Another process moved the counter or took the lease; nothing was stored. `_resolve` tells which before the
        # next try.
        if not counted:
            self._next = None
            self._requeue([each for each, _ in signed])
            return
        # Each insertion requires the count of the one before it, so the first duplicate ends what the transaction
        # stored.
        stored = list(itertools.takewhile(bool, gave[::_STATEMENTS_EACH]))
        self._next = signed[0][1].nonce + len(stored)
        for each, row in signed[: len(stored)]:
            each.end(row)
        if len(stored) < len(signed):
            # Those behind the duplicate were signed one nonce too high.
            self._requeue([each for each, _ in signed[len(stored) + 1 :]])
            await self._refuse(signed[len(stored)][0])

    def _requeue(self, batch: Sequence[_QueuedWrite]) -> None:
        """Put these before all others: none of them was stored under the nonce it was signed for."""
        self._waiting.extendleft(reversed(batch))

    async def _refuse(self, refused: _QueuedWrite) -> None:
        intent = refused.draft.intent
        try:
            values = (self._lease.chain_id, *((intent.write_id, intent.idempotency_id) if intent else (None, None)))
            (twins,) = await self._books.execute(Statement(_TWIN, values))
            refused.end(DuplicateWriteError() if twins else JournalConflictError())
        except DomainError as error:
            refused.end(error)

    async def _resolve(self) -> None:
        """Read the next nonce and whether the unknown commit succeeded. The row lock waits for a commit under way."""
        first = min((row.nonce for row in self._unknown), default=0)
        statements = [self._lease.lock(self._payer)]
        if self._unknown:
            statements.append(Statement(_STORED_FROM, (*self._lease.key(self._payer), first)))
        held, *stored = await self._books.execute(*statements)
        if not held:
            raise self._lease.refusal()
        there = {row[0] for rows in stored for row in rows}
        # The hash covers nonce and content: a row with it is this very write, and not one of another process.
        unsent = [row for row in self._unknown if row.attempts[0].hash in there]
        self._next, self._unknown = integer(held[0][0]), ()
        for row in unsent:
            self._on_unsent(row)

    def _count_from(self, nonce: int) -> Statement:
        """Lock the payer's row, and skip nonces that the chain counts as used by others."""
        return Statement(_COUNT_FROM, (nonce, *self._lease.owned_key(self._payer), self._next))

    def _storing(self, waiting: _QueuedWrite, row: JournaledWrite) -> Sequence[Statement]:
        digest = row.attempts[0].hash
        return (
            insertion(self._lease, row, waiting.sealed, counted=True),
            attempt_insertion(self._lease, row, row.attempts[0]),
            Statement(_COUNT, (*self._lease.owned_key(self._payer), row.nonce, row.nonce, digest)),
        )
