"""The journal of chain writes: what was signed is on disk before it is sent, under a nonce taken in the same commit.

Because the nonce is counted in the very transaction that stores the signed bytes, a crash leaves neither a nonce
without bytes nor bytes without a nonce, and no intent is ever journaled and unsigned: what is not in the journal
was never sent, and what is in it is sent again, byte for byte, until its end is known.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from node.chain.port import WriteIntent
from node.chain.writes import records, schema
from node.chain.writes.lane import Nonces
from node.chain.writes.model import Attempt, Failed, Fees, JournaledWrite, Outcome, Purpose, Transaction
from node.keyring.port import Sealer
from node.sqlite import Database

SignAt = Callable[[int], Attempt]
"""Signs under the nonce it is given. Runs in the database's thread."""

_COLUMNS = (
    "row_id, payer, nonce, purpose, recipient, data, value, gas_limit, write_id, intent, answer, journaled_at,"
    " outcome, told"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A write about to be journaled. `nonce_min` is the payer's next nonce as the chain counts it."""

    payer: str
    purpose: Purpose
    transaction: Transaction
    intent: WriteIntent | None
    nonce_min: int
    now: float


class DuplicateWriteError(Exception):
    """The request's idempotency id, or the write id, is journaled already."""


class Journal:
    """The rows of one chain, over a shared Database. Answers are sealed before they are stored."""

    def __init__(self, database: Database, sealer: Sealer, chain_id: int) -> None:
        self._database = database
        self._sealer = sealer
        self._chain_id = chain_id

    async def open(self) -> None:
        """Create or update the tables."""
        await self._database.migrate(schema.COMPONENT, schema.STEPS)

    async def append(self, draft: Draft, sign: SignAt) -> JournaledWrite:
        """Take the payer's next nonce, sign under it and store both, durably.

        Raises DuplicateWriteError when this write, or another of the same request, is journaled and has not failed.
        """
        sealed = records.seal_answer(draft.intent, self._sealer) if draft.intent else None

        def work(connection: sqlite3.Connection) -> JournaledWrite:
            nonce = max(self._next_nonce(connection, draft.payer), draft.nonce_min)
            row = self._insert(connection, draft, nonce, sealed, sign(nonce))
            self._set_next_nonce(connection, draft.payer, nonce + 1)
            return row

        try:
            return await self._database.run(work)
        except sqlite3.IntegrityError as error:
            raise DuplicateWriteError(str(error)) from None

    async def fill(self, draft: Draft, nonce: int, sign: SignAt) -> JournaledWrite:
        """Store a transaction under a nonce that was counted long ago and of which no row is kept."""
        return await self._database.run(lambda connection: self._insert(connection, draft, nonce, None, sign(nonce)))

    async def add_attempt(self, row_id: int, attempt: Attempt) -> None:
        """Store the bytes that may replace earlier ones, before they are sent."""
        await self._database.run(lambda connection: _insert_attempt(connection, row_id, attempt))

    async def finish(self, row_id: int, outcome: Outcome, *, told: bool, now: float) -> None:
        """Note how a write ended, and whether its observer knows."""
        state = "failed" if isinstance(outcome, Failed) else "mined"
        text, block = records.outcome_to_text(outcome), outcome.block_number

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE chain_write SET state = ?, outcome = ?, block_number = ?, told = told OR ?,"
                " ended_at = coalesce(ended_at, ?) WHERE row_id = ?",
                (state, text, block, told, now, row_id),
            )

        await self._database.run(work)

    async def nonces(self, payer: str) -> Nonces:
        """The payer's nonces, as far as the journal knows."""

        def work(connection: sqlite3.Connection) -> Nonces:
            query = "SELECT max(nonce) FROM chain_write WHERE chain_id = ? AND payer = ? AND state <> 'open'"
            (highest,) = connection.execute(query, (self._chain_id, payer)).fetchone()
            return Nonces(self._next_nonce(connection, payer), 0 if highest is None else int(highest) + 1)

        return await self._database.run(work)

    async def unfinished(self, payer: str) -> Sequence[JournaledWrite]:
        """The payer's writes whose end is not known, by nonce."""
        return await self._select("payer = ? AND state = 'open' ORDER BY nonce", (payer,))

    async def from_nonce(self, payer: str, nonce: int) -> Sequence[JournaledWrite]:
        """All kept writes of the payer from that nonce on, by nonce."""
        return await self._select("payer = ? AND nonce >= ? ORDER BY nonce", (payer, nonce))

    async def untold(self) -> Sequence[JournaledWrite]:
        """Ended writes whose observer does not know yet, oldest first."""
        return await self._select("state <> 'open' AND told = 0 ORDER BY row_id", ())

    async def payers_with_unfinished(self) -> Sequence[str]:
        """Who has writes whose end is not known."""

        def work(connection: sqlite3.Connection) -> Sequence[str]:
            query = "SELECT DISTINCT payer FROM chain_write WHERE chain_id = ? AND state = 'open'"
            return [row[0] for row in connection.execute(query, (self._chain_id,))]

        return await self._database.run(work)

    async def find(self, idempotency_id: str) -> JournaledWrite | None:
        """The last write journaled under this id."""
        found = await self._select("idempotency_id = ? ORDER BY row_id DESC LIMIT 1", (idempotency_id,))
        return found[0] if found else None

    async def has(self, write_id: str) -> bool:
        """Whether a write of this id is kept."""

        def work(connection: sqlite3.Connection) -> bool:
            query = "SELECT 1 FROM chain_write WHERE chain_id = ? AND write_id = ?"
            return connection.execute(query, (self._chain_id, write_id)).fetchone() is not None

        return await self._database.run(work)

    async def prune(self, ended_before: float) -> int:
        """Forget finished writes that ended earlier (unix seconds) and whose observer knows; how many."""

        def work(connection: sqlite3.Connection) -> int:
            query = "DELETE FROM chain_write WHERE chain_id = ? AND state <> 'open' AND told = 1 AND ended_at < ?"
            return connection.execute(query, (self._chain_id, ended_before)).rowcount

        return await self._database.run(work)

    def _next_nonce(self, connection: sqlite3.Connection, payer: str) -> int:
        query = "SELECT next_nonce FROM payer_nonce WHERE chain_id = ? AND payer = ?"
        row = connection.execute(query, (self._chain_id, payer)).fetchone()
        return int(row[0]) if row else 0

    def _set_next_nonce(self, connection: sqlite3.Connection, payer: str, nonce: int) -> None:
        connection.execute("INSERT OR REPLACE INTO payer_nonce VALUES (?, ?, ?)", (self._chain_id, payer, nonce))

    def _insert(
        self, connection: sqlite3.Connection, draft: Draft, nonce: int, sealed: bytes | None, attempt: Attempt
    ) -> JournaledWrite:
        intent, transaction = draft.intent, draft.transaction
        cursor = connection.execute(
            "INSERT INTO chain_write (chain_id, payer, nonce, purpose, recipient, data, value, gas_limit, write_id,"
            " idempotency_id, intent, answer, journaled_at, state, told)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)",
            (
                *(self._chain_id, draft.payer, nonce, draft.purpose),
                *(transaction.to, transaction.data, str(transaction.value), transaction.gas_limit),
                *((intent.write_id, intent.idempotency_id, records.intent_to_text(intent)) if intent else (None,) * 3),
                *(sealed, draft.now, intent is None),
            ),
        )
        row_id = int(cursor.lastrowid or 0)
        _insert_attempt(connection, row_id, attempt)
        return JournaledWrite(
            *(row_id, draft.payer, nonce, draft.purpose, transaction, (attempt,), intent, draft.now),
            told=intent is None,
        )

    async def _select(self, condition: str, values: tuple[object, ...]) -> Sequence[JournaledWrite]:
        def work(connection: sqlite3.Connection) -> Sequence[JournaledWrite]:
            query = f"SELECT {_COLUMNS} FROM chain_write WHERE chain_id = ? AND {condition}"  # noqa: S608 - constants of this class
            return [self._row(connection, row) for row in connection.execute(query, (self._chain_id, *values))]

        return await self._database.run(work)

    def _row(self, connection: sqlite3.Connection, row: Sequence[object]) -> JournaledWrite:
        row_id, payer, nonce, purpose, to, data, value, gas, write_id, intent, answer, at, outcome, told = row
        opened = records.open_answer(_bytes(answer), str(write_id), self._sealer) if answer is not None else {}
        return JournaledWrite(
            row_id=_int(row_id),
            payer=str(payer),
            nonce=_int(nonce),
            purpose=Purpose(str(purpose)),
            transaction=Transaction(str(to), _bytes(data), int(str(value)), _int(gas)),
            attempts=_attempts(connection, _int(row_id)),
            intent=records.intent_from_text(str(intent), opened) if intent is not None else None,
            journaled_at=float(str(at)),
            outcome=records.outcome_from_text(str(outcome)) if outcome is not None else None,
            told=bool(told),
        )


