"""A certificate together with its key, checked to be a pair and of the right name."""

import hashlib
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from attest.certificates.key import CertificateKey
from attest.certificates.names import covers
from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode


@dataclass(frozen=True, slots=True)
class Credentials:
    """What TLS serves. `acme_account` is the exact content of `acme-account.json`; empty where somebody else has it."""

    certificate: Certificate
    key: CertificateKey
    acme_account: bytes


def paired(chain_pem: bytes, key: CertificateKey, domain: str, acme_account: bytes = b"") -> Credentials:
    """`chain_pem`, leaf first, and its key. Raises AttestError(CERTIFICATE) when they are not a pair for `domain`."""
    certificate = read_certificate(chain_pem, domain)
    if hashlib.sha256(key.spki_der()).digest() != certificate.spki_sha256:
        raise AttestError(AttestErrorCode.CERTIFICATE, "The certificate is not of this private key.")
    return Credentials(certificate, key, acme_account)


def read_certificate(chain_pem: bytes, domain: str) -> Certificate:
    """The leaf of a PEM chain. Raises AttestError(CERTIFICATE) when it cannot be read or is for other names."""
    try:
        leaf = x509.load_pem_x509_certificates(chain_pem)[0]
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        spki = leaf.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except (ValueError, x509.ExtensionNotFound, x509.UnsupportedGeneralNameType):
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
