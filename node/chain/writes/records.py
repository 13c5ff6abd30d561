"""Intents, outcomes and errors as the journal keeps them: JSON text; what may hold a secret is sealed."""

import json
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from node.chain.port import ContractCall, ContractEvent, WriteIntent
from node.chain.writes.model import Failed, Mined, Outcome
from node.errors import ErrorCode, NodeError
from node.keyring.port import Sealer

BYTES_KEY = "0x"
"""Bytes stand as an object of this one key; no argument of the contract is an object of its own."""


class SealedElsewhereError(Exception):
    """The journal is of another root, or damaged."""


def intent_to_text(intent: WriteIntent) -> str:
    """Everything of an intent but its answer."""
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
    """The intent again, its sequences as tuples."""
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
    """The intent's answer, sealed to all the rest of it; None when there is nothing to keep."""
    if not intent.answer:
        return None
    return sealer.seal(_dump(intent.answer).encode(), _context(intent_to_text(intent)))


def open_answer(sealed: bytes | None, intent: str, sealer: Sealer) -> Mapping[str, JsonValue]:
    """The answer to the intent of this text again.

    Raises SealedElsewhereError when it was sealed under another root or to another intent, or was damaged: whoever
    keeps the database can put another request's answer, or its id, into a row.
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
    """An outcome, for `outcome_from_text`."""
    where: dict[str, object] = {"transaction_hash": outcome.transaction_hash}
    where |= {"block_number": outcome.block_number, "block_index": outcome.block_index}
    if isinstance(outcome, Mined):
        return _dump({**where, "events": [{"name": each.name, "arguments": each.arguments} for each in outcome.events]})
    error = outcome.error
    kept = {"code": error.code, "message": error.message, "fix": error.fix, "details": error.details}
    return _dump({**where, "error": {**kept, "retry_after_s": error.retry_after_s}})


def outcome_from_text(text: str) -> Outcome:
    """An outcome as it was noted."""
    record = json.loads(text)
    transaction_hash, block_number, error = record["transaction_hash"], record["block_number"], record.get("error")
    if error is not None:
        code, message = ErrorCode(error.pop("code")), error.pop("message")
        return Failed(NodeError(code, message, **error), transaction_hash, block_number, record["block_index"])
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
