"""Parses Intel TDX quotes, version 4 and version 5 with TD report bodies 1.0, 1.5 and extended 1.5.

Source: Intel TDX DCAP Quoting Library API, "Quote Format", and its `sgx_quote_5.h` (`sgx_report2_body_v1_5_ex_t`); Intel
TDX Module specification, TDREPORT. Parsing proves nothing: signatures, chains and TCB levels are checked elsewhere, over
`Quote.signed_bytes`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.cursor import Cursor
from svc_verifier.formats.hexadecimal import hex_bytes
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
    TD15EX = 4


BODY_LENGTHS: Final = {BodyType.TD10: 584, BodyType.TD15: 648, BodyType.TD15EX: 885}
DEVICE_INFO_LENGTH: Final = 48
FMSPC_LENGTH: Final = 12
TD_ID_LENGTH: Final = 32


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
class TdExtension:
    """Fields that the extended TD report 1.5 adds, in the order of its bytes.

    `vm_id` and `td_id` (32 bytes) name the TD among those of its platform. `device_info` (48) is of devices that were
    assigned to it. The launch values are of the platform on which the TD was built, which is another one after a
    migration; the service TD hashes (48) are zero where no service TD is bound.
    """

    vm_id: int
    td_id: bytes
    device_info: bytes
    launch_service_td_hash: bytes
    launch_service_td_attributes: bytes
    launch_cpu_svn: bytes
    launch_tee_tcb_svn: bytes
    launch_fmspc: bytes
    current_service_td_hash: bytes
    current_service_td_attributes: bytes


@dataclass(frozen=True, slots=True)
class TdReport:
    """What the TDX module says of the TD; measurements are 48 bytes, report data 64.

    `tee_tcb_svn2` (16 bytes) and `mr_service_td` (48) exist since TD report 1.5 and are None in 1.0; `extension` exists in
    the extended form of 1.5 alone.
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
    extension: TdExtension | None


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
    return parse_quote(quote_from_hex(text), limit_bytes)


def quote_from_hex(text: str) -> bytes:
    """Returns the bytes of a quote in hex. Raises VerifierError(NOT_HEX)."""
    try:
        data = hex_bytes(text)
    except ValueError:
        data = b""
    if not data:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "quote: is not hex")
    return data


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
    # versions below 4 have no TEE type: these are quotes of SGX
    if header.version < 4 or header.tee_type != TDX_TEE_TYPE:
        message = f"quote: version {header.version} of TEE type {header.tee_type:#x}; TDX is {TDX_TEE_TYPE:#x} since version 4"
        raise VerifierError(VerifierErrorCode.NOT_TDX, message)
    if header.version > 5:
        message = f"quote: version {header.version}; known are 4 and 5"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_VERSION, message)
    if header.attestation_key_type != ECDSA_P256:
        message = f"quote: attestation key type {header.attestation_key_type}; known is ECDSA P-256, {ECDSA_P256}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    return header


def _body_type(cursor: Cursor, version: int) -> BodyType:
    """Version 4 has one body; version 5 names its body's type and size."""
    if version == 4:
        return BodyType.TD10
    number, size = cursor.u16("body type"), cursor.u32("body size")
    if number not in set(BodyType):
        known = ", ".join(f"{each.value} of {length}" for each, length in BODY_LENGTHS.items())
        message = f"quote: body type {number} of {size} bytes; known are {known}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_BODY, message)
    body_type = BodyType(number)
    if size != BODY_LENGTHS[body_type]:
        message = f"quote: body type {number} of {size} bytes instead of {BODY_LENGTHS[body_type]}"
        raise VerifierError(VerifierErrorCode.INCONSISTENT_SIZES, message)
    return body_type


def _parse_report(cursor: Cursor, body_type: BodyType) -> TdReport:
    def measurement(name: str) -> bytes:
        return cursor.take(MEASUREMENT_LENGTH, name)

    since_15 = body_type is not BodyType.TD10
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
        tee_tcb_svn2=cursor.take(SVN_LENGTH, "TEE TCB SVN 2") if since_15 else None,
        mr_service_td=measurement("MRSERVICETD") if since_15 else None,
        extension=_parse_extension(cursor) if body_type is BodyType.TD15EX else None,
    )


def _parse_extension(cursor: Cursor) -> TdExtension:
    return TdExtension(
        vm_id=cursor.take(1, "VMID")[0],
        td_id=cursor.take(TD_ID_LENGTH, "TD id"),
        device_info=cursor.take(DEVICE_INFO_LENGTH, "device info"),
        launch_service_td_hash=cursor.take(MEASUREMENT_LENGTH, "launch service TD hash"),
        launch_service_td_attributes=cursor.take(ATTRIBUTES_LENGTH, "launch service TD attributes"),
        launch_cpu_svn=cursor.take(SVN_LENGTH, "launch CPU SVN"),
        launch_tee_tcb_svn=cursor.take(SVN_LENGTH, "launch TEE TCB SVN"),
        launch_fmspc=cursor.take(FMSPC_LENGTH, "launch FMSPC"),
        current_service_td_hash=cursor.take(MEASUREMENT_LENGTH, "current service TD hash"),
        current_service_td_attributes=cursor.take(ATTRIBUTES_LENGTH, "current service TD attributes"),
    )
