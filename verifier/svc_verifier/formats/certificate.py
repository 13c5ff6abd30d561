"""X.509 certificates as far as this verifier reads them itself."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.foreign import guarded

LIMIT_BYTES: Final = 131_072


@dataclass(frozen=True, slots=True)
class LeafCertificate:
    """A leaf: its DER, its SubjectPublicKeyInfo and the SHA-256 of that, and when it is valid (unix seconds)."""

    der: bytes
    spki: bytes
    spki_sha256: bytes
    not_before_s: int
    not_after_s: int


def parse_leaf_der(der: bytes) -> LeafCertificate:
    """Raises VerifierError(TOO_LARGE, BAD_EVIDENCE), and nothing else."""
    if len(der) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"certificate: more than {LIMIT_BYTES} bytes")
    return guarded(
        VerifierErrorCode.BAD_EVIDENCE,
        lambda _: "certificate: is no X.509 certificate in DER that can be read",
        lambda: _leaf(x509.load_der_x509_certificate(der)),
    )


def parse_leaf_pem(pem: bytes, what: str) -> LeafCertificate:
    """The first certificate of a PEM chain. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE), and nothing else."""
    if len(pem) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    return guarded(
        VerifierErrorCode.BAD_EVIDENCE,
        lambda _: f"{what}: its first block is no certificate that can be read",
        lambda: _leaf(x509.load_pem_x509_certificate(pem)),
    )


def _leaf(certificate: x509.Certificate) -> LeafCertificate:
    spki = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return LeafCertificate(
        der=certificate.public_bytes(Encoding.DER),
        spki=spki,
        spki_sha256=hashlib.sha256(spki).digest(),
        not_before_s=_seconds(certificate.not_valid_before_utc),
        not_after_s=_seconds(certificate.not_valid_after_utc),
    )


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
