"""Native functions that actions call, in a fixed order: a snapshot holds their numbers and not their names.

Every function takes and answers flat hex text without 0x, counts as decimal text, and answers "" for whatever it cannot do.
Keys that pass through are the action's own; the node's are not here.
"""

from _collections_abc import Callable  # collections.abc would bring the whole of collections

import _pysha3  # type: ignore[import-not-found]  # a C extension without stubs

from node.engine.worker import openssl
from node.engine.worker.hashes import (
    Native,
    Steps,
    Text,
    absorbed,
    digest_hex,
    equal_hex,
    finished,
    hmac_hex,
    never_raising,
    pbkdf2_hex,
)
from node.engine.worker.openssl import AesStream
from node.engine.worker.secp256k1 import Secp256k1

_HASHES = {"sha256": "SHA-256", "sha512": "SHA-512"}
"""The libraries' names of what WebCrypto calls so."""


def functions(stream: Callable[[], AesStream]) -> dict[str, Native]:
    """Every native function by the name that the prelude and the libraries know it by. The order is the numbering.

    `stream` answers that of the instance which calls.
    """
    return {**crypto_functions(stream), **library_functions()}


def library_names() -> tuple[str, ...]:
    """Names of the functions that the libraries receive; the prelude keeps the others to itself."""
    return tuple(library_functions())


def crypto_functions(stream: Callable[[], AesStream]) -> dict[str, Native]:
    """Functions of `crypto.subtle` by the name the prelude knows them by; none of them raises."""
    named: dict[str, Native] = {
        "subtleDigest": digest_hex,
        "subtleHmac": hmac_hex,
        "subtlePbkdf2": pbkdf2_hex,
        "subtleEqual": equal_hex,
        "p256Public": openssl.p256_public,
        "p256Point": openssl.p256_point,
        "p256Sign": openssl.p256_sign,
        "p256Verify": openssl.p256_verify,
        "p256Agree": openssl.p256_agree,
        "aesBegin": lambda *arguments: stream().begin(*arguments),
        "aesAdditional": lambda part: stream().additional(part),
        "aesUpdate": lambda part: stream().update(part),
        "aesFinish": lambda tag: stream().finish(tag),
    }
    return {name: never_raising(function) for name, function in named.items()}


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
