"""GetKey as dstack's KMS and guest agent do it: two HKDF steps and two signatures (attestation.md section 4)."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from coincurve import PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from attest.key_chain import issued_digest, purpose_digest

KEY_SALT: Final = b"RATLS"
KMS_ROOT: Final = b"svc tee-simulator kms root"
QUOTING_KEY: Final = b"svc tee-simulator quoting key "
"""What the simulator derives from its seed; its own texts, nobody else's format."""


def derive(key_material: bytes, info: bytes) -> bytes:
    """32 bytes: HKDF-SHA256 with dstack's salt."""
    return HKDF(SHA256(), 32, KEY_SALT, info).derive(key_material)


def quoting_seed(seed: bytes, name: str) -> bytes:
    """32 bytes from which one of the simulator's quoting keys is made."""
    return hmac.digest(seed, QUOTING_KEY + name.encode(), hashlib.sha256)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """32 secret bytes and their two 65-byte signatures: by the app key, by the KMS root."""

    key: bytes
    signature_chain: tuple[bytes, bytes]

    def __repr__(self) -> str:
        return "<IssuedKey redacted>"


class KeyService:
    """The KMS root of one simulator, and the app key it issues to `app_id` (20 bytes)."""

    __slots__ = ("_app_key", "_root_signature", "root_public_key")

    def __init__(self, seed: bytes, app_id: bytes) -> None:
        root = PrivateKey(derive(seed, KMS_ROOT))
        self._app_key = PrivateKey(derive(root.secret, app_id + b"app-key"))
        app_public_key = self._app_key.public_key.format(compressed=True)
        self._root_signature = root.sign_recoverable(issued_digest(app_id, app_public_key), hasher=None)
        self.root_public_key = root.public_key.format(compressed=True)
        """33 bytes, compressed: what a node would pin."""

    def issue(self, path: str, purpose: str) -> IssuedKey:
        """The key at `path`. `purpose` enters the signature alone, as on the real platform."""
        key = derive(self._app_key.secret, path.encode())
        public_key = PrivateKey(key).public_key.format(compressed=True)
        signature = self._app_key.sign_recoverable(purpose_digest(purpose, public_key), hasher=None)
        return IssuedKey(key, (signature, self._root_signature))

    def __repr__(self) -> str:
        return "<KeyService redacted>"
