"""Rows of the journal's tables: how they are stored, and the writes they come back as."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from node.chain.writes import records
from node.chain.writes.holding import Holding
from node.chain.writes.model import Attempt, Draft, Fees, JournaledWrite, Purpose, Transaction
from node.keyring.port import Sealer
from node.ledger.books import Row, Statement, Value

_COLUMNS: Final = (
    "w.instance, w.payer, w.nonce, w.purpose, w.recipient, w.data, w.value, w.gas_limit, w.intent, w.answer,"
    " w.journaled_at_us, w.outcome, w.told, a.hash, a.raw, a.max_fee, a.priority_fee, a.cancels,"
    " a.stored_at_us"
)
_JOINED: Final = (
    # SQLite looks at the tables of a CROSS JOIN in this order; of others it may begin with all attempts there are. The
    # plus keeps it from taking a bound on the write's nonce for one on the attempts', and reading all of them each time.
    "FROM chain_write w CROSS JOIN write_attempt a WHERE a.chain_id = w.chain_id AND a.instance = w.instance"
    " AND a.payer = w.payer AND a.nonce = +w.nonce"
)
_INSERT: Final = """
INSERT INTO chain_write (chain_id, instance, payer, nonce, purpose, recipient, data, value, gas_limit, write_id,
    idempotency_id, intent, answer, journaled_at_us, first_hash, state, told)
SELECT chain_id, instance, payer, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ? FROM write_payer
"""
_OF_HOLDER: Final = "WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ?"
_IF_NEW: Final = "ON CONFLICT DO NOTHING RETURNING nonce"
_INSERT_NEXT: Final = f"{_INSERT} {_OF_HOLDER} AND next_nonce = ? {_IF_NEW}"
_INSERT_ANYWHERE: Final = f"{_INSERT} {_OF_HOLDER} {_IF_NEW}"
_ATTEMPT: Final = """
INSERT INTO write_attempt (chain_id, instance, payer, nonce, ordinal, hash, raw, max_fee, priority_fee, cancels,
    stored_at_us)
SELECT w.chain_id, w.instance, w.payer, w.nonce, (
        SELECT COUNT(*) FROM write_attempt a
        WHERE a.chain_id = w.chain_id AND a.instance = w.instance AND a.payer = w.payer AND a.nonce = w.nonce
    ), ?, ?, ?, ?, ?, ?
FROM chain_write w WHERE w.chain_id = ? AND w.instance = ? AND w.payer = ? AND w.nonce = ? AND w.first_hash = ?
AND EXISTS (
    SELECT 1 FROM write_payer p
    WHERE p.chain_id = w.chain_id AND p.instance = w.instance AND p.payer = w.payer AND p.holder = ?
) ON CONFLICT DO NOTHING
"""
_ATTEMPT_THERE: Final = """
SELECT 1 FROM write_attempt WHERE chain_id = ? AND instance = ? AND payer = ? AND nonce = ? AND hash = ?
"""


def selection(condition: str, order: str, *values: Value) -> Statement:
    """The writes (`w`) for which this constant condition holds, each row with one of its attempts, for `writes_of`."""
    sql = f"SELECT {_COLUMNS} {_JOINED} AND {condition} ORDER BY {order}, w.instance, w.payer, w.nonce, a.ordinal"
    return Statement(sql, values)


def insertion(holding: Holding, row: JournaledWrite, sealed: bytes | None, *, counted: bool) -> Statement:
    """Store the write; gives its nonce, or no row where its request, its id or its nonce is taken or the payer is lost.

    `counted`: only where the payer's next nonce is this one.
    """
    intent, transaction = row.intent, row.transaction
    noted = (intent.write_id, intent.idempotency_id, records.intent_to_text(intent)) if intent else (None,) * 3
    values: tuple[Value, ...] = (
        *(row.nonce, row.purpose.value, transaction.to, transaction.data.hex(), str(transaction.value)),
        *(transaction.gas_limit, *noted, None if sealed is None else sealed.hex(), microseconds(row.journaled_at)),
        *(row.attempts[0].hash, int(row.told), *holding.held(row.payer)),
    )
    return Statement(_INSERT_NEXT, (*values, row.nonce)) if counted else Statement(_INSERT_ANYWHERE, values)


def attempt_insertion(holding: Holding, row: JournaledWrite, attempt: Attempt) -> Statement:
    """Store these bytes after the write's others; one that is there already stays as it is."""
    fees, at = attempt.fees, microseconds(attempt.stored_at)
    values = (attempt.hash, attempt.raw.hex(), str(fees.max_fee), str(fees.priority_fee), int(attempt.cancels), at)
    key = (*holding.key(row.payer), row.nonce, row.attempts[0].hash)
    return Statement(_ATTEMPT, (*values, *key, holding.holder))


def attempt_selection(holding: Holding, row: JournaledWrite, attempt: Attempt) -> Statement:
    """Gives one row when these bytes are stored as the write's."""
    return Statement(_ATTEMPT_THERE, (*holding.key(row.payer), row.nonce, attempt.hash))


def row_of(instance: str, draft: Draft, nonce: int, attempt: Attempt) -> JournaledWrite:
    """The write as it is about to be stored. What has no intent has nobody who would have to be told."""
    told = draft.intent is None
    what = (draft.purpose, draft.transaction, (attempt,), draft.intent, draft.now)
    return JournaledWrite(instance, draft.payer, nonce, *what, told=told)


def writes_of(rows: Iterable[Row], sealer: Sealer) -> Sequence[JournaledWrite]:
    """The writes of a selection. Raises SealedElsewhereError for an answer of another root."""
    writes: list[JournaledWrite] = []
    for row in rows:
        write, attempt = row[:13], _attempt(row[13:])
        if writes and (writes[-1].instance, writes[-1].payer, writes[-1].nonce) == tuple(write[:3]):
            writes[-1] = replace(writes[-1], attempts=(*writes[-1].attempts, attempt))
        else:
            writes.append(_write(write, attempt, sealer))
    return writes


def microseconds(seconds: float) -> int:
    """A moment in unix seconds as the tables keep it."""
    return round(seconds * 1_000_000)


def _write(row: Row, attempt: Attempt, sealer: Sealer) -> JournaledWrite:
    instance, payer, nonce, purpose, to, data, value, gas, intent, answer, at_us, outcome, told = row
    sealed = None if answer is None else bytes.fromhex(str(answer))
    opened = records.open_answer(sealed, str(intent), sealer)
    return JournaledWrite(
        instance=str(instance),
        payer=str(payer),
        nonce=integer(nonce),
        purpose=Purpose(str(purpose)),
        transaction=Transaction(str(to), bytes.fromhex(str(data)), int(str(value)), integer(gas)),
        attempts=(attempt,),
        intent=records.intent_from_text(str(intent), opened) if intent is not None else None,
        journaled_at=integer(at_us) / 1_000_000,
        outcome=records.outcome_from_text(str(outcome)) if outcome is not None else None,
        told=bool(told),
    )


def _attempt(row: Row) -> Attempt:
    digest, raw, max_fee, priority_fee, cancels, stored_at_us = row
    fees = Fees(int(str(max_fee)), int(str(priority_fee)))
    return Attempt(str(digest), bytes.fromhex(str(raw)), fees, bool(cancels), integer(stored_at_us) / 1_000_000)


def integer(value: Value) -> int:
    """A whole number of a row. Raises TypeError for anything else."""
    if not isinstance(value, int):
        raise TypeError("the journal holds no integer where one belongs")
    return value
