"""Batch file of Safe's Transaction Builder, which shows signers the function and the argument by name."""

import json
from dataclasses import dataclass
from typing import Final

from compose.governance.steps import Call
from svc_verifier.chain.abi import keccak
from svc_verifier.formats.strict_json import Json

_VERSION: Final = "1.0"
_SHORT: Final = 18
"""Characters of an argument in the name of a batch: 0x and eight bytes."""


@dataclass(frozen=True, slots=True)
class Method:
    """Function of a contract with its arguments: name, ABI type and value as Safe shows it."""

    name: str
    arguments: tuple[tuple[str, str, str], ...] = ()


def safe_batch(call: Call, chain_id: int, safe: bytes | None, now_s: float) -> str:
    """Returns the file for a call on the app's contract; `safe` is the Safe's address where it is known."""
    method = Method(call.function.value, (("composeHash", "bytes32", f"0x{call.compose_hash.hex()}"),))
    return safe_batch_of(call.app_id, method, chain_id, safe, now_s)


def safe_batch_of(to: bytes, method: Method, chain_id: int, safe: bytes | None, now_s: float) -> str:
    """Returns the file for a call of `method` on the contract at `to` (20 bytes).

    `data` stays empty as in files that Safe writes: the builder encodes the named function, so a signer reads exactly
    what is sent.
    """
    inputs: list[Json] = [{"internalType": kind, "name": name, "type": kind} for name, kind, _ in method.arguments]
    short = ", ".join(value if len(value) <= _SHORT else f"{value[:_SHORT]}…" for _, _, value in method.arguments)
    meta: dict[str, Json] = {
        "name": f"{method.name} {short}".strip(),
        "description": f"{method.name}({', '.join(value for _, _, value in method.arguments)})",
        "createdFromSafeAddress": checksum_address(safe) if safe is not None else "",
    }
    transaction: dict[str, Json] = {
        "to": checksum_address(to),
        "value": "0",
        "data": None,
        "contractMethod": {"inputs": inputs, "name": method.name, "payable": False},
        "contractInputsValues": {name: value for name, _, value in method.arguments},
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
