"""Tables, rows and texts of the write journal. A row of `chain_write` always has signed bytes.

Addresses and hashes are 0x hex, `data`, `raw` and `answer` hex without 0x, amounts of wei decimal
text, times unix microseconds. Every row belongs to an instance, since nodes share a database.
Intents, outcomes and errors are JSON text; what may hold a secret is sealed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from pydantic import JsonValue

from node.chain.errors import (
    CallerNotLiveError,
    ContractConflictError,
    InvalidCallError,
    NotOnChainError,
    PermissionMissingError,
    UnexpectedRevertError,
    WriteFailure,
    WriteLostError,
)
from node.chain.port import ContractCall, ContractEvent, WriteIntent
from node.chain.writes.model import (
    Attempt,
    CancelReason,
    Draft,
    Failed,
    Fees,
    JournaledWrite,
    Mined,
    Outcome,
    Purpose,
    Transaction,
)
from node.chain.writes.payer_accounts import PayerLeases
from node.database.port import Row, Statement, Value
from node.keyring.port import Sealer

COMPONENT: Final = "write_journal"

MIGRATIONS: Final = (
    """
    CREATE TABLE write_payer (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        next_nonce BIGINT NOT NULL,
        holder TEXT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer)
    )
    """,
    # The instance is in the key for the admin payer alone: all instances race for its nonces.
    """
    CREATE TABLE chain_write (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        nonce BIGINT NOT NULL,
        purpose TEXT NOT NULL,
        recipient TEXT NOT NULL,
        data TEXT NOT NULL,
        value TEXT NOT NULL,
        gas_limit BIGINT NOT NULL,
        write_id TEXT,
        idempotency_id TEXT,
        intent TEXT,
        answer TEXT,
        journaled_at_us BIGINT NOT NULL,
        first_hash TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'mined', 'failed')),
        outcome TEXT,
        block_number BIGINT,
        ended_at_us BIGINT,
        told BIGINT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer, nonce)
    )
    """,
    "CREATE UNIQUE INDEX chain_write_id ON chain_write (chain_id, write_id)",
    # One request, one write: the database refuses a second that is not known to have failed.
    """
    CREATE UNIQUE INDEX chain_write_once ON chain_write (chain_id, idempotency_id)
        WHERE idempotency_id IS NOT NULL AND state <> 'failed'
    """,
    """
    CREATE INDEX chain_write_idempotency ON chain_write (chain_id, idempotency_id) WHERE idempotency_id IS NOT NULL
    """,
    """
    CREATE INDEX chain_write_unfinished ON chain_write (chain_id, instance, payer) WHERE state = 'open' OR told = 0
    """,
    "CREATE INDEX chain_write_ended ON chain_write (chain_id, instance, ended_at_us) WHERE ended_at_us IS NOT NULL",
    """
    CREATE TABLE write_attempt (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        nonce BIGINT NOT NULL,
        ordinal BIGINT NOT NULL,
        hash TEXT NOT NULL,
        raw TEXT NOT NULL,
        max_fee TEXT NOT NULL,
        priority_fee TEXT NOT NULL,
        cancels BIGINT NOT NULL,
        stored_at_us BIGINT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer, nonce, ordinal),
        UNIQUE (chain_id, instance, hash),
        FOREIGN KEY (chain_id, instance, payer, nonce) REFERENCES chain_write ON DELETE CASCADE
    )
    """,
    # It named the process that may sign for this payer, which the lease tells: see PayerLeases.
    "ALTER TABLE write_payer DROP COLUMN holder",
    "ALTER TABLE write_attempt ADD COLUMN cancel_reason TEXT",
)


BYTES_KEY = "0x"
"""Only key of the object that stands for bytes; no contract argument is an object otherwise."""

_FAILURES: Final[Mapping[str, type[WriteFailure]]] = {
    "unauthorized": CallerNotLiveError,
    "forbidden": PermissionMissingError,
    "not_found": NotOnChainError,
    "conflict": ContractConflictError,
    "bad_request": InvalidCallError,
    "internal_error": UnexpectedRevertError,
    "chain_unavailable": WriteLostError,
}
"""Class of a stored failure by its code. Codes never change, since rows outlive a version."""


class SealedElsewhereError(Exception):
    """The journal was written under another root, or is damaged."""


def intent_to_text(intent: WriteIntent) -> str:
    """Encode an intent without its answer."""
    return _dump(
        {
            "write_id": intent.write_id,
            "function": intent.call.function,
            "arguments": intent.call.arguments,
            "caller_hash": intent.caller_hash,
            "idempotency_id": intent.idempotency_id,
            "charge": intent.charge,
            "may_use_reserve": intent.may_use_reserve,
        }
    )


def intent_from_text(text: str, answer: Mapping[str, JsonValue]) -> WriteIntent:
    """Decode an intent, its sequences as tuples."""
    record = json.loads(text)
    return WriteIntent(
        write_id=record["write_id"],
        call=ContractCall(record["function"], cast("tuple[object, ...]", _revive(record["arguments"]))),
        caller_hash=record["caller_hash"],
        idempotency_id=record["idempotency_id"],
        answer=answer,
        charge=record["charge"],
        may_use_reserve=record["may_use_reserve"],
    )


def seal_answer(intent: WriteIntent, sealer: Sealer) -> bytes | None:
    """Seal the intent's answer to all the rest of it; None when there is no answer."""
    if not intent.answer:
        return None
    return sealer.seal(_dump(intent.answer).encode(), _context(intent_to_text(intent)))


