"""Key material as the rest of the node may hold it: objects that sign and seal, and do not print; and the keyring's failures."""

from collections.abc import Sequence
from typing import NoReturn, Protocol

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from node.errors import DomainError


class UnsignableError(DomainError):
    """The caller asked for a signature of something that has none."""


class UnsignableMessageError(UnsignableError):
    """The message has no UTF-8 form, or too many bytes."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class UnsignableTypedDataError(UnsignableError):
    """The typed data is not what EIP-712 describes; `reason` names the field."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The typed data cannot be signed: {reason}.", details={"reason": reason})


class UnsignableTransactionError(UnsignableError):
    """The transaction has missing, wrong or unknown fields; `fields` are their names."""

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message, details={"fields": [*fields]})


class RootKeyUnavailableError(DomainError):
    """The TEE's key service gave no root key; a retry may help."""


class Redacted:
    """Base of classes that hold secrets. Their repr shows no content, and they are never pickled, copied or dumped."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} redacted>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and is never serialised")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and has no state to show")


class SigningKey(Protocol):
    """A secp256k1 key that stays in the keyring. Its repr shows the address alone."""

    @property
    def address(self) -> str:
        """EIP-55 address."""
        ...

    @property
    def public_key(self) -> bytes:
        """Public key: 65 bytes, uncompressed, leading 04."""
        ...

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign a 32-byte digest. Returns 65 bytes r, s, v: RFC 6979, low s (EIP-2), v 27 or 28."""
        ...

    def reveal(self) -> str:
        """Return the private scalar, 0x and 64 hex digits, for an action that is authorised to have it."""
        ...


class Sealer(Protocol):
    """Authenticated encryption (AES-256-GCM, fresh nonce) under one derived key."""

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Return version byte, nonce, ciphertext and tag. `context` is authenticated and must be the same to open."""
        ...

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Return the plaintext. Raises ValueError when sealed under another key or context, or damaged."""
        ...


class Keyring(Protocol):
    """Every key derived from the enclave's root. Bound at construction to chain id and contract address.

    A wallet's inputs are the owner's master hash and the derivation path, both u256.
    """

    def wallet(self, owner: int, derivation_path: int) -> SigningKey:
        """Return the wallet's key. The caller compares the address with the registered one before any use."""
        ...

    def master_wallet_path(self, api_key_hash: int) -> int:
        """Return the derivation path of an account's master wallet."""
        ...

    def usage_key_wallet_path(self, usage_key_hash: int) -> int:
        """Return the derivation path of the wallet that is minted with a usage key in ChainSecured mode."""
        ...

    def wallet_sealer(self, owner: int, derivation_path: int) -> Sealer:
        """Return the sealer of Encrypt and Decrypt of actions: its key is for that wallet and this purpose alone."""
        ...

    def action_identity(self, cid: str) -> SigningKey:
        """Return the key of the code with this CIDv0."""
        ...

    def payer(self, instance: str, index: int) -> SigningKey:
        """Return the key of the `index`-th payer of a node instance."""
        ...

    def admin_payer(self) -> SigningKey:
        """Return the key that registers payers and tops them up: the same for every instance."""
        ...

    def idempotency_sealer(self) -> Sealer:
        """Return the sealer of stored responses and of one-time secrets in the write journal."""
        ...

    def idempotency_mac(self, message: bytes) -> bytes:
        """Return the 32-byte HMAC-SHA256 by which idempotency rows are found."""
        ...

    def email_sealer(self) -> Sealer:
        """Return the sealer of e-mail addresses that wait for the card processor."""
        ...

    def tls_sealer(self, instance: str) -> Sealer:
        """Return the sealer of the private key of this instance's certificate, for its file on disk."""
        ...

    def acme_account_key(self) -> EllipticCurvePrivateKey:
        """Return the P-256 key of the ACME account: the same for every instance of an app."""
        ...
