"""Batch file of a Safe's Transaction Builder: the calls by function and values, so that a signer reads what is sent."""

import json
import time
from collections.abc import Sequence
from typing import Final

from svc_client.sovereign.calls import Call
from svc_client.sovereign.contract_abi import functions
from svc_verifier.formats.strict_json import Json

_VERSION: Final = "1.0"


def batch_file(calls: Sequence[Call], contract: str, chain_id: int, safe: str) -> str:
    """Return the file. `contract` and `safe` are EIP-55 addresses; each call is a transaction of its own in it."""
    batch: dict[str, Json] = {
        "version": _VERSION,
        # Milliseconds, and the chain id a text: so the Transaction Builder writes and reads it.
        "chainId": str(chain_id),
        "createdAt": int(time.time() * 1000),
        "meta": {
            "name": ", ".join(call.function for call in calls),
            "description": "; ".join(call.words for call in calls),
            "createdFromSafeAddress": safe,
        },
        "transactions": [_transaction(call, contract) for call in calls],
    }
    return json.dumps(batch, indent=2, ensure_ascii=False) + "\n"


def _transaction(call: Call, contract: str) -> Json:
    call.data  # noqa: B018 - refuses values that the builder could not encode either
    inputs = functions()[call.function].inputs
    values = zip([each.name for each in inputs], call.arguments, strict=True)
    return {
        "to": contract,
        "value": "0",
        # Empty, as in files that Safe writes: the builder encodes the named function.
        "data": None,
        "contractMethod": {
            "inputs": [{"internalType": each.kind, "name": each.name, "type": each.kind} for each in inputs],
            "name": call.function,
            "payable": False,
        },
        "contractInputsValues": {name: _shown(value) for name, value in values},
    }


def _shown(value: object) -> str:
    """Return a value as the builder parses it: lists in brackets, their items without quotation marks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)
