"""Interfaces of keys and sealers for the rest of the node, and the keyring's errors."""

from collections.abc import Sequence
from typing import NoReturn, Protocol

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from node.errors import DomainError


class UnsignableError(DomainError):
    """The requested signature is of something that cannot be signed."""


class UnsignableMessageError(UnsignableError):
    """The message has no UTF-8 form or too many bytes."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class UnsignableTypedDataError(UnsignableError):
    """The typed data violates EIP-712; `reason` names the field."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The typed data cannot be signed: {reason}.", details={"reason": reason})


class UnsignableTransactionError(UnsignableError):
    """The transaction has missing, wrong or unknown fields, named in `fields`."""

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message, details={"fields": [*fields]})


class RootKeyUnavailableError(DomainError):
    """The TEE's key service gave no root key. A retry may help."""


class Redacted:
    """Base of classes with secrets. Hides content in repr, and refuses pickle, copy and dump."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} redacted>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and is never serialised")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and has no state to show")


class SigningKey(Protocol):
    """A secp256k1 key that stays in the keyring. Its repr shows only the address."""

    @property
    def address(self) -> str:
        """Address with EIP-55 checksum."""
        ...

    @property
    def public_key(self) -> bytes:
        """Uncompressed public key, 65 bytes with leading 04."""
        ...

    def sign_digest(self, digest: bytes) -> bytes:
        """Signs a 32-byte digest. Returns 65 bytes r, s, v (RFC 6979, low s, v 27 or 28)."""
        ...

    def reveal(self) -> str:
        """Returns the private scalar, 0x and 64 hex digits, for an action authorised to read it."""
        ...


class Sealer(Protocol):
    """Authenticated encryption (AES-256-GCM, random nonce) under one derived key."""

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Returns version, nonce, ciphertext and tag. `open` needs the same `context`."""
        ...

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Returns the plaintext. Raises ValueError for another key, other context or damage."""
        ...


class Keyring(Protocol):
    """Every key derived from the enclave's root, for one chain id and contract address.

    A wallet's inputs are the owner's master hash and the derivation path, both u256.
    """

    def wallet(self, owner: int, derivation_path: int) -> SigningKey:
        """Returns the wallet's key. The caller compares its address with the registered one."""
        ...

    def master_wallet_path(self, api_key_hash: int) -> int:
        """Returns the derivation path of an account's master wallet."""
        ...

    def usage_key_wallet_path(self, usage_key_hash: int) -> int:
        """Returns the derivation path of a usage key's wallet in ChainSecured mode."""
        ...

    def wallet_sealer(self, owner: int, derivation_path: int) -> Sealer:
        """Returns the sealer of actions' Encrypt and Decrypt, for that wallet and purpose only."""
        ...

    def action_identity(self, cid: str) -> SigningKey:
        """Returns the key of the code with this CIDv0."""
        ...

    def payer(self, instance: str, index: int) -> SigningKey:
        """Returns the key of the `index`-th payer of a node instance."""
        ...

    def admin_payer(self) -> SigningKey:
        """Returns the key, shared by all instances, that registers and funds payers."""
        ...

    def idempotency_sealer(self) -> Sealer:
        """Returns the sealer of stored responses and of one-time secrets in the write journal."""
        ...

    def idempotency_mac(self, message: bytes) -> bytes:
        """Returns the 32-byte HMAC-SHA256 by which idempotency rows are found."""
        ...

    def email_sealer(self) -> Sealer:
        """Returns the sealer of e-mail addresses that wait for the card processor."""
        ...

    def tls_sealer(self, instance: str) -> Sealer:
        """Returns the sealer of this instance's certificate key in its file on disk."""
        ...

    def acme_account_key(self) -> EllipticCurvePrivateKey:
        """Returns the P-256 key, shared by all instances of an app, of the ACME account."""
        ...
