"""The enclave's one root, obtained from the TEE's key service at start."""

import hmac
from typing import Final, Protocol

from pydantic import SecretBytes

from attest.errors import AttestError, AttestErrorCode
from attest.key_chain import kms_root_public_key
from attest.responses import DerivedKey, Info
from node.errors import StartupRefusedError
from node.keyring.errors import RootKeyUnavailableError
from node.keyring.port import Redacted

ROOT_PATH: Final = "svc/v1/root"
"""Names service, version and use. The platform separates the keys of an app by the path alone."""

ROOT_PURPOSE: Final = "svc/v1/root"
"""Enters only the platform's signature over the key, and keeps that signature from meaning anything else."""

ROOT_ALGORITHM: Final = "secp256k1"
"""Curve of the key that the platform signs. The bytes do not depend on it."""

RETRY_AFTER_S: Final = 5


class KeyService(Protocol):
    """Key service of the TEE, as `attest.guest_agent.GuestAgent` implements it."""

    async def info(self) -> Info:
        """Return the identity of this TD. Raises AttestError."""
        ...

    async def get_key(self, path: str, purpose: str, algorithm: str = "secp256k1") -> DerivedKey:
        """Return the app's key at `path`. Raises AttestError."""
        ...


class EnclaveRoot(Redacted):
    """The root, and the public key of the service that vouches for it: 33 bytes, compressed, not secret."""

    __slots__ = ("_material", "kms_public_key")

    def __init__(self, material: bytes, kms_public_key: bytes) -> None:
        self._material = SecretBytes(material)
        self.kms_public_key = kms_public_key

    def reveal(self) -> bytes:
        """Return the 32 secret bytes, for `EnclaveKeyring` alone."""
        return self._material.get_secret_value()


async def obtain_root(service: KeyService, pinned_kms_key: bytes | None = None) -> EnclaveRoot:
    """Request the root from the key service, and check the chain of keys that vouches for it.

    `pinned_kms_key` is the 33-byte compressed public key the chain must end in; None accepts any, for development.
    Raises StartupRefusedError when the response is not from the pinned service or is malformed (a retry gives the same),
    RootKeyUnavailableError when the service is unreachable or slow (a retry may help).
    """
    try:
        answer = await service.get_key(ROOT_PATH, ROOT_PURPOSE, ROOT_ALGORITHM)
        kms_key = kms_root_public_key(answer, ROOT_PURPOSE, (await service.info()).app_id)
    except AttestError as error:
        raise _translated(error) from None
    if pinned_kms_key is not None and not hmac.compare_digest(kms_key, pinned_kms_key):
        raise StartupRefusedError(
            "kms_root_public_key", f"the guest agent's key chain ends in {kms_key.hex()}, which is not the pinned key."
        )
    return EnclaveRoot(answer.key.get_secret_value(), kms_key)


def _translated(error: AttestError) -> RootKeyUnavailableError | StartupRefusedError:
    if error.code in {AttestErrorCode.UNREACHABLE, AttestErrorCode.TIMEOUT}:
        return RootKeyUnavailableError(f"The root key cannot be had: {error.message}", retry_after_s=RETRY_AFTER_S)
    return StartupRefusedError("guest_agent", f"the guest agent gave no usable root key. {error.message}")
