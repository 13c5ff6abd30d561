"""Digests, HMAC, PBKDF2 and P-256 for `crypto.subtle`, as functions handed to the script: `functions()` by name.

Digests are Python's own C modules, without OpenSSL and so without hashlib: importing it costs every process more than
all the rest. What passes is flat hex text without 0x; every function answers "" for what it cannot do, since a
callable that raises breaks the binding (engine.md section 2). The keys are the action's own.
"""

import sys
from _collections_abc import Callable  # collections.abc would bring the whole of collections
from _sha1 import sha1  # type: ignore[import-not-found]  # a part of Python that typeshed leaves out

from node.engine.child import p256

if sys.version_info >= (3, 12):
    from _sha2 import sha256, sha384, sha512
else:
    from _sha256 import sha256  # type: ignore[import-not-found]  # likewise
    from _sha512 import sha384, sha512  # type: ignore[import-not-found]  # likewise

Native = Callable[..., str]

_HASHES = {"SHA-1": (sha1, 64), "SHA-256": (sha256, 64), "SHA-384": (sha384, 128), "SHA-512": (sha512, 128)}
"""Constructor and block size in bytes."""


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
    return {name: _never_raising(function) for name, function in named.items()}


def digest(name: str, data: bytes) -> bytes:
    """The digest of WebCrypto's name. Raises KeyError for another."""
    value: bytes = _HASHES[name][0](data).digest()
    return value


class Hmac:
    """HMAC (RFC 2104) under one key; the two keyed states are made once."""

    def __init__(self, name: str, key: bytes) -> None:
        self._make, block = _HASHES[name]
        padded = (self._make(key).digest() if len(key) > block else key).ljust(block, b"\0")
        self._inner = self._make(bytes(byte ^ 0x36 for byte in padded))
        self._outer = self._make(bytes(byte ^ 0x5C for byte in padded))

    def of(self, data: bytes) -> bytes:
        """The code of the data."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(data)
        outer.update(inner.digest())
        code: bytes = outer.digest()
        return code


def pbkdf2(code: Hmac, salt: bytes, iterations: int, length: int) -> bytes:
    """`length` bytes by RFC 8018, section 5.2."""
    key = b""
    block = 0
    while len(key) < length:
        block += 1
        last = code.of(salt + block.to_bytes(4))
        total = int.from_bytes(last)
        for _ in range(iterations - 1):
            last = code.of(last)
            total ^= int.from_bytes(last)
        key += total.to_bytes(len(last))
    return key[:length]


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


def _never_raising(function: Native) -> Native:
    def answer(*arguments: object) -> str:
        try:
            return function(*arguments)
        except BaseException:  # noqa: BLE001 - a raise breaks the binding, MemoryError's too
            return ""

    return answer