def open_answer(sealed: bytes | None, intent: str, sealer: Sealer) -> Mapping[str, JsonValue]:
    """Open the answer to the intent of this text.

    Raises SealedElsewhereError if it was damaged, or sealed under another root or to another
    intent: the operator of the database can put another request's answer, or its id, into a row.
    """
    if sealed is None:
        return {}
    try:
        text = sealer.open(sealed, _context(intent))
    except ValueError:
        raise SealedElsewhereError("A journaled answer does not open under this node's root.") from None
    opened: dict[str, JsonValue] = json.loads(text)
    return opened


def outcome_to_text(outcome: Outcome) -> str:
    """Encode an outcome for `outcome_from_text`."""
    where: dict[str, object] = {"transaction_hash": outcome.transaction_hash}
    where |= {"block_number": outcome.block_number, "block_index": outcome.block_index}
    if isinstance(outcome, Mined):
        return _dump({**where, "events": [{"name": each.name, "arguments": each.arguments} for each in outcome.events]})
    error = outcome.error
    # By its code, which never changes: a class may be renamed.
    code = next(code for code, kind in _FAILURES.items() if isinstance(error, kind))
    kept = {"code": code, "message": error.message, "fix": error.fix, "details": error.details}
    return _dump({**where, "error": {**kept, "retry_after_s": error.retry_after_s}})


def outcome_from_text(text: str) -> Outcome:
    """Decode an outcome."""
    record = json.loads(text)
    transaction_hash, block_number, error = record["transaction_hash"], record["block_number"], record.get("error")
    if error is not None:
        failure = _FAILURES[error.pop("code")](error.pop("message"), **error)
        return Failed(failure, transaction_hash, block_number, record["block_index"])
    events = (ContractEvent(each["name"], _revived_fields(each["arguments"])) for each in record["events"])
    return Mined(transaction_hash, block_number, tuple(events), record["block_index"])


def _context(intent: str) -> bytes:
    return b"svc/v1/journal-answer\0" + intent.encode()


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), default=_bytes_to_json)


