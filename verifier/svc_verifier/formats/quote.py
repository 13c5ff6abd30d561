"""Parses Intel TDX quotes, version 4 and version 5 with TD report 1.0 or 1.5 bodies.

Source: Intel TDX DCAP Quoting Library API, "Quote Format"; Intel TDX Module specification, TDREPORT. Parsing proves
nothing: signatures, chains and TCB levels are checked elsewhere, over `Quote.signed_bytes`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.cursor import Cursor
from svc_verifier.formats.quote_signature import ECDSA_P256, QuoteSignature, parse_signature

TDX_TEE_TYPE: Final = 0x81
HEADER_LENGTH: Final = 48
USER_DATA_LENGTH: Final = 20
QE_VENDOR_ID_LENGTH: Final = 16
MEASUREMENT_LENGTH: Final = 48
REPORT_DATA_LENGTH: Final = 64
SVN_LENGTH: Final = 16
ATTRIBUTES_LENGTH: Final = 8
RTMR_COUNT: Final = 4

V4_REPORT_DATA_OFFSET: Final = 568
"""Where the report data of a version 4 quote starts; fixed, so other tools can find it without a parser."""

V4_SIGNED_LENGTH: Final = 632
"""Header and TD report 1.0: what the attestation key of a version 4 quote signs."""

DEFAULT_QUOTE_LIMIT_BYTES: Final = 65_536
"""Real quotes take about 5,000 bytes, padded ones 8,000."""


class BodyType(IntEnum):
    """Report bodies; the numbers are those of a version 5 quote's body type field."""

    TD10 = 2
    TD15 = 3


BODY_LENGTHS: Final = {BodyType.TD10: 584, BodyType.TD15: 648}


@dataclass(frozen=True, slots=True)
class QuoteHeader:
    """The first 48 bytes. `user_data` is 20 bytes, of which the first 16 identify the platform's quoting enclave."""

    version: int
    attestation_key_type: int
    tee_type: int
    qe_svn: int
    pce_svn: int
    qe_vendor_id: bytes
    user_data: bytes


@dataclass(frozen=True, slots=True)
class TdReport:
    """What the TDX module says of the TD; measurements are 48 bytes, report data 64.

    `tee_tcb_svn2` (16 bytes) and `mr_service_td` (48) exist in TD report 1.5 alone and are None in 1.0.
    """

    body_type: BodyType
    tee_tcb_svn: bytes
    mr_seam: bytes
    mr_signer_seam: bytes
    seam_attributes: bytes
    td_attributes: bytes
    xfam: bytes
    mr_td: bytes
    mr_config_id: bytes
    mr_owner: bytes
    mr_owner_config: bytes
    rtmrs: tuple[bytes, bytes, bytes, bytes]
    report_data: bytes
    tee_tcb_svn2: bytes | None
    mr_service_td: bytes | None


@dataclass(frozen=True, slots=True)
class Quote:
    """A parsed quote.

    `trailing_bytes` follow the signature and are signed by nobody: quotes are often zero-padded, and a verifier accepts
    any padding, so a hash of a quote identifies nothing. `trailing_is_zero` tells padding from something put there.
    """

    header: QuoteHeader
    report: TdReport
    signed_bytes: bytes
    signature: QuoteSignature
    trailing_bytes: int
    trailing_is_zero: bool


def parse_quote(data: bytes, limit_bytes: int = DEFAULT_QUOTE_LIMIT_BYTES) -> Quote:
    """`data` as a TDX quote. Raises VerifierError, and nothing else, for anything that is not one."""
    if len(data) > limit_bytes:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"quote: {len(data)} bytes, more than {limit_bytes}")
    cursor = Cursor(data, "quote")
    header = _parse_header(cursor)
    report = _parse_report(cursor, _body_type(cursor, header.version))
    signed_bytes = data[: cursor.position]
    signature = parse_signature(cursor.take(cursor.u32("signature length"), "signature"))
    trailing = data[cursor.position :]
    return Quote(header, report, signed_bytes, signature, len(trailing), not any(trailing))


def parse_quote_hex(text: str, limit_bytes: int = DEFAULT_QUOTE_LIMIT_BYTES) -> Quote:
    """A quote from hex in either case, with or without 0x. Raises VerifierError, and nothing else."""
    if len(text) > 2 * limit_bytes + 2:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"quote: more than {limit_bytes} bytes")
    digits = text.removeprefix("0x")
    try:
        # fromhex takes blanks between bytes; a quote has none
        data = bytes.fromhex(digits) if digits.isalnum() else None
    except ValueError:
        data = None
    if data is None:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "quote: is not hex")
    return parse_quote(data, limit_bytes)


def _parse_header(cursor: Cursor) -> QuoteHeader:
    header = QuoteHeader(
        version=cursor.u16("version"),
        attestation_key_type=cursor.u16("attestation key type"),
        tee_type=cursor.u32("TEE type"),
        qe_svn=cursor.u16("QE SVN"),
        pce_svn=cursor.u16("PCE SVN"),
        qe_vendor_id=cursor.take(QE_VENDOR_ID_LENGTH, "QE vendor id"),
        user_data=cursor.take(USER_DATA_LENGTH, "user data"),
    )
    if header.version not in {4, 5}:
        message = f"quote: version {header.version}; known are 4 and 5"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_VERSION, message)
    if header.tee_type != TDX_TEE_TYPE:
        message = f"quote: TEE type {header.tee_type:#x}; TDX is {TDX_TEE_TYPE:#x}"
        raise VerifierError(VerifierErrorCode.NOT_TDX, message)
    if header.attestation_key_type != ECDSA_P256:
        message = f"quote: attestation key type {header.attestation_key_type}; known is ECDSA P-256, {ECDSA_P256}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    return header


def _body_type(cursor: Cursor, version: int) -> BodyType:
    """Version 4 has one body; version 5 names its body's type and size."""
    if version == 4:
        return BodyType.TD10
    number, size = cursor.u16("body type"), cursor.u32("body size")
    for known, length in BODY_LENGTHS.items():
        if (number, size) == (known, length):
            return known
    message = f"quote: body type {number} of {size} bytes; known are type 2 of 584 and type 3 of 648"
    raise VerifierError(VerifierErrorCode.UNSUPPORTED_BODY, message)


def _parse_report(cursor: Cursor, body_type: BodyType) -> TdReport:
    def measurement(name: str) -> bytes:
        return cursor.take(MEASUREMENT_LENGTH, name)

    extended = body_type is BodyType.TD15
    return TdReport(
        body_type=body_type,
        tee_tcb_svn=cursor.take(SVN_LENGTH, "TEE TCB SVN"),
        mr_seam=measurement("MRSEAM"),
        mr_signer_seam=measurement("MRSIGNERSEAM"),
        seam_attributes=cursor.take(ATTRIBUTES_LENGTH, "SEAM attributes"),
        td_attributes=cursor.take(ATTRIBUTES_LENGTH, "TD attributes"),
        xfam=cursor.take(ATTRIBUTES_LENGTH, "XFAM"),
        mr_td=measurement("MRTD"),
        mr_config_id=measurement("MRCONFIGID"),
        mr_owner=measurement("MROWNER"),
        mr_owner_config=measurement("MROWNERCONFIG"),
        rtmrs=(measurement("RTMR0"), measurement("RTMR1"), measurement("RTMR2"), measurement("RTMR3")),
        report_data=cursor.take(REPORT_DATA_LENGTH, "report data"),
        tee_tcb_svn2=cursor.take(SVN_LENGTH, "TEE TCB SVN 2") if extended else None,
        mr_service_td=measurement("MRSERVICETD") if extended else None,
    )
