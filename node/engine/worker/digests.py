"""Digests, HMAC, PBKDF2 and P-256 for `crypto.subtle`, as native functions: `functions()` by name.

What passes is flat hex text without 0x; every function answers "" for what it cannot do. The keys are the action's own.
"""

from _collections_abc import Callable  # collections.abc would bring the whole of collections

from node.engine.worker import p256
from node.engine.worker.callables import Native, Steps, Text, never_raising
from node.engine.worker.hashes import Hmac, absorbed, digest_hex, finished, hmac_hex, new_hash, pbkdf2_hex


def functions() -> dict[str, Native]:
    """Every function by the name the prelude knows it by; none of them raises."""
    named: dict[str, Native] = {
        "subtleDigest": digest_hex,
        "subtleHmac": hmac_hex,
        "subtlePbkdf2": pbkdf2_hex,
        "p256Public": lambda private: p256.encode_point(p256.multiply(_private(private), p256.G)).hex(),
        "p256Point": lambda point: p256.encode_point(p256.parse_point(bytes.fromhex(point))).hex(),
        "p256Sign": _sign,
        "p256Verify": _verify,
        "p256Agree": _agree,
    }
    return {name: never_raising(function) for name, function in named.items()}


def sign(private: int, name: str, hashed: bytes) -> bytes:
    """ECDSA over a digest, r ‖ s, with the nonce of RFC 6979: no randomness is needed, none can fail."""
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


def _sign(private: str, name: str, data: Text) -> str | Steps:
    scalar = _private(private)
    return _hashed(name, data, lambda hashed: sign(scalar, name, hashed).hex())


def _verify(public: str, name: str, data: Text, signature: str) -> str | Steps:
    point, claimed = p256.parse_point(bytes.fromhex(public)), bytes.fromhex(signature)
    return _hashed(name, data, lambda hashed: "valid" if p256.verify(point, hashed, claimed) else "invalid")


def _hashed(name: str, data: Text, finish: Callable[[bytes], str]) -> str | Steps:
    return finished(absorbed(new_hash(name), data), lambda state: finish(state.digest()))


def _agree(private: str, public: str) -> str:
    shared = p256.multiply(_private(private), p256.parse_point(bytes.fromhex(public)))
    return shared[0].to_bytes(32).hex()


def _private(text: str) -> int:
    scalar = int(text, 16)
    if not 0 < scalar < p256.N:
        raise ValueError("not a private key")
    return scalar
