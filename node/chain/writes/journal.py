"""Journal of chain writes: stores signed bytes before they are sent, and their nonce with them.

One transaction counts the nonce and stores the signed bytes. So a crash leaves neither a nonce
without bytes nor bytes without a nonce, and no intent is journaled unsigned. A write outside the
journal was never sent. A write in it is sent again, byte for byte, until its outcome is known.

The journal is in the ledger's database (ADR 21), which several nodes may share. Each finishes,
notifies and deletes the writes of its own instance, and finds those of all by their request's id.

Bytes are signed before the transaction that counts their nonce. It counts only if the payer's next
nonce is the one they were signed under, and stores nothing otherwise. So neither a write of another
process in between nor a commit with a lost response can give two transactions one nonce.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from node.chain.errors import JournalCommitUnknownError, JournalConflictError, PayersTakenOverError
from node.chain.writes.journal_rows import (
    COMPONENT,
    MIGRATIONS,
    attempt_insertion,
    attempt_selection,
    insertion,
    integer,
    microseconds,
    outcome_to_text,
    row_of,
    seal_answer,
    selection,
    writes_of,
)
from node.chain.writes.model import Attempt, Draft, Failed, JournaledWrite, Outcome
from node.chain.writes.payer_accounts import Nonces, PayerLeases
from node.database import lease
from node.database.port import Database, Statement, Value
from node.errors import DomainError
from node.keyring.port import Sealer

SignAt = Callable[[int], Attempt]
"""Signs under the nonce it is given, without waiting for anything."""

OnUnsent = Callable[[JournaledWrite], None]

BATCH_MAX: Final = 32
"""Writes in one commit: enough to share a flush, few enough to sign in one event loop step."""

_COUNT_FROM: Final = """
UPDATE write_payer SET next_nonce = ?
WHERE chain_id = ? AND instance = ? AND payer = ? AND next_nonce = ? RETURNING next_nonce
"""
_COUNT: Final = """
UPDATE write_payer SET next_nonce = next_nonce + 1
WHERE chain_id = ? AND instance = ? AND payer = ? AND next_nonce = ? AND EXISTS (
    SELECT 1 FROM chain_write w WHERE w.chain_id = write_payer.chain_id AND w.instance = write_payer.instance
    AND w.payer = write_payer.payer AND w.nonce = ? AND w.first_hash = ?
)
"""
# An update without a change: it waits for a commit under way, in both databases.
_NEXT_NONCE: Final = """
UPDATE write_payer SET next_nonce = next_nonce WHERE chain_id = ? AND instance = ? AND payer = ? RETURNING next_nonce
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
    """Journals new writes of a payer. `next_nonce` is the journal's; if None, it is read first.

    `on_unsent` receives a stored write whose caller got an error, before any write under a later
    nonce is stored. No provider has its bytes.
    """

    def __init__(self, leases: PayerLeases, payer: str, on_unsent: OnUnsent, next_nonce: int | None = None) -> None:
        self._leases = leases
        self._payer = payer
        self._on_unsent = on_unsent
        self._next = next_nonce
        self._waiting: deque[_QueuedWrite] = deque()
        self._working: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._unknown: Sequence[JournaledWrite] = ()

    async def append(self, draft: Draft, sign: SignAt, sealed: bytes | None) -> JournaledWrite:
        """Stores the draft under the payer's next nonce. Simultaneous drafts share a transaction.

        Raises DuplicateWriteError, DomainError if it could not be stored, and what `sign` raises.
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
        """Finds the result of a commit whose response was lost. Raises DomainError if it cannot."""
        if self._unknown:
            async with self._lock:
                await self._resolve()

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_MAX))]
                await self._store(batch)
        finally:
            # No await between the last check of the queue and this line, so no append is missed.
            self._working = None

    async def _store(self, batch: Sequence[_QueuedWrite]) -> None:
        try:
            async with self._lock:
                # Unknown after a lost commit or a lost race: read the journal before signing.
                if self._next is None:
                    await self._resolve()
                await self._store_signed(self._signed(batch))
        except Exception as error:  # noqa: BLE001 - raised to each caller
            for each in batch:
                each.end(error)

    def _signed(self, batch: Sequence[_QueuedWrite]) -> Sequence[tuple[_QueuedWrite, JournaledWrite]]:
        """Signs each under a nonce of its own, in order. A draft that fails to sign takes none."""
        # The chain may count more than the journal: other instances also use the admin payer's key.
        nonce = max(self._next or 0, *(each.draft.nonce_min for each in batch))
        signed = []
        for each in batch:
            try:
                attempt = each.sign(nonce)
            except Exception as error:  # noqa: BLE001 - raised to the caller
                each.end(error)
            else:
                signed.append((each, row_of(self._leases.instance, each.draft, nonce, attempt)))
                nonce += 1
        return signed

    async def _store_signed(self, signed: Sequence[tuple[_QueuedWrite, JournaledWrite]]) -> None:
        if not signed:
            return
        statements = [self._storing(each, row) for each, row in signed]
        # Locks the payer's row, and skips nonces that the chain counts as used by others.
        count = Statement(_COUNT_FROM, (signed[0][1].nonce, *self._leases.key(self._payer), self._next))
        try:
            counted, *gave = await self._leases.execute(self._payer, count, *itertools.chain.from_iterable(statements))
        except PayersTakenOverError:
            # Refused for good: nothing of it was stored.
            self._next = None
            raise
        except BaseException:
            # The commit may have succeeded: `_resolve` reads that before anything else is signed.
            self._next, self._unknown = None, [row for _, row in signed]
            raise
        # The counter differs, so nothing was stored. `_resolve` reads it before the next try.
        if not counted:
            self._next = None
            self._requeue([each for each, _ in signed])
            return
        # Each insertion requires the count of the one before, so after the first duplicate nothing
        # is stored.
        stored = list(itertools.takewhile(bool, gave[::_STATEMENTS_EACH]))
        self._next = signed[0][1].nonce + len(stored)
        for each, row in signed[: len(stored)]:
            each.end(row)
        if len(stored) < len(signed):
            # Those behind the duplicate were signed one nonce too high.
            self._requeue([each for each, _ in signed[len(stored) + 1 :]])
            await self._refuse(signed[len(stored)][0])

    def _requeue(self, batch: Sequence[_QueuedWrite]) -> None:
        """Puts these before all others: none was stored under the nonce it was signed for."""
        self._waiting.extendleft(reversed(batch))

    async def _refuse(self, refused: _QueuedWrite) -> None:
        intent = refused.draft.intent
        try:
            values = (self._leases.chain_id, *((intent.write_id, intent.idempotency_id) if intent else (None, None)))
            (twins,) = await self._leases.execute(self._payer, Statement(_TWIN, values))
            refused.end(DuplicateWriteError() if twins else JournalConflictError())
        except DomainError as error:
            refused.end(error)

    async def _resolve(self) -> None:
        """Reads the next nonce and the result of the unknown commit. Waits for a running commit."""
        first = min((row.nonce for row in self._unknown), default=0)
        key = self._leases.key(self._payer)
        statements = [Statement(_NEXT_NONCE, key)]
        if self._unknown:
            statements.append(Statement(_STORED_FROM, (*key, first)))
        ((next_nonce,),), *stored = await self._leases.execute(self._payer, *statements)
        there = {row[0] for rows in stored for row in rows}
        # The hash covers nonce and content: a row with it is this write, not another process's.
        unsent = [row for row in self._unknown if row.attempts[0].hash in there]
        self._next, self._unknown = integer(next_nonce), ()
        for row in unsent:
            self._on_unsent(row)

    def _storing(self, waiting: _QueuedWrite, row: JournaledWrite) -> Sequence[Statement]:
        digest = row.attempts[0].hash
        return (
            insertion(self._leases, row, waiting.sealed, counted=True),
            attempt_insertion(self._leases, row, row.attempts[0]),
            Statement(_COUNT, (*self._leases.key(self._payer), row.nonce, row.nonce, digest)),
        )


_OF_INSTANCE: Final = "w.chain_id = ? AND w.instance = ?"
_OF_PAYER: Final = f"{_OF_INSTANCE} AND w.payer = ?"
_BY_AGE: Final = "w.journaled_at_us"
_ADD_PAYER: Final = """
INSERT INTO write_payer (chain_id, instance, payer, next_nonce) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING
"""
_HIGHEST_ENDED: Final = """
SELECT MAX(nonce) FROM chain_write WHERE chain_id = ? AND instance = ? AND payer = ? AND state <> 'open'
"""
_FINISH: Final = """
UPDATE chain_write SET state = ?, outcome = ?, block_number = ?, told = CASE WHEN told = 1 THEN 1 ELSE ? END,
    ended_at_us = COALESCE(ended_at_us, ?)
