"""Private key of a certificate: random, held in memory, written to disk only sealed."""

import ipaddress
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

from attest.errors import AttestError, AttestErrorCode

RSA_MIN_BITS: Final = 2048

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Sealer(Protocol):
    """Port of authenticated encryption under a key of the enclave; the node implements it."""

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Returns the ciphertext; `context` is authenticated and must be the same to open."""
        ...

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Returns the plaintext. Raises ValueError when it was sealed under another key or context, or is damaged."""
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
        der = self._key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        return sealer.seal(der, context)

    def pem(self) -> bytes:
        """Returns unencrypted PKCS 8: for the TLS library, through memory alone."""
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

    def __reduce__(self) -> NoReturn:
        raise TypeError("CertificateKey holds key material and is never serialised")

    def __getstate__(self) -> NoReturn:
        raise TypeError("CertificateKey holds key material and has no state to show")


def _supported(key: object) -> PrivateKey:
    """Returns the key if TLS 1.3 clients support its kind. Raises ValueError."""
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in {"secp256r1", "secp384r1"}:
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= RSA_MIN_BITS:
        return key
    raise ValueError("neither P-256, P-384 nor RSA of 2048 bits and more")


def _unusable(message: str) -> AttestError:
    return AttestError(AttestErrorCode.CERTIFICATE, message)


def alternative_name(domain: str) -> x509.GeneralName:
    """Returns `domain` as a subject alternative name: an address or a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(domain))
    except ValueError:
        return x509.DNSName(domain)
