"""HKDF-SHA256 from the enclave root (RFC 5869)."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

from node.keyring.errors import RootKeyUnavailableError
from node.keyring.labels import Label, label_hash
from node.keyring.redacted import Redacted
from node.values import U256_MAX, hash_of_text

ROOT_LENGTH_BYTES: Final = 32
SALT: Final = b"svc/v1"
CURVE_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""n of secp256k1 (SEC 2, section 2.4.1)."""


def input_bytes(value: int) -> bytes:
    """Returns one derivation input: `value` as 32 bytes, big-endian. Raises ValueError when it is no u256."""
    if not 0 <= value <= U256_MAX:
        raise ValueError("A key derivation input is not an unsigned 256-bit integer.")
    return value.to_bytes(32)


def text_input(text: str) -> int:
    """Returns a text as a derivation input: keccak256 of its UTF-8 bytes. Raises ValueError when it is empty."""
    if not text:
        raise ValueError("A key derivation input is an empty text.")
    return hash_of_text(text)


def info_of(label: Label, inputs: Sequence[int]) -> bytes:
    """Returns HKDF's info: the label's hash and the inputs, 32 bytes each, nothing between them."""
    return label_hash(label) + b"".join(map(input_bytes, inputs))


def scalar_from(expand: Callable[[bytes], bytes], info: bytes) -> bytes:
    """Returns a secp256k1 scalar in 1..n-1 from `expand(info)`.

    A value of 0 or >= n (chance about 2^-128) is redone with a 32-byte big-endian counter, from 1, appended to info.
    """
    candidate = expand(info)
    for attempt in count(1):
        if 0 < int.from_bytes(candidate) < CURVE_ORDER:
            break
        candidate = expand(info + attempt.to_bytes(32))
    return candidate


class Derivation(Redacted):
    """HKDF bound to one root. Only HKDF's extracted key is kept, inside a keyed HMAC object; the root is not."""

    __slots__ = ("_keyed",)

    def __init__(self, root: bytes) -> None:
        if len(root) != ROOT_LENGTH_BYTES:
            raise RootKeyUnavailableError(f"The enclave root must be {ROOT_LENGTH_BYTES} bytes.")
        self._keyed = hmac.new(hmac.digest(SALT, root, "sha256"), digestmod=hashlib.sha256)

    def key(self, label: Label, *inputs: int) -> bytes:
        """32 secret bytes for `label` and its inputs."""
        return self._expand(info_of(label, inputs))

    def scalar(self, label: Label, *inputs: int) -> bytes:
        """A secp256k1 private key, 32 bytes big-endian, for `label` and its inputs."""
        return scalar_from(self._expand, info_of(label, inputs))

    def _expand(self, info: bytes) -> bytes:
        block = self._keyed.copy()
        block.update(info + b"\x01")
        return block.digest()
