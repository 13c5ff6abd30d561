"""A secp256k1 key that signs inside libsecp256k1 and does not print (port: `SigningKey`)."""

from typing import Final

from coincurve import PrivateKey

from node.errors import StartupRefusedError
from node.keyring.redacted import Redacted
from node.values import checksum_address, keccak256

DIGEST_LENGTH_BYTES: Final = 32
FIRST_RECOVERY_ID: Final = 27
"""Ethereum's v of recovery id 0 (Yellow Paper, appendix F)."""


def address_of(public_key: bytes) -> str:
    """EIP-55 address of a 65-byte uncompressed public key: the last 20 bytes of keccak256 of x and y."""
    return checksum_address("0x" + keccak256(public_key[1:])[12:].hex())


class Secp256k1Key(Redacted):
    """Implements `node.keyring.port.SigningKey` over coincurve; `scalar` is 32 bytes in 1..n-1."""

    __slots__ = ("_address", "_key", "_public_key")

    def __init__(self, scalar: bytes) -> None:
        self._key = PrivateKey(scalar)
        self._public_key = self._key.public_key.format(compressed=False)
        self._address = address_of(self._public_key)

    @property
    def address(self) -> str:
        """EIP-55 address."""
        return self._address

    @property
    def public_key(self) -> bytes:
        """65 bytes, uncompressed, leading 04."""
        return self._public_key

    def sign_digest(self, digest: bytes) -> bytes:
        """65 bytes r, s, v over a 32-byte digest: RFC 6979, low s, v 27 or 28. Raises ValueError for another length."""
        if len(digest) != DIGEST_LENGTH_BYTES:
            raise ValueError(f"A digest to sign must be {DIGEST_LENGTH_BYTES} bytes.")
        signature = self._key.sign_recoverable(digest, hasher=None)
        return signature[:64] + bytes([FIRST_RECOVERY_ID + signature[64]])

    def reveal(self) -> str:
        """The private scalar, 0x and 64 hex digits: for an action that was authorised to have it, and nothing else."""
        return "0x" + self._key.secret.hex()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._address}>"


def key_from_hex(text: str) -> Secp256k1Key:
    """A key an operator hands in: 64 hex digits, with or without 0x. Raises StartupRefusedError, which does not repeat it."""
    digits = text.removeprefix("0x")
    refusal = StartupRefusedError("--key-file", "holds no secp256k1 private key (0x and 64 hex digits).")
    if len(digits) != 2 * DIGEST_LENGTH_BYTES:
        raise refusal
    try:
        return Secp256k1Key(bytes.fromhex(digits))
    except ValueError:
        raise refusal from None
