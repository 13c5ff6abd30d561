"""Who signed a digest: the address a secp256k1 signature recovers to (pure; SEC 1, 4.1.6; EIP-2, EIP-2098)."""

from typing import Final

from coincurve import PublicKey

from node.keyring.derivation import CURVE_ORDER
from node.keyring.signing_key import FIRST_RECOVERY_ID, address_of

WHOLE_LENGTH: Final = 65
"""r, s, v."""
COMPACT_LENGTH: Final = 64
"""r, and s with the y parity in its highest bit (EIP-2098)."""
_WORD: Final = 32
_PARITY: Final = 1 << 255
_RECOVERY_IDS: Final = {0: 0, 1: 1, FIRST_RECOVERY_ID: 0, FIRST_RECOVERY_ID + 1: 1}
_HIGHEST_S: Final = CURVE_ORDER // 2
"""EIP-2: of the two signatures that verify, only the one with the lower s is one."""


def recovered_address(digest: bytes, signature: bytes) -> str | None:
    """The EIP-55 address that signed the 32-byte `digest`; None for what is no signature of a key.

    65 bytes with v 0, 1, 27 or 28, or 64 bytes compact; s at most half the curve's order.
    """
    if len(signature) not in (WHOLE_LENGTH, COMPACT_LENGTH):
        return None
    r, s = signature[:_WORD], int.from_bytes(signature[_WORD : 2 * _WORD])
    if len(signature) == COMPACT_LENGTH:
        recovery_id: int | None = s >> 255
        s &= _PARITY - 1
    else:
        recovery_id = _RECOVERY_IDS.get(signature[2 * _WORD])
    if recovery_id is None or s > _HIGHEST_S:
        return None
    try:
        signer = PublicKey.from_signature_and_message(r + s.to_bytes(_WORD) + bytes([recovery_id]), digest, hasher=None)
    except ValueError:
        return None
    return address_of(signer.format(compressed=False))
