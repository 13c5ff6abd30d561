"""An EIP-1559 transaction, signed by a key that came from a file or standard input (pure)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from coincurve import PrivateKey

from compose.errors import ComposeError, Exit
from svc_verifier.chain.abi import keccak

RlpItem: TypeAlias = "bytes | int | Sequence[RlpItem]"
_KEY: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")
_DYNAMIC_FEE: Final = b"\x02"
_LONGEST_SHORT_FORM: Final = 55


class SigningKey:
    """A secp256k1 key that signs and does not print."""

    __slots__ = ("_key", "address")

    def __init__(self, text: str) -> None:
        """`text` is 64 hex digits. Raises ComposeError(MISUSE), which does not repeat it."""
        refusal = ComposeError(Exit.MISUSE, "the key file holds no secp256k1 private key (0x and 64 hex digits).")
        digits = text.strip()
        if not _KEY.fullmatch(digits):
            raise refusal
        try:
            self._key = PrivateKey(bytes.fromhex(digits.removeprefix("0x")))
        except ValueError:
            raise refusal from None
        self.address: bytes = keccak(self._key.public_key.format(compressed=False)[1:])[12:]

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        """Parity, r and s over a 32-byte digest: RFC 6979, low s."""
        signature = self._key.sign_recoverable(digest, hasher=None)
        return signature[64], int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])

    def __repr__(self) -> str:
        return f"<SigningKey of 0x{self.address.hex()}>"


@dataclass(frozen=True, slots=True)
class Fees:
    """Wei for each unit of gas, and how much gas."""

    gas: int
    max_fee_wei: int
    priority_fee_wei: int


def signed_call(key: SigningKey, chain_id: int, nonce: int, fees: Fees, to: bytes, data: bytes) -> bytes:
    """The raw transaction, for eth_sendRawTransaction (EIP-1559)."""
    body: list[RlpItem] = [chain_id, nonce, fees.priority_fee_wei, fees.max_fee_wei, fees.gas, to, 0, data, []]
    signature = key.sign(keccak(_DYNAMIC_FEE + rlp(body)))
    return _DYNAMIC_FEE + rlp([*body, *signature])


def rlp(item: RlpItem) -> bytes:
    """Recursive length prefix encoding (Yellow Paper, appendix B)."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8)
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < 0x80 else _header(0x80, len(item)) + item
    body = b"".join(map(rlp, item))
    return _header(0xC0, len(body)) + body


def _header(offset: int, length: int) -> bytes:
    if length <= _LONGEST_SHORT_FORM:
        return bytes([offset + length])
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([offset + _LONGEST_SHORT_FORM + len(size)]) + size
