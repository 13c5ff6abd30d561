"""Keys and signatures that follow from the simulator's seed alone: two processes with one seed make the same bytes."""

import hashlib
import hmac
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

QUOTING_KEY: Final = b"svc tee-simulator quoting key "
"""What the simulator derives from its seed; its own text, nobody else's format."""


def seeded_bytes(seed: bytes, name: str) -> bytes:
    """32 bytes of that name."""
    return hmac.digest(seed, QUOTING_KEY + name.encode(), hashlib.sha256)


def seeded_key(seed: bytes, name: str) -> ec.EllipticCurvePrivateKey:
    """A P-256 key of that name."""
    # the order of P-256 is just below 2^256; taken modulo order minus one and plus one, any number is a valid scalar
    order = ec.SECP256R1().group_order
    return ec.derive_private_key(int.from_bytes(seeded_bytes(seed, name)) % (order - 1) + 1, ec.SECP256R1())


def raw_public_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    """X and y, 64 bytes."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)[1:]


def raw_signature(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    """R and s, 64 bytes, over SHA-256 of the message; deterministic (RFC 6979)."""
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(SHA256(), deterministic_signing=True)))
    return r.to_bytes(32) + s.to_bytes(32)
