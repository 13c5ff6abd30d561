"""Certificate together with its key, checked to be a pair and of the right name."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from attest.certificates.key import CertificateKey, alternative_name
from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode


def covers(names: Sequence[x509.GeneralName], domain: str) -> bool:
    """Whether one of `names` is `domain` or its wildcard (RFC 6125 §6.4.3: the whole left-most label)."""
    wanted = alternative_name(domain)
    if isinstance(wanted, x509.IPAddress):
        return wanted in names
    wildcard = "*." + domain.partition(".")[2].lower()
    return any(isinstance(name, x509.DNSName) and name.value.lower() in {domain.lower(), wildcard} for name in names)


UNREADABLE: Final = (
    ValueError,
    UnsupportedAlgorithm,
    x509.DuplicateExtension,
    x509.ExtensionNotFound,
    x509.InvalidVersion,
    x509.UnsupportedGeneralNameType,
)
"""Errors of the library for a certificate it cannot read. They have no common base class."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A certificate and its key. `acme_account` is the exact content of `acme-account.json`."""

    certificate: Certificate
    key: CertificateKey
    acme_account: bytes


def paired(chain_pem: bytes, key: CertificateKey, domain: str, acme_account: bytes = b"") -> Credentials:
    """Returns the credentials of `chain_pem`, leaf first. Raises AttestError(CERTIFICATE) when no pair for `domain`."""
    certificate = read_certificate(chain_pem, domain)
    if hashlib.sha256(key.spki_der()).digest() != certificate.spki_sha256:
        raise AttestError(AttestErrorCode.CERTIFICATE, "The certificate is not of this private key.")
    return Credentials(certificate, key, acme_account)


def read_certificate(chain_pem: bytes, domain: str) -> Certificate:
    """Returns the leaf of a PEM chain. Raises AttestError(CERTIFICATE) when it is unreadable or for other names."""
    try:
        leaf = x509.load_pem_x509_certificates(chain_pem)[0]
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        spki = leaf.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except UNREADABLE:
        raise AttestError(AttestErrorCode.CERTIFICATE, "The certificate chain is not readable PEM.") from None
    if not covers(list(names), domain):
        raise AttestError(AttestErrorCode.CERTIFICATE, f"The certificate is not for {domain}.")
    return Certificate(
        domain=domain,
        chain_pem=chain_pem,
        leaf_der=leaf.public_bytes(Encoding.DER),
        spki_sha256=hashlib.sha256(spki).digest(),
        not_before_s=int(leaf.not_valid_before_utc.timestamp()),
        not_after_s=int(leaf.not_valid_after_utc.timestamp()),
    )
