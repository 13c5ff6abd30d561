"""AES-256-GCM under one derived key (port: `Sealer`; NIST SP 800-38D)."""

import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from node.keyring.redacted import Redacted

VERSION: Final = b"\x01"
NONCE_LENGTH_BYTES: Final = 12
TAG_LENGTH_BYTES: Final = 16
OVERHEAD_BYTES: Final = len(VERSION) + NONCE_LENGTH_BYTES + TAG_LENGTH_BYTES
"""How much longer a sealed value is than its plaintext."""


class AesGcmSealer(Redacted):
    """Implements `node.keyring.port.Sealer`; sealed = version byte, 12-byte random nonce, ciphertext, 16-byte tag."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Version, nonce, ciphertext and tag; version and `context` are authenticated."""
        nonce = secrets.token_bytes(NONCE_LENGTH_BYTES)
        return VERSION + nonce + self._cipher.encrypt(nonce, plaintext, VERSION + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """The plaintext. Raises ValueError when sealed under another key or context, or damaged, alike for all of them."""
        nonce, body = sealed[1 : 1 + NONCE_LENGTH_BYTES], sealed[1 + NONCE_LENGTH_BYTES :]
        if len(sealed) < OVERHEAD_BYTES or sealed[:1] != VERSION:
            raise ValueError("not a sealed value of this version")
        try:
            return self._cipher.decrypt(nonce, body, VERSION + context)
        except InvalidTag:
            raise ValueError("sealed under another key or context, or damaged") from None
