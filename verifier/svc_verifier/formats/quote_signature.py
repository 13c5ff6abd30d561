"""The signature part of a TDX quote: ECDSA P-256 with the quoting enclave's report and the PCK chain."""

from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.cursor import Cursor

ECDSA_P256: Final = 2
"""Attestation key type: ECDSA-256 with the P-256 curve."""

QE_REPORT_CERTIFICATION: Final = 6
"""Certification data that is a QE report, its signature, and certification data of its own."""

SIGNATURE_LENGTH: Final = 64
PUBLIC_KEY_LENGTH: Final = 64
QE_REPORT_LENGTH: Final = 384
QE_REPORT_DATA_OFFSET: Final = 320
"""Where the QE report's own 64 bytes of report data start; the first 32 are sha256(attestation key, QE auth data)."""


@dataclass(frozen=True, slots=True)
class QuoteSignature:
    """Raw parts, unverified; signatures are r and s, public keys x and y, 32 bytes each, big-endian.

    `certification_data` is what certifies the quoting enclave's key; of type 5 it is a PEM chain: leaf, CA, root.
    """

    signature: bytes
    attestation_public_key: bytes
    qe_report: bytes
    qe_report_signature: bytes
    qe_auth_data: bytes
    certification_type: int
    certification_data: bytes

    @property
    def qe_report_data(self) -> bytes:
        """The 64 bytes of report data inside the QE report."""
        return self.qe_report[QE_REPORT_DATA_OFFSET:]


def parse_signature(data: bytes) -> QuoteSignature:
    """The signature part, whose nested lengths must add up exactly. Raises VerifierError, and nothing else."""
    outer = Cursor(data, "quote signature")
    signature = outer.take(SIGNATURE_LENGTH, "signature")
    public_key = outer.take(PUBLIC_KEY_LENGTH, "attestation public key")
    kind = outer.u16("certification type")
    if kind != QE_REPORT_CERTIFICATION:
        message = f"quote signature: certification type {kind}; known is {QE_REPORT_CERTIFICATION}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    inner = Cursor(outer.take(outer.u32("certification size"), "certification data"), "QE certification")
    outer.finish()
    parsed = QuoteSignature(
        signature=signature,
        attestation_public_key=public_key,
        qe_report=inner.take(QE_REPORT_LENGTH, "QE report"),
        qe_report_signature=inner.take(SIGNATURE_LENGTH, "QE report signature"),
        qe_auth_data=inner.take(inner.u16("QE auth data length"), "QE auth data"),
        certification_type=inner.u16("certification type"),
        certification_data=inner.take(inner.u32("certification size"), "certification data"),
    )
    inner.finish()
    return parsed