def _bytes_to_json(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {BYTES_KEY: value.hex()}
    raise TypeError(f"{type(value).__name__} has no place in the journal")


def _revived_fields(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: _revive(value) for name, value in fields.items()}


def _revive(value: object) -> object:
    if isinstance(value, list):
        return tuple(_revive(each) for each in value)
    if isinstance(value, dict):
        return bytes.fromhex(str(value[BYTES_KEY]))
    return value


_COLUMNS: Final = (
    "w.instance, w.payer, w.nonce, w.purpose, w.recipient, w.data, w.value, w.gas_limit, w.intent, w.answer,"
    " w.journaled_at_us, w.outcome, w.told, a.hash, a.raw, a.max_fee, a.priority_fee, a.cancels,"
    " a.stored_at_us, a.cancel_reason"
)
_JOINED: Final = (
    # SQLite reads the tables of a CROSS JOIN in this order, and might else begin with all attempts.
    # The plus keeps it from applying a bound on the write's nonce to the attempts, and reading all.
    "FROM chain_write w CROSS JOIN write_attempt a WHERE a.chain_id = w.chain_id AND a.instance = w.instance"
    " AND a.payer = w.payer AND a.nonce = +w.nonce"
)
_INSERT: Final = """
INSERT INTO chain_write (chain_id, instance, payer, nonce, purpose, recipient, data, value, gas_limit, write_id,
    idempotency_id, intent, answer, journaled_at_us, first_hash, state, told)
SELECT chain_id, instance, payer, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ? FROM write_payer
"""
_OF_PAYER: Final = "WHERE chain_id = ? AND instance = ? AND payer = ?"
_IF_NEW: Final = "ON CONFLICT DO NOTHING RETURNING nonce"
_INSERT_NEXT: Final = f"{_INSERT} {_OF_PAYER} AND next_nonce = ? {_IF_NEW}"
_INSERT_ANYWHERE: Final = f"{_INSERT} {_OF_PAYER} {_IF_NEW}"
# `first_hash` ties the attempt to this very write.
_ATTEMPT: Final = """
INSERT INTO write_attempt (chain_id, instance, payer, nonce, ordinal, hash, raw, max_fee, priority_fee, cancels,
    stored_at_us, cancel_reason)
SELECT w.chain_id, w.instance, w.payer, w.nonce, (
        SELECT COUNT(*) FROM write_attempt a
        WHERE a.chain_id = w.chain_id AND a.instance = w.instance AND a.payer = w.payer AND a.nonce = w.nonce
    ), ?, ?, ?, ?, ?, ?, ?
FROM chain_write w WHERE w.chain_id = ? AND w.instance = ? AND w.payer = ? AND w.nonce = ? AND w.first_hash = ?
ON CONFLICT DO NOTHING
"""
_ATTEMPT_THERE: Final = """
SELECT 1 FROM write_attempt WHERE chain_id = ? AND instance = ? AND payer = ? AND nonce = ? AND hash = ?
"""


def selection(condition: str, order: str, values: Sequence[Value]) -> Statement:
    """Selects the writes (`w`) that meet a constant condition, a row for each of their attempts."""
    sql = f"SELECT {_COLUMNS} {_JOINED} AND {condition} ORDER BY {order}, w.instance, w.payer, w.nonce, a.ordinal"
    return Statement(sql, tuple(values))


def insertion(leases: PayerLeases, row: JournaledWrite, sealed: bytes | None, *, counted: bool) -> Statement:
    """Insert the write. Returns its nonce; no row when its request, id or nonce is taken.

    `counted`: only where the payer's next nonce is this one.
    """
    intent, transaction = row.intent, row.transaction
    noted = (intent.write_id, intent.idempotency_id, intent_to_text(intent)) if intent else (None,) * 3
    values: tuple[Value, ...] = (
        *(row.nonce, row.purpose.value, transaction.to, transaction.data.hex(), str(transaction.value)),
        *(transaction.gas_limit, *noted, None if sealed is None else sealed.hex(), microseconds(row.journaled_at)),
        *(row.attempts[0].hash, int(row.notified), *leases.key(row.payer)),
    )
    return Statement(_INSERT_NEXT, (*values, row.nonce)) if counted else Statement(_INSERT_ANYWHERE, values)


def attempt_insertion(leases: PayerLeases, row: JournaledWrite, attempt: Attempt) -> Statement:
    """Inserts these bytes after the write's others. An attempt that is there stays as it is."""
    fees, reason = attempt.fees, attempt.cancels
    values = (
        *(attempt.hash, attempt.raw.hex(), str(fees.max_fee), str(fees.priority_fee), int(reason is not None)),
        *(microseconds(attempt.stored_at), reason and reason.value),
    )
    return Statement(_ATTEMPT, (*values, *leases.key(row.payer), row.nonce, row.attempts[0].hash))


def attempt_selection(leases: PayerLeases, row: JournaledWrite, attempt: Attempt) -> Statement:
    """Select one row if these bytes are stored as the write's."""
    return Statement(_ATTEMPT_THERE, (*leases.key(row.payer), row.nonce, attempt.hash))


def row_of(instance: str, draft: Draft, nonce: int, attempt: Attempt) -> JournaledWrite:
    """Returns the write as it will be stored. Without an intent it has no observer to notify."""
    return JournaledWrite(
        instance=instance,
        payer=draft.payer,
        nonce=nonce,
        purpose=draft.purpose,
        transaction=draft.transaction,
        attempts=(attempt,),
        intent=draft.intent,
        journaled_at=draft.now,
        notified=draft.intent is None,
    )


def writes_of(rows: Iterable[Row], sealer: Sealer) -> Sequence[JournaledWrite]:
    """Returns the writes of a selection. Raises SealedElsewhereError for another root's answer."""
    writes: list[JournaledWrite] = []
    for row in rows:
        write, attempt = row[:13], _attempt(row[13:])
        if writes and (writes[-1].instance, writes[-1].payer, writes[-1].nonce) == tuple(write[:3]):
            writes[-1] = replace(writes[-1], attempts=(*writes[-1].attempts, attempt))
        else:
            writes.append(_write(write, attempt, sealer))
    return writes


def microseconds(seconds: float) -> int:
    """Convert unix seconds to the integer that the tables keep."""
    # Integers: both databases store and compare them exactly.
    return round(seconds * 1_000_000)


def _write(row: Row, attempt: Attempt, sealer: Sealer) -> JournaledWrite:
    instance, payer, nonce, purpose, to, data, value, gas, intent, answer, at_us, outcome, notified = row
    sealed = None if answer is None else bytes.fromhex(str(answer))
    opened = open_answer(sealed, str(intent), sealer)
    return JournaledWrite(
        instance=str(instance),
        payer=str(payer),
        nonce=integer(nonce),
        purpose=Purpose(str(purpose)),
        transaction=Transaction(str(to), bytes.fromhex(str(data)), int(str(value)), integer(gas)),
        attempts=(attempt,),
        intent=intent_from_text(str(intent), opened) if intent is not None else None,
        journaled_at=integer(at_us) / 1_000_000,
        outcome=outcome_from_text(str(outcome)) if outcome is not None else None,
        notified=bool(notified),
    )


def _attempt(row: Row) -> Attempt:
    digest, raw, max_fee, priority_fee, cancels, stored_at_us, reason = row
    fees = Fees(int(str(max_fee)), int(str(priority_fee)))
    why = _cancel_reason(reason) if cancels else None
    return Attempt(str(digest), bytes.fromhex(str(raw)), fees, why, integer(stored_at_us) / 1_000_000)


def _cancel_reason(stored: Value) -> CancelReason:
    # Release 0.1.0 stores none, and a later one may store another.
    return CancelReason(str(stored)) if stored in set(CancelReason) else CancelReason.NOT_STORED


def integer(value: Value) -> int:
    """Returns a whole number of a row. Raises TypeError for anything else."""
    if not isinstance(value, int):
        raise TypeError("the journal holds no integer where one belongs")
    return value
