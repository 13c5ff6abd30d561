"""The payload of the key-provider event: who gave the TD its keys (attestation.md section 1.3)."""

from dataclasses import dataclass

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.hexadecimal import hex_bytes
from svc_verifier.formats.strict_json import parse_json_object


@dataclass(frozen=True, slots=True)
class KeyProvider:
    """`kind` is kms, local-sgx, tpm or none; for a KMS `identifier` is the DER SubjectPublicKeyInfo of its root CA."""

    kind: str
    identifier: bytes


def parse_key_provider(payload: bytes) -> KeyProvider:
    """Raises VerifierError(NOT_JSON, NOT_HEX, TOO_LARGE, BAD_EVENT), and nothing else."""
    read = parse_json_object(payload, "key-provider event", 65_536, 4)
    kind, identifier = read.get("name"), read.get("id")
    if not isinstance(kind, str) or not isinstance(identifier, str):
        raise VerifierError(VerifierErrorCode.BAD_EVENT, "key-provider event: name or id is no text")
    try:
        return KeyProvider(kind, hex_bytes(identifier))
    except ValueError:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "key-provider event: id is not hex") from None
