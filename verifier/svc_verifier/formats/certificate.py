"""X.509 certificates, PEM and lists of checksums."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded

LIMIT_BYTES: Final = 131_072
_BEGIN: Final = b"-----BEGIN CERTIFICATE-----"
_END: Final = b"-----END CERTIFICATE-----"
_BODY: Final = re.compile(rb"[A-Za-z0-9+/=\r\n]+")


def parse_chain(pem: bytes, what: str, code: VerifierErrorCode) -> tuple[x509.Certificate, ...]:
    """Returns the certificates, leaf first. Raises VerifierError(TOO_LARGE, `code`)."""
    if len(pem) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    # Split by hand. Libraries skip text between blocks, so two of them could see two chains.
    head, *blocks = pem.rstrip(b"\0").split(_BEGIN)
    if head.strip() or not blocks:
        raise VerifierError(code, f"{what}: is no chain of PEM certificates")
    for block in blocks:
        body, end, rest = block.partition(_END)
        # dcap-qvl reads PEM blocks of any label, so another kind would be one to it alone.
        if not end or rest.strip() or not _BODY.fullmatch(body):
            raise VerifierError(code, f"{what}: holds something else than certificates")
    return guarded(
        code,
        lambda _: f"{what}: holds a block that is no certificate",
        lambda: tuple(_certificate(_BEGIN + block) for block in blocks),
    )


def _certificate(block: bytes) -> x509.Certificate:
    """Returns a certificate whose subject can be read."""
    certificate = x509.load_pem_x509_certificate(block)
    # cryptography parses names lazily and raises at the first use, which must be guarded.
    list(certificate.subject)
    return certificate


@dataclass(frozen=True, slots=True)
class LeafCertificate:
    """A leaf with its SubjectPublicKeyInfo, the SHA-256 of that, and its validity in unix time."""

    der: bytes
    spki: bytes
    spki_sha256: bytes
    not_before_s: int
    not_after_s: int


def parse_leaf_der(der: bytes) -> LeafCertificate:
    """Parse a certificate. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE), and nothing else."""
    if len(der) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"certificate: more than {LIMIT_BYTES} bytes")
    return guarded(
        VerifierErrorCode.BAD_EVIDENCE,
        lambda _: "certificate: is no X.509 certificate in DER that can be read",
        lambda: _leaf(x509.load_der_x509_certificate(der)),
    )


def parse_leaf_pem(pem: bytes, what: str) -> LeafCertificate:
    """Parse a PEM chain's first certificate. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE)."""
    if len(pem) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    return guarded(
        VerifierErrorCode.BAD_EVIDENCE,
        lambda _: f"{what}: its first block is no certificate that can be read",
        lambda: _leaf(x509.load_pem_x509_certificate(pem)),
    )


def _leaf(certificate: x509.Certificate) -> LeafCertificate:
    # The form that TLS pins and statements name (RFC 7469 §2.4). It survives a renewal.
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


CHECKSUMS_LIMIT_BYTES: Final = 65_536
FILES: Final = 64
# No slash and no leading dot, since a listed name becomes part of a URL and of a path.
_LINE: Final = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9*][A-Za-z0-9*._-]{0,254})")


def parse_checksums(body: bytes) -> Mapping[str, bytes]:
    """Returns the sha256 of each listed file. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE)."""
    if len(body) > CHECKSUMS_LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"sha256sum.txt: more than {CHECKSUMS_LIMIT_BYTES} bytes")
    listed: dict[str, bytes] = {}
    # latin-1 maps each byte to one character, so decoding never fails. The pattern is ASCII.
    for number, line in enumerate(body.decode("latin-1").removesuffix("\n").split("\n"), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise _bad(f"line {number} is not 64 hex digits, two blanks and a file name")
        # With two hashes for one name readers could take different ones.
        if match[2] in listed:
            raise _bad(f"line {number} names {match[2]} again")
        listed[match[2]] = bytes.fromhex(match[1])
    if len(listed) > FILES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"sha256sum.txt: more than {FILES} files")
    return listed


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"sha256sum.txt: {what}")
