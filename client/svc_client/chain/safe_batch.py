"""Batch file of a Safe's Transaction Builder. It names functions and values for the signer."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from svc_verifier.formats.strict_json import Json

_VERSION: Final = "1.0"


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call of the contract at `to` (EIP-55), without value.

    Each argument has its name, its ABI type, and its value as the builder parses it.
    """

    to: str
    function: str
    arguments: tuple[tuple[str, str, str], ...]


def batch_file(calls: Sequence[NamedCall], chain_id: int, safe: str, name: str, description: str) -> str:
    """Returns the file, one transaction a call. `safe` is an EIP-55 address, "" if unknown."""
    batch: dict[str, Json] = {
        "version": _VERSION,
        # The Transaction Builder wants milliseconds, and the chain id as a text.
        "chainId": str(chain_id),
        "createdAt": int(time.time() * 1000),
        "meta": {"name": name, "description": description, "createdFromSafeAddress": safe},
        "transactions": [_transaction(call) for call in calls],
    }
    return json.dumps(batch, indent=2, ensure_ascii=False) + "\n"


def _transaction(call: NamedCall) -> Json:
    return {
        "to": call.to,
        "value": "0",
        # Empty as in Safe's own files: the builder encodes the named function.
        "data": None,
        "contractMethod": {
            "inputs": [{"internalType": kind, "name": name, "type": kind} for name, kind, _ in call.arguments],
            "name": call.function,
            "payable": False,
        },
        "contractInputsValues": {name: value for name, _, value in call.arguments},
    }
