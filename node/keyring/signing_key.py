"""Secp256k1 keys that sign in libsecp256k1, and recovery of a signer's address."""

from typing import Final

from coincurve import PrivateKey, PublicKey
from coincurve.context import GLOBAL_CONTEXT

from node.errors import StartupRefusedError
from node.keyring.port import Redacted
from node.values import checksum_address, keccak256

CURVE_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Order n of secp256k1 (SEC 2, section 2.4.1)."""
DIGEST_LENGTH_BYTES: Final = 32
FIRST_RECOVERY_ID: Final = 27
"""Ethereum's v for recovery id 0 (Yellow Paper, appendix F)."""
WHOLE_LENGTH: Final = 65
"""Bytes of r, s and v."""
COMPACT_LENGTH: Final = 64
"""Bytes of r and s, with the y parity in the highest bit of s (EIP-2098)."""
_WORD: Final = 32
_PARITY: Final = 1 << 255
_RECOVERY_IDS: Final = {0: 0, 1: 1, FIRST_RECOVERY_ID: 0, FIRST_RECOVERY_ID + 1: 1}
_HIGHEST_S: Final = CURVE_ORDER // 2
"""Largest valid s. Of the two signatures that verify, EIP-2 allows the one with the lower s."""


def address_of(public_key: bytes) -> str:
    """Returns the EIP-55 address of a 65-byte public key, the last 20 bytes of its keccak256."""
    # Skip the leading 04 of the uncompressed form (SEC 1, 2.3.3).
    return checksum_address("0x" + keccak256(public_key[1:])[12:].hex())


class _EcdsaKey(PrivateKey):
    """A private key without the x-only public key, which only Schnorr signatures need."""

    def __init__(self, secret: bytes) -> None:
        # libsecp256k1 reads 32 bytes of any input.
        if len(secret) != _WORD:
            raise ValueError("A private scalar must be 32 bytes.")
        # super().__init__ multiplies the base point twice, and every wallet call makes a key.
        self.public_key = PublicKey.from_secret(secret)
        self.secret, self.context = secret, GLOBAL_CONTEXT


class Secp256k1Key(Redacted):
    """Implements `node.keyring.port.SigningKey` with coincurve. `scalar` is 32 bytes in 1..n-1."""

    __slots__ = ("_address", "_key", "_public_key")

    def __init__(self, scalar: bytes) -> None:
        self._key = _EcdsaKey(scalar)
        self._public_key = self._key.public_key.format(compressed=False)
        self._address = address_of(self._public_key)

    @property
    def address(self) -> str:
        """Address with EIP-55 checksum."""
        return self._address

    @property
    def public_key(self) -> bytes:
        """Uncompressed public key, 65 bytes with leading 04."""
        return self._public_key

    def sign_digest(self, digest: bytes) -> bytes:
        """Signs a 32-byte digest. Returns r, s, v (RFC 6979, low s, v 27 or 28)."""
        if len(digest) != DIGEST_LENGTH_BYTES:
            raise ValueError(f"A digest to sign must be {DIGEST_LENGTH_BYTES} bytes.")
        # libsecp256k1 signs deterministically (RFC 6979) and gives the lower s (EIP-2).
        signature = self._key.sign_recoverable(digest, hasher=None)
        return signature[:64] + bytes([FIRST_RECOVERY_ID + signature[64]])

    def reveal(self) -> str:
        """Returns the private scalar, 0x and 64 hex digits, for an action authorised to read it."""
        return "0x" + self._key.secret.hex()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._address}>"


def key_from_hex(text: str) -> Secp256k1Key:
    """Reads an operator's key, 64 hex digits, 0x optional. Raises StartupRefusedError."""
    digits = text.removeprefix("0x")
    refusal = StartupRefusedError("--key-file", "holds no secp256k1 private key (0x and 64 hex digits).")
    if len(digits) != 2 * DIGEST_LENGTH_BYTES:
        raise refusal
    try:
        return Secp256k1Key(bytes.fromhex(digits))
    except ValueError:
        # `from None` keeps the text out of the traceback.
        raise refusal from None


def recovered_address(digest: bytes, signature: bytes) -> str | None:
    """Returns the EIP-55 address that signed `digest` (SEC 1, 4.1.6); None if invalid.

    A valid signature has 65 bytes with v 0, 1, 27 or 28, or 64 bytes (EIP-2098), and a low s.
    """
    if len(signature) not in (WHOLE_LENGTH, COMPACT_LENGTH):
        return None
    r, s = signature[:_WORD], int.from_bytes(signature[_WORD : 2 * _WORD])
    # EIP-2098 uses the highest bit of s, since a valid s is at most half the order.
    if len(signature) == COMPACT_LENGTH:
        recovery_id: int | None = s >> 255
        s &= _PARITY - 1
    else:
        recovery_id = _RECOVERY_IDS.get(signature[2 * _WORD])
    # The higher s would be a second valid signature of the same digest (EIP-2).
    if recovery_id is None or s > _HIGHEST_S:
        return None
    try:
        signer = PublicKey.from_signature_and_message(r + s.to_bytes(_WORD) + bytes([recovery_id]), digest, hasher=None)
    except ValueError:
        return None
    return address_of(signer.format(compressed=False))
