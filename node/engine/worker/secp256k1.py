"""Ethereum's curve by libsecp256k1, from coincurve's shared object.

Coincurve's Python would cost every worker a hundred touched pages.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

_CONTEXT_SEED_BYTES = 32


class Secp256k1:
    """Native functions of libsecp256k1 on hex. Points and signatures (r, s, id) have 65 bytes."""

    def __init__(self) -> None:
        library = _load_library()
        self._ffi = library.ffi
        self._lib = library.lib
        self._context = self._lib.secp256k1_context_create(self._lib.SECP256K1_CONTEXT_NONE)
        # Blinds multiplications by secrets against side channels.
        self._lib.secp256k1_context_randomize(self._context, os.urandom(_CONTEXT_SEED_BYTES))

    def public_key(self, private_key: str) -> str:
        """Returns a private key's point; "" if it is zero or not below the order."""
        point = self._ffi.new("secp256k1_pubkey *")
        made = self._lib.secp256k1_ec_pubkey_create(self._context, point, _exactly(32, private_key))
        return self._hex(point) if made else ""

    def sign_recoverable(self, private_key: str, digest: str) -> str:
        """Signs by ECDSA with the nonce of RFC 6979 and a low s."""
        signature = self._ffi.new("secp256k1_ecdsa_recoverable_signature *")
        key, message = _exactly(32, private_key), _exactly(32, digest)
        null = self._ffi.NULL
        # NULL selects the library's own RFC 6979 nonce; the lower s is required by EIP-2.
        if not self._lib.secp256k1_ecdsa_sign_recoverable(self._context, signature, message, key, null, null):
            return ""
        compact, recovery = self._ffi.new("unsigned char[64]"), self._ffi.new("int *")
        self._lib.secp256k1_ecdsa_recoverable_signature_serialize_compact(self._context, compact, recovery, signature)
        return bytes(self._ffi.buffer(compact)).hex() + f"{recovery[0]:02x}"

    def recover(self, digest: str, compact: str, recovery: str) -> str:
        """Returns the signer's point; "" if r or s is out of range or fits no point."""
        if recovery not in {"0", "1", "2", "3"}:
            return ""
        signature, point = self._ffi.new("secp256k1_ecdsa_recoverable_signature *"), self._ffi.new("secp256k1_pubkey *")
        parse = self._lib.secp256k1_ecdsa_recoverable_signature_parse_compact
        if not parse(self._context, signature, _exactly(64, compact), int(recovery)):
            return ""
        found = self._lib.secp256k1_ecdsa_recover(self._context, point, signature, _exactly(32, digest))
        return self._hex(point) if found else ""

    def parse(self, point: str) -> str:
        """Returns a SEC 1 point uncompressed; "" if it is not on the curve."""
        return self._hex(self._point(point))

    def add(self, one: str, other: str) -> str:
        """Returns the sum of two points; "" if it is the point at infinity."""
        total = self._ffi.new("secp256k1_pubkey *")
        points = (self._point(one), self._point(other))
        made = self._lib.secp256k1_ec_pubkey_combine(self._context, total, points, len(points))
        return self._hex(total) if made else ""

    def multiply(self, point: str, scalar: str) -> str:
        """Returns the point times the scalar, the shared point of ECDH."""
        product = self._point(point)
        made = self._lib.secp256k1_ec_pubkey_tweak_mul(self._context, product, _exactly(32, scalar))
        return self._hex(product) if made else ""

    def _point(self, encoded: str) -> object:
        raw, point = bytes.fromhex(encoded), self._ffi.new("secp256k1_pubkey *")
        if not self._lib.secp256k1_ec_pubkey_parse(self._context, point, raw, len(raw)):
            raise ValueError("not a point of the curve")
        return point

    def _hex(self, point: object) -> str:
        encoded, length = self._ffi.new("unsigned char[65]"), self._ffi.new("size_t *", 65)
        uncompressed = self._lib.SECP256K1_EC_UNCOMPRESSED
        self._lib.secp256k1_ec_pubkey_serialize(self._context, encoded, length, point, uncompressed)
        return bytes(self._ffi.buffer(encoded)).hex()


def _exactly(count: int, text: str) -> bytes:
    # libsecp256k1 reads the bytes it expects from any input.
    raw = bytes.fromhex(text)
    if len(raw) != count:
        raise ValueError(f"needs {count} bytes")
    return raw


def _load_library() -> ModuleType:
    """Imports only coincurve's extension. Raises ImportError if it is missing."""
    if "coincurve" in sys.modules:
        return import_module("coincurve._libsecp256k1")
    # The extension imports its neighbour by package name, so provide an empty package.
    package = ModuleType("coincurve")
    package.__path__ = [f"{folder}/coincurve" for folder in sys.path]
    sys.modules["coincurve"] = package
    try:
        return import_module("coincurve._libsecp256k1")
    finally:
        del sys.modules["coincurve"]
