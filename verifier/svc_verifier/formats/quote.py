"""Intel TDX quotes (DCAP format 4 and 5), their signature and the answer that carries one."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import hex_bytes, parse_json_object


class Cursor:
    """A position in `data`; integers are little-endian, as in every Intel structure."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self.position = 0

    @property
    def remaining(self) -> int:
        """Number of bytes left."""
        return len(self._data) - self.position

    def take(self, length: int, name: str) -> bytes:
        """The next `length` bytes. Raises VerifierError(TRUNCATED) naming the field that does not fit."""
        if length > self.remaining:
            message = f"{self._what}: {name} needs {length} bytes at offset {self.position}, {self.remaining} are left"
            raise VerifierError(VerifierErrorCode.TRUNCATED, message)
        start = self.position
        self.position += length
        return self._data[start : self.position]

    def u16(self, name: str) -> int:
        """The next two bytes as an unsigned integer."""
        return int.from_bytes(self.take(2, name), "little")

    def u32(self, name: str) -> int:
        """The next four bytes as an unsigned integer."""
        return int.from_bytes(self.take(4, name), "little")

    def finish(self) -> None:
        """Raises VerifierError(INCONSISTENT_SIZES) when bytes are left over."""
        if self.remaining:
            message = f"{self._what}: {self.remaining} bytes are left over"
            raise VerifierError(VerifierErrorCode.INCONSISTENT_SIZES, message)


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
        # The last 64 of the 384 bytes of an SGX report body (Intel SGX DCAP quote format, enclave report).
        return self.qe_report[QE_REPORT_DATA_OFFSET:]


def parse_signature(data: bytes) -> QuoteSignature:
    """The signature part, whose nested lengths must add up exactly. Raises VerifierError, and nothing else."""
    # Layout (Intel TDX DCAP quote format 4, "ECDSA 256-bit Quote Signature Data"): signature 64, key 64, type 2, size
    # 4, data.
    outer = Cursor(data, "quote signature")
    signature = outer.take(SIGNATURE_LENGTH, "signature")
    public_key = outer.take(PUBLIC_KEY_LENGTH, "attestation public key")
    # Version 4 wraps the QE report in certification data of type 6; in SGX quotes of version 3 it stood there
    # unwrapped.
    kind = outer.u16("certification type")
    if kind != QE_REPORT_CERTIFICATION:
        message = f"quote signature: certification type {kind}; known is {QE_REPORT_CERTIFICATION}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    inner = Cursor(outer.take(outer.u32("certification size"), "certification data"), "QE certification")
    # Sizes are signed by nobody: bytes between the nested parts could hide another chain from a reader that skips them.
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


TDX_TEE_TYPE: Final = 0x81
HEADER_LENGTH: Final = 48
# Lengths of the header's fields: 2 + 2 + 4 + 2 + 2 + 16 + 20 = 48 bytes (Intel TDX DCAP quote format, quote header).
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

QUOTE_LIMIT_BYTES: Final = 65_536
"""Real quotes take about 5,000 bytes, padded ones 8,000."""


class BodyType(IntEnum):
    """Report bodies; the numbers are those of a version 5 quote's body type field."""

    TD10 = 2
    TD15 = 3
    TD15EX = 4


# TD report 1.0; 1.5 adds TEE_TCB_SVN_2 (16) and MRSERVICETD (48); its extension another 237 bytes.
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
    """TD report, as the TDX module signs it. Measurements are 48 bytes, report data 64.

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


def parse_quote(data: bytes) -> Quote:
    """`data` as a TDX quote. Raises VerifierError, and nothing else, for anything that is not one."""
    if len(data) > QUOTE_LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"quote: {len(data)} bytes, more than {QUOTE_LIMIT_BYTES}")
    cursor = Cursor(data, "quote")
    header = _parse_header(cursor)
    report = _parse_report(cursor, _body_type(cursor, header.version))
    # The attestation key signs header and body alone, and in version 5 the body's type and size between them.
    signed_bytes = data[: cursor.position]
    signature = parse_signature(cursor.take(cursor.u32("signature length"), "signature"))
    # Nobody signs what follows: a caller must refuse it unless it is padding.
    trailing = data[cursor.position :]
    return Quote(header, report, signed_bytes, signature, len(trailing), not any(trailing))


def parse_quote_hex(text: str) -> Quote:
    """A quote from hex in either case, with or without 0x. Raises VerifierError, and nothing else."""
    if len(text) > 2 * QUOTE_LIMIT_BYTES + 2:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"quote: more than {QUOTE_LIMIT_BYTES} bytes")
    return parse_quote(quote_from_hex(text))


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
    # Offsets 0, 2, 4, 8, 10, 12 and 28 of the quote.
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
    # Type 3 (ECDSA P-384) is reserved by Intel; no quoting enclave makes it.
    if header.attestation_key_type != ECDSA_P256:
        message = f"quote: attestation key type {header.attestation_key_type}; known is ECDSA P-256, {ECDSA_P256}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    return header


def _body_type(cursor: Cursor, version: int) -> BodyType:
    """Version 4 has one body; version 5 names its body's type and size."""
    if version == 4:
        return BodyType.TD10
    # Offsets 48 and 50 of a version 5 quote; the body follows at 54.
    number, size = cursor.u16("body type"), cursor.u32("body size")
    if number not in set(BodyType):
        known = ", ".join(f"{each.value} of {length}" for each, length in BODY_LENGTHS.items())
        message = f"quote: body type {number} of {size} bytes; known are {known}"
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_BODY, message)
    body_type = BodyType(number)
    # A size that differs from the type's would shift every field behind it.
    if size != BODY_LENGTHS[body_type]:
        message = f"quote: body type {number} of {size} bytes instead of {BODY_LENGTHS[body_type]}"
        raise VerifierError(VerifierErrorCode.INCONSISTENT_SIZES, message)
    return body_type


def _parse_report(cursor: Cursor, body_type: BodyType) -> TdReport:
    def measurement(name: str) -> bytes:
        return cursor.take(MEASUREMENT_LENGTH, name)

    # Order of the fields as in TDREPORT; in a version 4 quote MRTD is at 184, RTMR0 at 376, report data at 568.
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


LIMIT_BYTES: Final = 4_194_304
NESTING: Final = 24


@dataclass(frozen=True, slots=True)
class QuoteAnswer:
    """The texts as they were served; `event_log` and `vm_config` are empty where there is none. `statement` is there when a nonce was sent to a node that knows what to do with it."""

    quote: str
    event_log: str
    vm_config: str
    report_data: str | None
    statement: str | None


def parse_quote_answer(body: bytes, what: str) -> QuoteAnswer:
    """Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_EVIDENCE) naming `what`, and nothing else."""
    read = parse_json_object(body, what, LIMIT_BYTES, NESTING)

    # Texts stay unparsed: log and statement are hashed as they were sent.
    def text(key: str, default: str | None) -> str | None:
        value = read.get(key, default)
        if value is not None and not isinstance(value, str):
            raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: {key} is no text")
        return value

    quote = text("quote", None)
    if quote is None:
        raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: quote is missing")
    return QuoteAnswer(
        quote=quote,
        event_log=text("event_log", "") or "",
        vm_config=text("vm_config", "") or "",
        report_data=text("report_data", None),
        statement=text("statement", None),
    )
