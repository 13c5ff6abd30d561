"""Native functions for actions in a fixed order, since a snapshot has their numbers.

Every function takes and returns flat hex without 0x, counts as decimal text, and names as they
are. It returns "" for invalid input. Keys that pass through are the action's own; the node's are
not here.
"""

from collections.abc import Callable

import _pysha3  # type: ignore[import-not-found]  # a C extension without stubs

from node.engine.domains import domain_to_ascii
from node.engine.worker import openssl, secp256k1
from node.engine.worker.hashes import (
    Native,
    digest_hex,
    digest_of,
    equal_hex,
    hmac_hex,
    never_raising,
    pbkdf2_hex,
)
from node.engine.worker.openssl import AesStream

_HASHES = {"sha256": "SHA-256", "sha512": "SHA-512"}
"""WebCrypto's names by the libraries' names."""


def functions(stream: Callable[[], AesStream]) -> dict[str, Native]:
    """Returns every native function by name, in the order of their numbers.

    `stream` returns the AES stream of the calling instance.
    """
    return {"domainToAscii": never_raising(domain_to_ascii), **crypto_functions(stream), **library_functions()}


def library_names() -> tuple[str, ...]:
    """Returns the names of the libraries' functions; the prelude keeps the others."""
    return tuple(library_functions())


def crypto_functions(stream: Callable[[], AesStream]) -> dict[str, Native]:
    """Returns the functions of `crypto.subtle` by the prelude's names; none raises."""
    named: dict[str, Native] = {
        "subtleDigest": digest_hex,
        "subtleHmac": hmac_hex,
        "subtlePbkdf2": pbkdf2_hex,
        "subtleEqual": equal_hex,
        "ecPublic": openssl.ec_public,
        "ecPoint": openssl.ec_point,
        "ecSign": openssl.ec_sign,
        "ecVerify": openssl.ec_verify,
        "ecAgree": openssl.ec_agree,
        "aesWrap": openssl.aes_wrap,
        "aesUnwrap": openssl.aes_unwrap,
        "aesBegin": lambda *arguments: stream().begin(*arguments),
        "aesAdditional": lambda part: stream().additional(part),
        "aesUpdate": lambda part: stream().update(part),
        "aesFinish": lambda tag: stream().finish(tag),
    }
    return {name: never_raising(function) for name, function in named.items()}


def library_functions() -> dict[str, Native]:
    """Returns curve and hash functions by the libraries' names; none raises."""
    named: dict[str, Native] = {
        "keccak256": lambda data: digest_of(_pysha3.keccak_256(), data),
        "digest": lambda name, data: digest_hex(_HASHES[name], data),
        "hmac": lambda name, key, data: hmac_hex(_HASHES[name], key, data),
        "pbkdf2": lambda name, *others: pbkdf2_hex(_HASHES[name], *others),
        "publicKey": secp256k1.public_key,
        "signRecoverable": secp256k1.sign_recoverable,
        "recover": secp256k1.recover,
        "parsePoint": secp256k1.parse,
        "addPoints": secp256k1.add,
        "multiplyPoint": secp256k1.multiply,
    }
    return {name: never_raising(function) for name, function in named.items()}
