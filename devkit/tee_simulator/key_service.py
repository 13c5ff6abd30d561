"""GetKey like dstack's KMS and guest agent, with two HKDF steps and two signatures."""

from dataclasses import dataclass
from typing import Final

from coincurve import PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from attest.key_chain import issued_digest, purpose_digest

KEY_SALT: Final = b"RATLS"
ED25519: Final = "ed25519"
KEY_ALGORITHMS: Final = ("", "secp256k1", "k256", ED25519)
"""Algorithms that the guest agent supports; the first three are the same."""

KMS_ROOT: Final = b"svc tee-simulator kms root"
"""Label of a derivation from the seed, which dstack does not have."""


def derive(key_material: bytes, info: bytes) -> bytes:
    """Returns 32 bytes of HKDF-SHA256 with dstack's salt."""
    return HKDF(SHA256(), 32, KEY_SALT, info).derive(key_material)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """32 secret bytes and their two 65-byte signatures, by the app key and the KMS root."""

    key: bytes
    signature_chain: tuple[bytes, bytes]

    def __repr__(self) -> str:
        return "<IssuedKey redacted>"


def kms_root_key(seed: bytes) -> bytes:
    """Returns the compressed public key of the seed's KMS root, the same for every app."""
    return _kms_root(seed).public_key.format(compressed=True)


def _kms_root(seed: bytes) -> PrivateKey:
    return PrivateKey(derive(seed, KMS_ROOT))


def _public_key(key: bytes, algorithm: str) -> bytes:
    if algorithm == ED25519:
        return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()
    return PrivateKey(key).public_key.format(compressed=True)


class KeyService:
    """The KMS root of one simulator, and the app key it issues to `app_id` (20 bytes)."""

    __slots__ = ("_app_key", "_root_signature", "root_public_key")

    def __init__(self, seed: bytes, app_id: bytes) -> None:
        root = _kms_root(seed)
        self._app_key = PrivateKey(derive(root.secret, app_id + b"app-key"))
        app_public_key = self._app_key.public_key.format(compressed=True)
        # hasher=None, since the digest is Keccak-256 already and coincurve would hash it again.
        self._root_signature = root.sign_recoverable(issued_digest(app_id, app_public_key), hasher=None)
        self.root_public_key = root.public_key.format(compressed=True)
        """Compressed public key of 33 bytes, which a node would pin."""

    def issue(self, path: str, purpose: str, algorithm: str) -> IssuedKey:
        """Returns the key at `path`. The other arguments only enter the signature."""
        key = derive(self._app_key.secret, path.encode())
        public_key = _public_key(key, algorithm)
        signature = self._app_key.sign_recoverable(purpose_digest(purpose, public_key), hasher=None)
        return IssuedKey(key, (signature, self._root_signature))

    def __repr__(self) -> str:
        return "<KeyService redacted>"
