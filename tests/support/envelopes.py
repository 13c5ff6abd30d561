"""Typed-data envelopes as a user's wallet makes them: built and hashed by eth-account, not by the node's own code."""

import base64
import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak

CHAIN_ID: Final = 31337
DOMAIN_TYPE: Final = (("name", "string"), ("version", "string"), ("chainId", "uint256"))
MESSAGE_TYPE: Final = (("address", "address"), ("issuedAt", "uint256"))
ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def fields(listed: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    """A struct's definition as EIP-712 writes it."""
    return [{"name": name, "type": kind} for name, kind in listed]


def envelope(primary_type: str, address: str, issued_at: int, chain_id: int = CHAIN_ID) -> dict[str, Any]:
    """A whole one, with the values as the specification gives them: texts."""
    return {
        "types": {"EIP712Domain": fields(DOMAIN_TYPE), primary_type: fields(MESSAGE_TYPE)},
        "primaryType": primary_type,
        "domain": {"name": "Service ChainSecured", "version": "1", "chainId": str(chain_id)},
        "message": {"address": address, "issuedAt": str(issued_at)},
    }


def digest_of(typed_data: Mapping[str, Any]) -> bytes:
    """The digest eth-account makes of it."""
    whole = copy.deepcopy(dict(typed_data))
    whole["domain"]["chainId"] = int(str(whole["domain"]["chainId"]), 0)
    whole["message"]["issuedAt"] = int(whole["message"]["issuedAt"])
    signable = encode_typed_data(full_message=whole)
    return bytes(keccak(b"\x19" + signable.version + signable.header + signable.body))


@dataclass(frozen=True)
class Eoa:
    """A plain wallet."""

    key: str

    @classmethod
    def of(cls, label: str) -> "Eoa":
        """The same wallet for the same label."""
        return cls("0x" + keccak(label.encode()).hex())

    @property
    def address(self) -> str:
        """EIP-55."""
        return str(Account.from_key(self.key).address)

    def sign_digest(self, digest: bytes) -> bytes:
        """65 bytes r, s, v."""
        return bytes(Account.unsafe_sign_hash(digest, self.key).signature)

    def sign(self, typed_data: Mapping[str, Any]) -> str:
        """0x hex of the 65 bytes."""
        return "0x" + self.sign_digest(digest_of(typed_data)).hex()

    def request(self, primary_type: str, issued_at: int, **more: object) -> dict[str, Any]:
        """A whole request body of this wallet's."""
        typed_data = envelope(primary_type, self.address, issued_at)
        return {"typed_data": typed_data, "signature": self.sign(typed_data), **more}

    def header(self, issued_at: int, primary_type: str = "BillingAuth") -> str:
        """The value of `X-Wallet-Auth`."""
        return header_of(self.request(primary_type, issued_at))


def header_of(contents: object) -> str:
    """Any contents as a header's value."""
    return base64.b64encode(json.dumps(contents).encode()).decode()


def compact(signature: bytes) -> bytes:
    """EIP-2098 of 65 bytes."""
    r, s, v = signature[:32], int.from_bytes(signature[32:64]), signature[64]
    return r + (s | (v - 27) << 255).to_bytes(32)


def high_s(signature: bytes) -> bytes:
    """The other signature that verifies: n - s, with the other parity."""
    s = ORDER - int.from_bytes(signature[32:64])
    return signature[:32] + s.to_bytes(32) + bytes([27 + 28 - signature[64]])
