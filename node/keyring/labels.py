"""The one table of derivation labels; committed vectors pin every row.

A label is a text; what enters a derivation is its keccak256 hash, 32 bytes. The inputs that follow it are
32 bytes each and their number is fixed per label, so no two derivations can share an info string. Changing a
text or the order of inputs changes every key made from it: never edit a row, add one under a new text.
"""

from enum import StrEnum

from node.values import keccak256


class Label(StrEnum):
    """What is derived, with its inputs in order (each 32 bytes, integers big-endian)."""

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

    TLS = "svc/v1/tls"
    """keccak256 of the instance id's UTF-8 text: the AES-256 key that seals the certificate key on disk."""

    ACME_ACCOUNT = "svc/v1/acme-account"
    """No inputs: the seed of the ACME account key."""

    MASTER_WALLET_PATH = "svc/v1/master-wallet-path"
    """Not HKDF and not secret: keccak256(label hash, apiKeyHash) is a master wallet's derivation path."""

    USAGE_KEY_WALLET_PATH = "svc/v1/usage-key-wallet-path"
    """Likewise: keccak256(label hash, usage key hash) is the path of the wallet minted with a usage key."""


class Purpose(StrEnum):
    """The last input of an encryption key: what the key is used for, as a keccak256 hash."""

    ACTION_MESSAGES = "svc/v1/purpose/action-messages"
    """`Encrypt` and `Decrypt` of actions."""


def label_hash(label: Label | Purpose) -> bytes:
    """The 32 bytes that stand for `label`: keccak256 of its UTF-8 text."""
    return keccak256(label.value.encode())
