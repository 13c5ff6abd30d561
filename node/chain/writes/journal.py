"""The journal of chain writes: what was signed is durable before it is sent, under a nonce taken in the same commit.

Because the nonce is counted in the very transaction that stores the signed bytes, a crash leaves neither a nonce
without bytes nor bytes without a nonce, and no intent is ever journaled and unsigned: what is not in the journal
was never sent, and what is in it is sent again, byte for byte, until its end is known.

It lies in the ledger's database (ADR 21). Several nodes may share that: each finishes, tells and forgets the writes
of its own instance alone, and finds those of all by the id of their request.
"""

from collections.abc import Sequence
from typing import Final

from node.chain.writes import records, schema
from node.chain.writes.holding import Holding
from node.chain.writes.lane import Nonces
from node.chain.writes.model import Attempt, Draft, Failed, JournaledWrite, Outcome
from node.chain.writes.rows import (
    attempt_insertion,
    attempt_selection,
    insertion,
    integer,
    microseconds,
    row_of,
    selection,
    writes_of,
)
from node.chain.writes.turn import DuplicateWriteError, OnUnsent, PayerTurn, SignAt, in_doubt, nonce_taken
from node.keyring.port import Sealer
from node.ledger.books import Books, Statement, Value

__all__ = ["DuplicateWriteError", "Journal", "SignAt"]

_OF_INSTANCE: Final = "w.chain_id = ? AND w.instance = ?"
_OF_PAYER: Final = f"{_OF_INSTANCE} AND w.payer = ?"
_BY_AGE: Final = "w.journaled_at_us"
_HIGHEST_ENDED: Final = """
SELECT MAX(nonce) FROM chain_write WHERE chain_id = ? AND instance = ? AND payer = ? AND state <> 'open'
"""
_FINISH: Final = """
UPDATE chain_write SET state = ?, outcome = ?, block_number = ?, told = CASE WHEN told = 1 THEN 1 ELSE ? END,
    ended_at_us = COALESCE(ended_at_us, ?)
WHERE chain_id = ? AND instance = ? AND payer = ? AND nonce = ? AND EXISTS (
    SELECT 1 FROM write_payer p WHERE p.chain_id = chain_write.chain_id AND p.instance = chain_write.instance
    AND p.payer = chain_write.payer AND p.holder = ?
)
"""
_UNFINISHED_PAYERS: Final = (
    "SELECT DISTINCT payer FROM chain_write WHERE chain_id = ? AND instance = ? AND state = 'open'"
)
_BY_WRITE: Final = "SELECT nonce FROM chain_write WHERE chain_id = ? AND write_id = ?"
MOST_AT_ONCE: Final = 1_000
"""Rows that one transaction forgets, about: after a long stop they are many, and it must not be ended for taking too long."""
_PRUNE: Final = f"""
DELETE FROM chain_write WHERE chain_id = ? AND instance = ? AND state <> 'open' AND told = 1 AND ended_at_us <= (
    SELECT MAX(ended_at_us) FROM (
        SELECT ended_at_us FROM chain_write
        WHERE chain_id = ? AND instance = ? AND state <> 'open' AND told = 1 AND ended_at_us < ?
        ORDER BY ended_at_us LIMIT {MOST_AT_ONCE}
    ) AS oldest
) RETURNING nonce
"""  # noqa: S608 - constants


