"""Batch file of Safe's Transaction Builder, which shows signers the function and the argument by name."""

import json
from typing import Final

from compose.governance.steps import Call
from svc_verifier.chain.abi import keccak
from svc_verifier.formats.strict_json import Json

_VERSION: Final = "1.0"
_ARGUMENT: Final = "composeHash"


def safe_batch(call: Call, chain_id: int, safe: bytes | None, now_s: float) -> str:
    """Returns the file; `safe` is the Safe's address where it is known.

    `data` stays empty as in files that Safe writes: the builder encodes the named function, so a signer reads exactly
    what is sent.
    """
    argument = {"internalType": "bytes32", "name": _ARGUMENT, "type": "bytes32"}
    meta: dict[str, Json] = {
        "name": f"{call.function.value} 0x{call.compose_hash.hex()[:16]}…",
        "description": f"{call.function.value}(0x{call.compose_hash.hex()})",
        "createdFromSafeAddress": checksum_address(safe) if safe is not None else "",
    }
    transaction: dict[str, Json] = {
        "to": checksum_address(call.app_id),
        "value": "0",
        "data": None,
        "contractMethod": {"inputs": [dict(argument)], "name": call.function.value, "payable": False},
        "contractInputsValues": {_ARGUMENT: f"0x{call.compose_hash.hex()}"},
    }
    batch: dict[str, Json] = {
        "version": _VERSION,
        "chainId": str(chain_id),
        "createdAt": int(now_s * 1000),
        "meta": meta,
        "transactions": [transaction],
    }
    return json.dumps(batch, indent=2, ensure_ascii=False) + "\n"


def checksum_address(address: bytes) -> str:
    """Returns the EIP-55 form of 20 bytes."""
    digits = address.hex()
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        sign.upper() if int(mark, 16) >= 8 else sign for sign, mark in zip(digits, marks, strict=False)
    )
