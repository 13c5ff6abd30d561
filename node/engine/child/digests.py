"""Digests, HMAC, PBKDF2 and P-256 for `crypto.subtle`, as functions handed to the script: `functions()` by name.

What passes is flat hex text without 0x; every function answers "" for what it cannot do, since a
callable that raises breaks the binding (engine.md section 2). The keys are the action's own.
"""

from node.engine.child import p256
from node.engine.child.callables import Native, never_raising
from node.engine.child.hashes import Hmac, digest, pbkdf2


def functions() -> dict[str, Native]:
    """Every function by the name the prelude knows it by; none of them raises."""
    named: dict[str, Native] = {
        "subtleDigest": lambda name, data: digest(name, bytes.fromhex(data)).hex(),
        "subtleHmac": lambda name, key, data: Hmac(name, bytes.fromhex(key)).of(bytes.fromhex(data)).hex(),
        "subtlePbkdf2": lambda name, password, salt, iterations, length: pbkdf2(
            Hmac(name, bytes.fromhex(password)), bytes.fromhex(salt), int(iterations), int(length)
        ).hex(),
        "p256Public": lambda private: p256.encode_point(p256.multiply(_private(private), p256.G)).hex(),
        "p256Point": lambda point: p256.encode_point(p256.parse_point(bytes.fromhex(point))).hex(),
        "p256Sign": lambda private, name, data: sign(_private(private), name, bytes.fromhex(data)).hex(),
        "p256Verify": _verify,
        "p256Agree": _agree,
    }
    return {name: never_raising(function) for name, function in named.items()}


def sign(private: int, name: str, data: bytes) -> bytes:
    """ECDSA over the digest of the data, r ‖ s, with the nonce of RFC 6979: no randomness is needed, none can fail."""
    hashed = digest(name, data)
    width = 32
    seed = private.to_bytes(width) + (int.from_bytes(hashed[:width]) % p256.N).to_bytes(width)
    value, key = b"\x01" * len(hashed), b"\x00" * len(hashed)
    for mark in (b"\x00", b"\x01"):
        key = Hmac(name, key).of(value + mark + seed)
        value = Hmac(name, key).of(value)
    while True:
        nonce = b""
        while len(nonce) < width:
            value = Hmac(name, key).of(value)
            nonce += value
        signature = p256.sign(private, hashed, int.from_bytes(nonce[:width]))
        if signature is not None:
            return signature
        key = Hmac(name, key).of(value + b"\x00")
        value = Hmac(name, key).of(value)


def _verify(public: str, name: str, data: str, signature: str) -> str:
    point = p256.parse_point(bytes.fromhex(public))
    return "valid" if p256.verify(point, digest(name, bytes.fromhex(data)), bytes.fromhex(signature)) else "invalid"


def _agree(private: str, public: str) -> str:
    shared = p256.multiply(_private(private), p256.parse_point(bytes.fromhex(public)))
    return shared[0].to_bytes(32).hex()


def _private(text: str) -> int:
    scalar = int(text, 16)
    if not 0 < scalar < p256.N:
        raise ValueError("not a private key")
    return scalar
