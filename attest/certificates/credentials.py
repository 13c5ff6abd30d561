"""Private key and certificate of the node, checked to be one pair and for the right name."""

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol, Self

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_pem_private_key,
)

from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode

RSA_MIN_BITS: Final = 2048

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Sealer(Protocol):
    """Port of authenticated encryption under a key of the enclave; the node implements it."""

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Returns the ciphertext; `context` is authenticated and must be the same to open."""
        ...

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Returns the plaintext. Raises ValueError for another key or context, or damage."""
        ...


class CertificateKey:
    """A private key that is never printed and never leaves the process."""

    __slots__ = ("_key",)

    def __init__(self, key: PrivateKey) -> None:
        self._key = key

    @classmethod
    def generate(cls) -> Self:
        """Returns a new P-256 key."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def from_pem(cls, pem: bytes) -> Self:
        """Returns the unencrypted key of a PEM file. Raises AttestError(CERTIFICATE)."""
        try:
            return cls(_supported(load_pem_private_key(pem, None)))
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise _unusable("The key file holds no unencrypted EC or RSA private key in PEM.") from None

    @classmethod
    def unsealed(cls, sealed: bytes, sealer: Sealer, context: bytes) -> Self:
        """Open what `sealed` returned. Raises AttestError(CERTIFICATE)."""
        try:
            return cls(_supported(load_der_private_key(sealer.open(sealed, context), None)))
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise _unusable("The stored certificate key was sealed by another enclave root, or is damaged.") from None

    def sealed(self, sealer: Sealer, context: bytes) -> bytes:
        """Returns the encrypted key, for the disk."""
        # Unencrypted in memory alone. The sealer's key comes from the enclave's root; a password
        # would have to be stored beside it.
        der = self._key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        return sealer.seal(der, context)

    def pem(self) -> bytes:
        """Returns unencrypted PKCS 8, which the TLS library gets through memory alone."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def spki_der(self) -> bytes:
        """Returns the public key (SubjectPublicKeyInfo)."""
        return self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def signing_request_pem(self, domain: str) -> bytes:
        """Returns a certificate signing request for this name alone."""
        names = x509.SubjectAlternativeName([alternative_name(domain)])
        builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
        return builder.add_extension(names, critical=False).sign(self._key, SHA256()).public_bytes(Encoding.PEM)

    def sign(self, builder: x509.CertificateBuilder) -> bytes:
        """Returns the certificate that `builder` describes, signed by this key, as PEM."""
        signed = builder.public_key(self._key.public_key()).sign(self._key, SHA256())
        return signed.public_bytes(Encoding.PEM)

    def __repr__(self) -> str:
        return "<CertificateKey redacted>"

    # Pickle and copy would write the key to unexpected places.
    def __reduce__(self) -> NoReturn:
        raise TypeError("CertificateKey holds key material and is never serialised")

    def __getstate__(self) -> NoReturn:
        raise TypeError("CertificateKey holds key material and has no state to show")


def _supported(key: object) -> PrivateKey:
    """Returns the key if TLS 1.3 clients support its kind. Raises ValueError."""
    # RFC 8446 §9.1 makes P-256 and RSA mandatory for clients; P-384 is as common among them.
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in {"secp256r1", "secp384r1"}:
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= RSA_MIN_BITS:
        return key
    raise ValueError("neither P-256, P-384 nor RSA of 2048 bits and more")


def _unusable(message: str) -> AttestError:
    return AttestError(AttestErrorCode.CERTIFICATE, message)


def alternative_name(domain: str) -> x509.GeneralName:
    """Returns `domain` as a subject alternative name, either an address or a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(domain))
    except ValueError:
        return x509.DNSName(domain)


def covers(names: Sequence[x509.GeneralName], domain: str) -> bool:
    """Whether a name is `domain` or its wildcard (RFC 6125 §6.4.3: the left-most label)."""
    wanted = alternative_name(domain)
    if isinstance(wanted, x509.IPAddress):
        return wanted in names
    # The wildcard stands for one label: `*.example.org` does not cover `a.b.example.org`.
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
    """Returns the credentials of `chain_pem`, leaf first. Raises AttestError(CERTIFICATE)."""
    certificate = read_certificate(chain_pem, domain)
    # A sidecar writes two files. Between the two writes they do not match.
    if hashlib.sha256(key.spki_der()).digest() != certificate.spki_sha256:
        raise AttestError(AttestErrorCode.CERTIFICATE, "The certificate is not of this private key.")
    return Credentials(certificate, key, acme_account)


def read_certificate(chain_pem: bytes, domain: str) -> Certificate:
    """Returns the leaf of a PEM chain for `domain`. Raises AttestError(CERTIFICATE)."""
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
