"""Native functions that actions call, in a fixed order: a snapshot holds their numbers and not their names.

Every function takes and answers flat hex text without 0x, counts as decimal text, and answers "" for whatever it cannot do.
Keys that pass through are the action's own; the node's are not here.
"""

from _collections_abc import Callable  # collections.abc would bring the whole of collections

import _pysha3  # type: ignore[import-not-found]  # a C extension without stubs

from node.engine.worker import p256
from node.engine.worker.hashes import (
    Hmac,
    Native,
    Steps,
    Text,
    absorbed,
    digest_hex,
    finished,
    hmac_hex,
    never_raising,
    new_hash,
    pbkdf2_hex,
)
from node.engine.worker.secp256k1 import Secp256k1

_HASHES = {"sha256": "SHA-256", "sha512": "SHA-512"}
"""The libraries' names of what WebCrypto calls so."""


def functions() -> dict[str, Native]:
    """Every native function by the name that the prelude and the libraries know it by. The order is the numbering."""
    return {**crypto_functions(), **library_functions()}


def library_names() -> tuple[str, ...]:
    """Names of the functions that the libraries receive; the prelude keeps the others to itself."""
    return tuple(library_functions())


def crypto_functions() -> dict[str, Native]:
    """Digests, HMAC, PBKDF2 and P-256 for `crypto.subtle`, by the name the prelude knows them by; none of them raises."""
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
    # RFC 6979 §3.2, steps d to g.
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
        # RFC 6979 §3.2, step h.3: a candidate out of range is replaced deterministically.
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


def library_functions() -> dict[str, Native]:
    """Curve and hash functions by the name the libraries know them by; none of them raises."""
    curve = Secp256k1()
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
