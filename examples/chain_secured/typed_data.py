"""What a ChainSecured wallet signs for the service: the EIP-712 envelope of the specification, and its digest."""

import time
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

DOMAIN = [("name", "string"), ("version", "string"), ("chainId", "uint256")]
MESSAGE = [("address", "address"), ("issuedAt", "uint256")]


def envelope(primary_type: str, address: str, chain_id: int, issued_at: int | None = None) -> dict[str, Any]:
    """The object to sign. The service takes it for 300 seconds from `issued_at`, and for `primary_type` alone."""
    return {
        "types": {"EIP712Domain": _fields(DOMAIN), primary_type: _fields(MESSAGE)},
        "primaryType": primary_type,
        "domain": {"name": "Service ChainSecured", "version": "1", "chainId": str(chain_id)},
        "message": {"address": address, "issuedAt": str(int(time.time()) if issued_at is None else issued_at)},
    }


def digest(typed_data: dict[str, Any]) -> bytes:
    """The 32 bytes that are signed (EIP-712); a wallet's `eth_signTypedData_v4` computes the same."""
    domain, message = typed_data["domain"], typed_data["message"]
    separator = _hash("EIP712Domain", DOMAIN, [_text(domain["name"]), _text(domain["version"]), int(domain["chainId"])])
    signed = _hash(typed_data["primaryType"], MESSAGE, [message["address"], int(message["issuedAt"])])
    return keccak(b"\x19\x01" + separator + signed)


def _fields(fields: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "type": kind} for name, kind in fields]


def _hash(name: str, fields: list[tuple[str, str]], values: list[Any]) -> bytes:
    """hashStruct: strings stand by their hash."""
    kinds = ["bytes32" if kind == "string" else kind for _, kind in fields]
    described = ",".join(f"{kind} {field}" for field, kind in fields)
    return keccak(encode(["bytes32", *kinds], [keccak(text=f"{name}({described})"), *values]))


def _text(value: str) -> bytes:
    return keccak(text=value)