WHERE chain_id = ? AND instance = ? AND payer = ? AND nonce = ?
"""
_UNFINISHED_PAYERS: Final = (
    "SELECT DISTINCT payer FROM chain_write WHERE chain_id = ? AND instance = ? AND (state = 'open' OR told = 0)"
)
_BY_WRITE: Final = "SELECT nonce FROM chain_write WHERE chain_id = ? AND write_id = ?"
PRUNE_BATCH: Final = 1_000
"""About the rows that one transaction deletes, which stays short after a long stop too."""
_PRUNE: Final = f"""
DELETE FROM chain_write WHERE chain_id = ? AND instance = ? AND state <> 'open' AND told = 1 AND ended_at_us <= (
    SELECT MAX(ended_at_us) FROM (
        SELECT ended_at_us FROM chain_write
        WHERE chain_id = ? AND instance = ? AND state <> 'open' AND told = 1 AND ended_at_us < ?
        ORDER BY ended_at_us LIMIT {PRUNE_BATCH}
    ) AS oldest
) RETURNING nonce
"""  # noqa: S608 - constants


class Journal:
    """Write journal of an instance on a chain. Answers are sealed before they are stored.
    Every method raises DatabaseUnavailableError if the database is unavailable. Methods that write
    raise PayersTakenOverError once another node has taken the instance over (see PayerLeases).
    `on_unsent`, set before leases are acquired, receives a write that was stored though `append`
    had to raise, before any of the payer's later ones is stored.
    acquired.
    """

    def __init__(self, books: Database, sealer: Sealer, chain_id: int, instance: str) -> None:
        self._books = books
        self._sealer = sealer
        self._leases = PayerLeases(books, chain_id, instance)
        self._queues: dict[str, AppendQueue] = {}
        self.on_unsent: OnUnsent = _ignore

    @property
    def instance(self) -> str:
        """Id of the instance: its payers' keys follow from it."""
        return self._leases.instance

    @property
    def is_lease_lost(self) -> bool:
        """Whether it is known that another node runs under this instance's id."""
        return self._leases.lost

    async def open(self) -> None:
        """Create or update the tables."""
        await self._books.migrate(lease.COMPONENT, lease.STEPS)
        await self._books.migrate(COMPONENT, MIGRATIONS)

    async def acquire_lease(self, payer: str) -> Nonces:
        """Makes this process the payer's only signer. Returns its nonces from the journal."""
        # One transaction, so that an older process of this instance finishes no write in between.
        key = self._leases.key(payer)
        reading = Statement(_ADD_PAYER, key), Statement(_NEXT_NONCE, key), Statement(_HIGHEST_ENDED, key)
        _, ((counted,),), ((ended,),) = await self._leases.acquire(payer, *reading)
        next_nonce = integer(counted)
        self._queues[payer] = self._new_queue(payer, next_nonce)
        return Nonces(next_nonce, 0 if ended is None else integer(ended) + 1)

    async def was_stored(self, write_id: str) -> bool:
        """Whether a write is journaled after `append` raised CommitUnknownError.

        Raises DomainError while the result of the commit is not known.
        """
        await self.resolve_unknown_commits()
        return await self.has(write_id)

    async def append(self, draft: Draft, sign: SignAt) -> JournaledWrite:
        """Takes the payer's next nonce, signs under it and stores both, durably.

        Raises DuplicateWriteError if any instance has journaled this write, or another of the same
        request that has not failed.
        """
        self._leases.require()
        # The operator of the database must not read the answer: it may hold a new API key.
        sealed = seal_answer(draft.intent, self._sealer) if draft.intent else None
        queue = self._queues.setdefault(draft.payer, self._new_queue(draft.payer))
        return await queue.append(draft, sign, sealed)

    async def resolve_unknown_commits(self) -> None:
        """Finds writes that were stored though their commit's result was lost (see `on_unsent`)."""
        for queue in list(self._queues.values()):
            await queue.resolve_unknown_commits()

    async def fill(self, draft: Draft, nonce: int, sign: SignAt) -> JournaledWrite:
        """Stores a transaction under a nonce that was counted long ago and has no row."""
        self._leases.require()
        row = row_of(self._leases.instance, draft, nonce, sign(nonce))
        await self._store_attempt(row, row.attempts[0], insertion(self._leases, row, None, counted=False))
        return row

    async def add_attempt(self, row: JournaledWrite, attempt: Attempt) -> None:
        """Store the bytes that may replace earlier ones, before they are sent."""
        self._leases.require()
        await self._store_attempt(row, attempt)

    async def finish(self, row: JournaledWrite, outcome: Outcome, *, notified: bool, now: float) -> None:
        """Stores a write's outcome, and whether its observer knows it. `now` is in unix seconds."""
        self._leases.require()
        state = "failed" if isinstance(outcome, Failed) else "mined"
        values = (state, outcome_to_text(outcome), outcome.block_number, int(notified), microseconds(now))
        noted = Statement(_FINISH, (*values, *self._leases.key(row.payer), row.nonce))
        await self._leases.execute(row.payer, noted)

    async def require_lease(self, payer: str) -> None:
        """Raises PayersTakenOverError if another node signs for this payer, with unknown bytes."""
        self._leases.require()
        await self._leases.execute(payer)

    async def unfinished(self, payer: str) -> Sequence[JournaledWrite]:
        """Returns the payer's writes without an outcome, by nonce."""
        return await self._select(f"{_OF_PAYER} AND w.state = 'open'", "w.nonce", self._leases.key(payer))

    async def from_nonce(self, payer: str, nonce: int) -> Sequence[JournaledWrite]:
        """Returns all kept writes of the payer from that nonce on, by nonce."""
        return await self._select(f"{_OF_PAYER} AND w.nonce >= ?", "w.nonce", (*self._leases.key(payer), nonce))

    async def unnotified(self) -> Sequence[JournaledWrite]:
        """Returns the ended writes that their observer does not know of, oldest first."""
        self._leases.require()
        return await self._select(f"{_OF_INSTANCE} AND w.state <> 'open' AND w.told = 0", _BY_AGE, self._instance_key)

    async def payers_with_unfinished(self) -> Sequence[str]:
        """Returns the payers of this instance that have open or untold writes."""
        (rows,) = await self._books.execute(Statement(_UNFINISHED_PAYERS, self._instance_key))
        return [str(row[0]) for row in rows]

    async def find(self, idempotency_id: str) -> JournaledWrite | None:
        """Returns the write of this id, of any instance: one that has not failed, else the last."""
        condition = "w.chain_id = ? AND w.idempotency_id = ?"
        rows = await self._select(condition, _BY_AGE, (self._leases.chain_id, idempotency_id))
        # The intent's id counts, since the answer is sealed to it; the column may be changed.
        found = [row for row in rows if row.intent is not None and row.intent.idempotency_id == idempotency_id]
        return max(found, key=lambda row: (not isinstance(row.outcome, Failed), row.journaled_at), default=None)

    async def has(self, write_id: str) -> bool:
        """Whether any instance keeps this write. Raises DomainError while its commit is unknown."""
        if any(queue.is_unknown(write_id) for queue in self._queues.values()):
            raise JournalCommitUnknownError
        (rows,) = await self._books.execute(Statement(_BY_WRITE, (self._leases.chain_id, write_id)))
        return bool(rows)

    async def prune(self, ended_before: float) -> int:
        """Deletes notified writes that ended earlier (unix seconds). Returns their number."""
        values = (*self._instance_key, *self._instance_key, microseconds(ended_before))
        total, deleted = 0, PRUNE_BATCH
        # Several short transactions: a long one would hold up the commits of new writes.
        while deleted >= PRUNE_BATCH:
            (gone,) = await self._books.execute(Statement(_PRUNE, values))
            deleted = len(gone)
            total += deleted
        return total

    @property
    def _instance_key(self) -> tuple[int, str]:
        return (self._leases.chain_id, self._leases.instance)

    def _new_queue(self, payer: str, next_nonce: int | None = None) -> AppendQueue:
        return AppendQueue(self._leases, payer, self.on_unsent, next_nonce)

    async def _store_attempt(self, row: JournaledWrite, attempt: Attempt, *before: Statement) -> None:
        """Stores bytes while the lease is locked. Raises DomainError if they are not there then."""
        storing = (
            *before,
            attempt_insertion(self._leases, row, attempt),
            attempt_selection(self._leases, row, attempt),
        )
        # Bytes outside the journal must not be sent: after a crash their receipt is not polled.
        *_, there = await self._leases.execute(row.payer, *storing)
        if not there:
            raise JournalConflictError

    async def _select(self, condition: str, order: str, values: Sequence[Value]) -> Sequence[JournaledWrite]:
        (rows,) = await self._books.execute(selection(condition, order, values))
        return writes_of(rows, self._sealer)


def _ignore(_row: JournaledWrite) -> None:
    """Do nothing until a listener is set."""


def block_position(row: JournaledWrite) -> tuple[int, int]:
    """Returns block and index of a finished write; zeros if it was never seen in a block."""
    outcome = row.outcome
    return (0, 0) if outcome is None else (outcome.block_number or 0, outcome.block_index)
