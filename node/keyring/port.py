"""Key material as the rest of the node may hold it: objects that sign and seal, and do not print."""

from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey


class SigningKey(Protocol):
    """A secp256k1 key that lives in the keyring; its repr shows the address alone."""

    @property
    def address(self) -> str:
        """EIP-55 address."""
        ...

    @property
    def public_key(self) -> bytes:
        """65 bytes, uncompressed, leading 04."""
        ...

    def sign_digest(self, digest: bytes) -> bytes:
        """65 bytes r, s, v over a 32-byte digest: RFC 6979, low s, v 27 or 28."""
        ...

    def reveal(self) -> str:
        """The private scalar, 0x and 64 hex digits: for an action that was authorised to have it, and nothing else."""
        ...


class Sealer(Protocol):
    """Authenticated encryption (AES-256-GCM, fresh nonce) under one derived key."""

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Version byte, nonce, ciphertext and tag; `context` is authenticated and must be the same to open."""
        ...

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """The plaintext. Raises ValueError when sealed under another key or context, or damaged."""
        ...


class Keyring(Protocol):
    """Every derived key. Bound at construction to chain id and contract address.

    A wallet's inputs are the owner's master hash and the derivation path, both u256.
    """

    def wallet(self, owner: int, derivation_path: int) -> SigningKey:
        """The wallet's key. The caller compares the address with the registered one before any use."""
        ...

    def master_wallet_path(self, api_key_hash: int) -> int:
        """The derivation path of an account's master wallet."""
        ...

    def usage_key_wallet_path(self, usage_key_hash: int) -> int:
        """The derivation path of the wallet that is minted with a usage key in ChainSecured mode."""
        ...

    def wallet_sealer(self, owner: int, derivation_path: int) -> Sealer:
        """What Encrypt and Decrypt of actions use: a key for that wallet and this purpose alone."""
        ...

    def action_identity(self, cid: str) -> SigningKey:
        """The key of the code with this CIDv0."""
        ...

    def payer(self, instance: str, index: int) -> SigningKey:
        """The `index`-th payer of one node instance."""
        ...

    def admin_payer(self) -> SigningKey:
        """The admin payer: names payers and tops them up; the same for every instance."""
        ...

    def idempotency_sealer(self) -> Sealer:
        """Seals kept answers and the journal's one-time secrets."""
        ...

    def idempotency_mac(self, message: bytes) -> bytes:
        """32-byte MAC by which idempotency rows are found."""
        ...

    def tls_sealer(self, instance: str) -> Sealer:
        """Seals the private key of this instance's certificate before it touches the disk."""
        ...

    def acme_account_key(self) -> EllipticCurvePrivateKey:
        """The P-256 key of the ACME account: the same for every instance of one app."""
        ...
