"""Derives keys with HKDF-SHA256 (RFC 5869) from the enclave's root, by one table of labels.

A label is a text; its keccak256 hash, 32 bytes, enters a derivation. The inputs that follow are 32 bytes each and their
number is fixed for each label, so no two derivations can share an info string. Changing a text or the order of inputs
changes every key made from it: never edit a row, add one under a new text. Committed vectors pin every row.
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import count
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from node.keyring.errors import RootKeyUnavailableError
from node.keyring.port import Redacted
from node.values import U256_MAX, hash_of_text, keccak256

ROOT_LENGTH_BYTES: Final = 32
SALT: Final = b"svc/v1"
CURVE_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""n of secp256k1 (SEC 2, section 2.4.1)."""

P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""n of P-256 (SP 800-186, 3.2.1.3)."""
P256_CANDIDATE_BYTES: Final = 48
"""128 bits more than n has (FIPS 186-5, A.2.1). Rejection would be needed once in 2^32 seeds, and never be tested."""
P256_INFO: Final = b"p256"


class Label(StrEnum):
    """Labels, each with its inputs in order (32 bytes each, integers big-endian)."""

    WALLET = "svc/v1/wallet"
    """Chain id, contract address (left-padded), owner's master hash, derivation path: a wallet's scalar."""

    ENCRYPTION = "svc/v1/encryption"
    """The wallet's four inputs, then a `Purpose` hash: an AES-256 key."""

    ACTION_IDENTITY = "svc/v1/action-identity"
    """keccak256 of the CIDv0 text: a scalar."""

    PAYER = "svc/v1/payer"
    """keccak256 of the instance id's UTF-8 text, index: a scalar."""

    ADMIN_PAYER = "svc/v1/admin-payer"
    """No inputs: a scalar."""

    IDEMPOTENCY_SEAL = "svc/v1/idempotency/seal"
    """No inputs: an AES-256 key."""

    IDEMPOTENCY_MAC = "svc/v1/idempotency/mac"
    """No inputs: an HMAC-SHA256 key."""

    CUSTOMER_EMAIL = "svc/v1/customer-email"
    """No inputs: the AES-256 key that seals e-mail addresses on their way to the card processor."""

    TLS = "svc/v1/tls"
    """keccak256 of the instance id's UTF-8 text: the AES-256 key that seals the certificate key on disk."""

    ACME_ACCOUNT = "svc/v1/acme-account"
    """No inputs: the seed of the ACME account key."""

    MASTER_WALLET_PATH = "svc/v1/master-wallet-path"
    """No HKDF and no secret: keccak256(label hash, apiKeyHash) is a master wallet's derivation path."""

    USAGE_KEY_WALLET_PATH = "svc/v1/usage-key-wallet-path"
    """Likewise: keccak256(label hash, usage key hash) is the path of the wallet minted with a usage key."""


class Purpose(StrEnum):
    """Last input of an encryption key: the use of the key, as a keccak256 hash."""

    ACTION_MESSAGES = "svc/v1/purpose/action-messages"
    """`Encrypt` and `Decrypt` of actions."""


def label_hash(label: Label | Purpose) -> bytes:
    """Return the keccak256 hash of the label's UTF-8 text, 32 bytes."""
    return keccak256(label.value.encode())


def input_bytes(value: int) -> bytes:
    """Return a derivation input: `value` as 32 bytes, big-endian. Raises ValueError when it is no u256."""
    if not 0 <= value <= U256_MAX:
        raise ValueError("A key derivation input is not an unsigned 256-bit integer.")
    return value.to_bytes(32)


def text_input(text: str) -> int:
    """Return a text as a derivation input: keccak256 of its UTF-8 bytes. Raises ValueError when it is empty."""
    if not text:
        raise ValueError("A key derivation input is an empty text.")
    return hash_of_text(text)


def info_of(label: Label, inputs: Sequence[int]) -> bytes:
    """Return HKDF's info: the label's hash and the inputs, 32 bytes each, nothing between them."""
    return label_hash(label) + b"".join(map(input_bytes, inputs))


def scalar_from(expand: Callable[[bytes], bytes], info: bytes) -> bytes:
    """Return a secp256k1 scalar in 1..n-1 from `expand(info)`.

    A value of 0 or >= n (chance about 2^-128) is expanded again with a 32-byte big-endian counter, from 1, after info.
    """
    candidate = expand(info)
    for attempt in count(1):
        if 0 < int.from_bytes(candidate) < CURVE_ORDER:
            break
        candidate = expand(info + attempt.to_bytes(32))
    return candidate


class Derivation(Redacted):
    """HKDF bound to a root. Only HKDF's extracted key is kept, inside a keyed HMAC object, and the root is not."""

    __slots__ = ("_keyed",)

    def __init__(self, root: bytes) -> None:
        if len(root) != ROOT_LENGTH_BYTES:
            raise RootKeyUnavailableError(f"The enclave root must be {ROOT_LENGTH_BYTES} bytes.")
        self._keyed = hmac.new(hmac.digest(SALT, root, "sha256"), digestmod=hashlib.sha256)

    def key(self, label: Label, *inputs: int) -> bytes:
        """Return 32 secret bytes for `label` and its inputs."""
        return self._expand(info_of(label, inputs))

    def scalar(self, label: Label, *inputs: int) -> bytes:
        """Return a secp256k1 private key, 32 bytes big-endian, for `label` and its inputs."""
        return scalar_from(self._expand, info_of(label, inputs))

    def _expand(self, info: bytes) -> bytes:
        block = self._keyed.copy()
        block.update(info + b"\x01")
        return block.digest()


def p256_key_of(seed: bytes) -> EllipticCurvePrivateKey:
    """Return the private key HKDF-Expand-SHA256(`seed`, "p256", 48 bytes) mod (n - 1), plus 1."""
    candidate = int.from_bytes(HKDFExpand(SHA256(), P256_CANDIDATE_BYTES, P256_INFO).derive(seed))
    return derive_private_key(candidate % (P256_ORDER - 1) + 1, SECP256R1())
