"""Signature chain of a derived key, as GetKey returns it (pure).

The KMS root key signs the app's key for an app id, and that key signs the derived key for a
purpose. Both signatures are recoverable, so the check yields the root's public key. It proves
something only if it equals the key that the operator pinned or that the DstackKms contract names.
"""

from typing import Final

import sha3
from coincurve import PrivateKey, PublicKey

from attest.errors import AttestError, AttestErrorCode
from attest.responses import DerivedKey

ISSUED: Final = b"dstack-kms-issued:"
SIGNATURE_LENGTH_BYTES: Final = 65


def purpose_digest(purpose: str, public_key: bytes) -> bytes:
    """Returns the digest the app key signs, keccak256 of `purpose:` and the derived key in hex."""
    return _keccak256(f"{purpose}:{public_key.hex()}".encode())


def issued_digest(app_id: bytes, app_public_key: bytes) -> bytes:
    """Returns the digest the KMS root signs, keccak256 of its tag, app id and app key."""
    return _keccak256(ISSUED + app_id + app_public_key)


def kms_root_public_key(answer: DerivedKey, purpose: str, app_id: bytes) -> bytes:
    """Returns the 33-byte compressed public key at the root of the chain of `answer`.

    Raises AttestError(BAD_KEY_CHAIN) when a signature cannot be recovered. A forged chain recovers
    to *some* key, so the caller must compare the result with a pinned one.
    """
    try:
        derived = PrivateKey(answer.key.get_secret_value()).public_key.format(compressed=True)
    except ValueError:
        raise AttestError(AttestErrorCode.BAD_KEY_CHAIN, "The derived key is no secp256k1 scalar.") from None
    app_signature, root_signature = answer.signature_chain
    # From the leaf to the root, since a recovered key enters the next digest.
    app_public_key = _recover(app_signature, purpose_digest(purpose, derived))
    return _recover(root_signature, issued_digest(app_id, app_public_key))


def _recover(signature: bytes, digest: bytes) -> bytes:
    # dstack signs with v 0 or 1. Ethereum also writes 27 and 28, which coincurve rejects.
    if len(signature) != SIGNATURE_LENGTH_BYTES or signature[64] > 1:
        raise AttestError(AttestErrorCode.BAD_KEY_CHAIN, "A signature of the key chain is not r, s, v with v 0 or 1.")
    try:
        return PublicKey.from_signature_and_message(signature, digest, hasher=None).format(compressed=True)
    except Exception:  # noqa: BLE001 - coincurve raises bare Exception where no key can be recovered
        raise AttestError(AttestErrorCode.BAD_KEY_CHAIN, "A signature of the key chain cannot be recovered.") from None


def _keccak256(data: bytes) -> bytes:
    digest: bytes = sha3.keccak_256(data).digest()
    return digest
