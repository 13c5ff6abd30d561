"""X.509 certificates as far as this verifier reads them itself."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from svc_verifier.errors import VerifierError, VerifierErrorCode

LIMIT_BYTES: Final = 131_072
UNREADABLE: Final = (ValueError, UnsupportedAlgorithm, x509.InvalidVersion)
"""What the library raises for a certificate that is none, or whose key is of a kind it does not know; some only late."""


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
    try:
        return _leaf(x509.load_der_x509_certificate(der))
    except UNREADABLE:
        raise _bad("certificate: is no X.509 certificate in DER") from None


def parse_leaf_pem(pem: bytes, what: str) -> LeafCertificate:
    """The first certificate of a PEM chain. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE), and nothing else."""
    if len(pem) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    try:
        return _leaf(x509.load_pem_x509_certificate(pem))
    except UNREADABLE:
        raise _bad(f"{what}: its first block is no certificate") from None


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


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_EVIDENCE, what)
