"""The simulator's INSECURE certificate authorities, in the form of Intel's and dstack's."""

import datetime as dt
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from devkit.tee_simulator.pck_extension import sgx_extension
from devkit.tee_simulator.seed import seeded_bytes, seeded_key

ORGANIZATION: Final = "INSECURE svc development TEE simulator"
NOT_BEFORE: Final = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
NOT_AFTER: Final = dt.datetime(2049, 12, 31, tzinfo=dt.UTC)
"""End of validity, fixed so that the certificates of a seed are always the same bytes."""

SIGNS: Final = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=False,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)
ISSUES: Final = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True, slots=True)
class Certified:
    """A key and its certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def pem(self) -> str:
        """The certificate in PEM."""
        return self.certificate.public_bytes(Encoding.PEM).decode()

    @property
    def public_key_der(self) -> bytes:
        """The public key as DER SubjectPublicKeyInfo."""
        return self.certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def __repr__(self) -> str:
        return f"<Certified {self.certificate.subject.rfc4514_string()}>"


@dataclass(frozen=True, slots=True)
class Authorities:
    """Signers of the simulated platform: Intel's authorities, and dstack's key service."""

    root: Certified
    pck_ca: Certified
    pck: Certified
    tcb_signing: Certified
    kms_ca: Certified
    app_ca: Certified


def certificate_authorities(seed: bytes) -> Authorities:
    """Returns all of them, the same for the same seed."""
    root = _issued(seed, "Intel SGX Root CA", None, [x509.BasicConstraints(ca=True, path_length=1), ISSUES])
    issuing: list[x509.ExtensionType] = [x509.BasicConstraints(ca=True, path_length=0), ISSUES]
    leaf: list[x509.ExtensionType] = [x509.BasicConstraints(ca=False, path_length=None), SIGNS]
    pck_ca = _issued(seed, "Intel SGX PCK Platform CA", root, issuing)
    platform = sgx_extension(seeded_bytes(seed, "ppid")[:16], seeded_bytes(seed, "platform instance")[:16])
    # A root of its own, since Intel does not certify dstack's key service.
    kms_ca = _issued(seed, "Dstack KMS CA", None, [x509.BasicConstraints(ca=True, path_length=1), ISSUES])
    return Authorities(
        root=root,
        pck_ca=pck_ca,
        pck=_issued(seed, "Intel SGX PCK Certificate", pck_ca, [*leaf, platform]),
        tcb_signing=_issued(seed, "Intel SGX TCB Signing", root, leaf),
        kms_ca=kms_ca,
        app_ca=_issued(seed, "Dstack App CA", kms_ca, issuing),
    )


def subject(common_name: str) -> x509.Name:
    """Returns a name with the simulator's organization."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANIZATION),
        ]
    )


def _issued(seed: bytes, name: str, issuer: Certified | None, extensions: list[x509.ExtensionType]) -> Certified:
    key = seeded_key(seed, name)
    by, signer = (issuer.certificate.subject, issuer.key) if issuer else (subject(name), key)
    # RFC 5280 §4.1.2.2: positive, and 20 bytes at most.
    serial = int.from_bytes(seeded_bytes(seed, f"serial of {name}")[:15]) + 1
    builder = x509.CertificateBuilder(by, subject(name), key.public_key(), serial, NOT_BEFORE, NOT_AFTER)
    identifiers = (
        x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()),
    )
    for extension in (*identifiers, *extensions):
        builder = builder.add_extension(
            extension, critical=isinstance(extension, x509.BasicConstraints | x509.KeyUsage)
        )
    # Deterministic (RFC 6979), since users pin the root, which must not change at a start.
    return Certified(key, builder.sign(signer, SHA256(), ecdsa_deterministic=True))