def _insert_attempt(connection: sqlite3.Connection, row_id: int, attempt: Attempt) -> None:
    connection.execute(
        "INSERT INTO write_attempt SELECT ?, count(*), ?, ?, ?, ?, ?, ? FROM write_attempt WHERE row_id = ?",
        (
            *(row_id, attempt.hash, attempt.raw, str(attempt.fees.max_fee), str(attempt.fees.priority_fee)),
            *(attempt.cancels, attempt.stored_at, row_id),
        ),
    )


def _attempts(connection: sqlite3.Connection, row_id: int) -> tuple[Attempt, ...]:
    query = (
        "SELECT hash, raw, max_fee, priority_fee, cancels, stored_at FROM write_attempt"
        " WHERE row_id = ? ORDER BY ordinal"
    )
    return tuple(
        Attempt(digest, raw, Fees(int(highest), int(tip)), bool(cancels), at)
        for digest, raw, highest, tip, cancels, at in connection.execute(query, (row_id,))
    )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("the journal holds no integer where one belongs")
    return value


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("the journal holds no bytes where they belong")
    return value


def place_of(row: JournaledWrite) -> tuple[int, int]:
    """The block a finished write was seen in and its place there; zeros for one that was never seen in any."""
    outcome = row.outcome
    return (0, 0) if outcome is None else (outcome.block_number or 0, outcome.block_index)
