"""Curve and hash functions the libraries of an action call, made native: `functions()` by name.

Every function takes and answers flat hex text without 0x, counts as decimal text, and answers "" for whatever it
cannot do. Keys that pass through are the action's own; the node's are not here.

The curve is libsecp256k1 out of coincurve's shared object, without coincurve's Python: importing that costs every
worker a hundred touched pages.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

import _pysha3  # type: ignore[import-not-found]  # a C extension without stubs

from node.engine.worker.callables import Native, Steps, Text, never_raising
from node.engine.worker.hashes import absorbed, digest_hex, finished, hmac_hex, pbkdf2_hex

_HASHES = {"sha256": "SHA-256", "sha512": "SHA-512"}
"""The libraries' names of what WebCrypto calls so."""
_CONTEXT_SEED_BYTES = 32


def functions() -> dict[str, Native]:
    """Every native function by the name the libraries know it by; none of them raises."""
    curve = _Curve(_load_curve())
    named: dict[str, Native] = {
        "keccak256": _keccak256,
        "digest": lambda name, data: digest_hex(_HASHES[name], data),
        "hmac": lambda name, key, data: hmac_hex(_HASHES[name], key, data),
        "pbkdf2": lambda name, *others: pbkdf2_hex(_HASHES[name], *others),
        "publicKey": curve.public_key,
        "signRecoverable": curve.sign_recoverable,
        "recover": curve.recover,
        "parsePoint": curve.parse,
        "addPoints": curve.add,
        "multiplyPoint": curve.multiply,
    }
    return {name: never_raising(function) for name, function in named.items()}


def _keccak256(data: Text) -> str | Steps:
    return finished(absorbed(_pysha3.keccak_256(), data), lambda state: state.digest().hex())


class _Curve:
    """secp256k1. Points are answered uncompressed, 65 bytes; signatures as r, s and the recovery id, 65 bytes."""

    def __init__(self, library: ModuleType) -> None:
        self._ffi = library.ffi
        self._lib = library.lib
        self._context = self._lib.secp256k1_context_create(self._lib.SECP256K1_CONTEXT_NONE)
        # Blinds the multiplications by secrets against who measures them.
        self._lib.secp256k1_context_randomize(self._context, os.urandom(_CONTEXT_SEED_BYTES))

    def public_key(self, private_key: str) -> str:
        """The point of a private key; "" when it is zero or not below the order."""
        point = self._ffi.new("secp256k1_pubkey *")
        made = self._lib.secp256k1_ec_pubkey_create(self._context, point, _exactly(32, private_key))
        return self._hex(point) if made else ""

    def sign_recoverable(self, private_key: str, digest: str) -> str:
        """ECDSA with the nonce of RFC 6979 and s in the lower half."""
        signature = self._ffi.new("secp256k1_ecdsa_recoverable_signature *")
        key, message = _exactly(32, private_key), _exactly(32, digest)
        null = self._ffi.NULL
        if not self._lib.secp256k1_ecdsa_sign_recoverable(self._context, signature, message, key, null, null):
            return ""
        compact, recovery = self._ffi.new("unsigned char[64]"), self._ffi.new("int *")
        self._lib.secp256k1_ecdsa_recoverable_signature_serialize_compact(self._context, compact, recovery, signature)
        return bytes(self._ffi.buffer(compact)).hex() + f"{recovery[0]:02x}"

    def recover(self, digest: str, compact: str, recovery: str) -> str:
        """The point that signed; "" when r or s is out of range or no point gives that signature."""
        if recovery not in {"0", "1", "2", "3"}:
            return ""
        signature, point = self._ffi.new("secp256k1_ecdsa_recoverable_signature *"), self._ffi.new("secp256k1_pubkey *")
        parse = self._lib.secp256k1_ecdsa_recoverable_signature_parse_compact
        if not parse(self._context, signature, _exactly(64, compact), int(recovery)):
            return ""
        found = self._lib.secp256k1_ecdsa_recover(self._context, point, signature, _exactly(32, digest))
        return self._hex(point) if found else ""

    def parse(self, point: str) -> str:
        """A point in any encoding of SEC 1, uncompressed; "" when it is not on the curve."""
        return self._hex(self._point(point))

    def add(self, one: str, other: str) -> str:
        """The sum of two points; "" when it is the point at infinity."""
        total = self._ffi.new("secp256k1_pubkey *")
        points = (self._point(one), self._point(other))
        made = self._lib.secp256k1_ec_pubkey_combine(self._context, total, points, len(points))
        return self._hex(total) if made else ""

    def multiply(self, point: str, scalar: str) -> str:
        """The point times the scalar: the shared point of ECDH."""
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
    # libsecp256k1 reads as many bytes as it expects, whatever it was given.
    raw = bytes.fromhex(text)
    if len(raw) != count:
        raise ValueError(f"needs {count} bytes")
    return raw


def _load_curve() -> ModuleType:
    """The extension of coincurve alone. Raises ImportError when it is not there."""
    if "coincurve" in sys.modules:
        return import_module("coincurve._libsecp256k1")
    # The extension imports its neighbour by the package's name: an empty package of that name is what it finds.
    package = ModuleType("coincurve")
    package.__path__ = [f"{folder}/coincurve" for folder in sys.path]
    sys.modules["coincurve"] = package
    try:
        return import_module("coincurve._libsecp256k1")
    finally:
        del sys.modules["coincurve"]
