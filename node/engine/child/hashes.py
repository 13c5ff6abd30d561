"""Digests, HMAC and PBKDF2 by WebCrypto's names, for every function that is handed to the script.

They are Python's own C modules, without OpenSSL and so without hashlib: importing it costs every process more than all
the rest.
"""

import sys
from _sha1 import sha1  # type: ignore[import-not-found]  # a part of Python that typeshed leaves out

if sys.version_info >= (3, 12):
    from _sha2 import sha256, sha384, sha512
else:
    from _sha256 import sha256  # type: ignore[import-not-found]  # likewise
    from _sha512 import sha384, sha512  # type: ignore[import-not-found]  # likewise

_HASHES = {"SHA-1": (sha1, 64), "SHA-256": (sha256, 64), "SHA-384": (sha384, 128), "SHA-512": (sha512, 128)}
"""Constructor and block size in bytes."""


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
