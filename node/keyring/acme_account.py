"""The key of the ACME account, from its derived seed: P-256, which every ACME server takes (RFC 8555, 6.2: ES256)."""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

CURVE_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""n of P-256 (SP 800-186, 3.2.1.3)."""
CANDIDATE_LENGTH_BYTES: Final = 48
"""128 bits more than n has: FIPS 186-5, A.2.1. Rejection would be needed once in 2^32 seeds, and never be tested."""
INFO: Final = b"p256"


def p256_key_of(seed: bytes) -> EllipticCurvePrivateKey:
    """The private key: HKDF-Expand-SHA256(`seed`, "p256", 48 bytes) mod (n - 1), plus 1."""
    candidate = int.from_bytes(HKDFExpand(SHA256(), CANDIDATE_LENGTH_BYTES, INFO).derive(seed))
    return derive_private_key(candidate % (CURVE_ORDER - 1) + 1, SECP256R1())