class Journal:
    """The rows of one instance on one chain. Answers are sealed before they are stored.

    Every method raises NodeError `billing_unavailable` when the database is out, and those that change something
    `chain_unavailable` once another node has taken the instance over (see Holding). `on_unsent` is told of a write
    that was stored though `append` had to say that it was not, before any of the payer's later ones is stored; it is
    to be set before payers are taken up.
    """

    def __init__(self, books: Books, sealer: Sealer, chain_id: int, instance: str) -> None:
        self._books = books
        self._sealer = sealer
        self._holding = Holding(chain_id, instance)
        self._turns: dict[str, PayerTurn] = {}
        self.on_unsent: OnUnsent = _nobody

    @property
    def is_taken(self) -> bool:
        """Whether it is known that another node runs under this instance's id."""
        return self._holding.lost

    async def open(self) -> None:
        """Create or update the tables."""
        await self._books.migrate(schema.COMPONENT, schema.STEPS)

    async def take_up(self, payer: str) -> Nonces:
        """From now on this process alone signs for this payer of the instance; its nonces, as the journal has them."""
        highest = Statement(_HIGHEST_ENDED, self._holding.key(payer))
        taken, ended = await self._books.execute(self._holding.take(payer), highest)
        next_nonce = integer(taken[0][0])
        self._turns[payer] = self._new_turn(payer, next_nonce)
        return Nonces(next_nonce, 0 if ended[0][0] is None else integer(ended[0][0]) + 1)

    async def append(self, draft: Draft, sign: SignAt) -> JournaledWrite:
        """Take the payer's next nonce, sign under it and store both, durably.

        Raises DuplicateWriteError when this write, or another of the same request, is journaled by whatever instance
        and has not failed.
        """
        self._holding.require()
        sealed = records.seal_answer(draft.intent, self._sealer) if draft.intent else None
        return await self._turn(draft.payer).append(draft, sign, sealed)

    async def settle_doubts(self) -> None:
        """Find the writes that were stored though the answer to their commit was not heard in time (see `on_unsent`)."""
        for turn in list(self._turns.values()):
            await turn.settle_doubts()

    async def fill(self, draft: Draft, nonce: int, sign: SignAt) -> JournaledWrite:
        """Store a transaction under a nonce that was counted long ago and of which no row is kept."""
        self._holding.require()
        row = row_of(self._holding.instance, draft, nonce, sign(nonce))
        await self._store_attempt(row, row.attempts[0], insertion(self._holding, row, None, counted=False))
        return row

    async def add_attempt(self, row: JournaledWrite, attempt: Attempt) -> None:
        """Store the bytes that may replace earlier ones, before they are sent."""
        self._holding.require()
        await self._store_attempt(row, attempt)

    async def finish(self, row: JournaledWrite, outcome: Outcome, *, told: bool, now: float) -> None:
        """Note how a write ended, and whether its observer knows. `now` is in unix seconds."""
        self._holding.require()
        state = "failed" if isinstance(outcome, Failed) else "mined"
        values = (state, records.outcome_to_text(outcome), outcome.block_number, int(told), microseconds(now))
        noted = Statement(_FINISH, (*values, *self._holding.key(row.payer), row.nonce, self._holding.holder))
        held, _ = await self._books.execute(self._holding.look(row.payer), noted)
        if not held:
            raise self._holding.refusal()

    async def require_held(self, payer: str) -> None:
        """Raises NodeError `chain_unavailable` when another node signs for this payer, whose bytes are not known here."""
        self._holding.require()
        (held,) = await self._books.execute(self._holding.look(payer))
        if not held:
            raise self._holding.refusal()

    async def unfinished(self, payer: str) -> Sequence[JournaledWrite]:
        """The payer's writes whose end is not known, by nonce."""
        return await self._select(f"{_OF_PAYER} AND w.state = 'open'", "w.nonce", *self._holding.key(payer))

    async def from_nonce(self, payer: str, nonce: int) -> Sequence[JournaledWrite]:
        """All kept writes of the payer from that nonce on, by nonce."""
        return await self._select(f"{_OF_PAYER} AND w.nonce >= ?", "w.nonce", *self._holding.key(payer), nonce)

    async def untold(self) -> Sequence[JournaledWrite]:
        """Ended writes whose observer does not know yet, oldest first."""
        self._holding.require()
        return await self._select(f"{_OF_INSTANCE} AND w.state <> 'open' AND w.told = 0", _BY_AGE, *self._instance)

    async def payers_with_unfinished(self) -> Sequence[str]:
        """Which payers of this instance have writes whose end is not known."""
        (rows,) = await self._books.execute(Statement(_UNFINISHED_PAYERS, self._instance))
        return [str(row[0]) for row in rows]

    async def find(self, idempotency_id: str) -> JournaledWrite | None:
        """The write journaled under this id by whatever instance: the one that has not failed, else the last."""
        condition = "w.chain_id = ? AND w.idempotency_id = ?"
        rows = await self._select(condition, _BY_AGE, self._holding.chain_id, idempotency_id)
        # The intent's own word counts, to which the answer is sealed: the column is what the database says.
        found = [row for row in rows if row.intent is not None and row.intent.idempotency_id == idempotency_id]
        return max(found, key=lambda row: (not isinstance(row.outcome, Failed), row.journaled_at), default=None)

    async def has(self, write_id: str) -> bool:
        """Whether a write of this id is kept, of whatever instance. Raises NodeError also while its commit is in doubt."""
        if any(turn.doubts(write_id) for turn in self._turns.values()):
            raise in_doubt()
        (rows,) = await self._books.execute(Statement(_BY_WRITE, (self._holding.chain_id, write_id)))
        return bool(rows)

    async def prune(self, ended_before: float) -> int:
        """Forget finished writes that ended earlier (unix seconds) and whose observer knows; how many."""
        values = (*self._instance, *self._instance, microseconds(ended_before))
        total, forgotten = 0, MOST_AT_ONCE
        while forgotten >= MOST_AT_ONCE:
            (gone,) = await self._books.execute(Statement(_PRUNE, values))
            forgotten = len(gone)
            total += forgotten
        return total

    @property
    def _instance(self) -> tuple[int, str]:
        return (self._holding.chain_id, self._holding.instance)

    def _turn(self, payer: str) -> PayerTurn:
        return self._turns.setdefault(payer, self._new_turn(payer))

    def _new_turn(self, payer: str, next_nonce: int | None = None) -> PayerTurn:
        return PayerTurn(self._books, self._holding, payer, self.on_unsent, next_nonce)

    async def _store_attempt(self, row: JournaledWrite, attempt: Attempt, *before: Statement) -> None:
        """Store bytes under a payer that nobody takes over meanwhile. Raises NodeError when they are not there then."""
        storing = (
            *before,
            attempt_insertion(self._holding, row, attempt),
            attempt_selection(self._holding, row, attempt),
        )
        held, *_, there = await self._books.execute(self._holding.lock(row.payer), *storing)
        if not held:
            raise self._holding.refusal()
        if not there:
            raise nonce_taken()

    async def _select(self, condition: str, order: str, *values: Value) -> Sequence[JournaledWrite]:
        (rows,) = await self._books.execute(selection(condition, order, *values))
        return writes_of(rows, self._sealer)


def _nobody(_row: JournaledWrite) -> None:
    """Is told nothing."""


def place_of(row: JournaledWrite) -> tuple[int, int]:
    """The block a finished write was seen in and its place there; zeros for one that was never seen in any."""
    outcome = row.outcome
    return (0, 0) if outcome is None else (outcome.block_number or 0, outcome.block_index)
