"""Intel TDX quotes (DCAP format 4 and 5), their signature, and responses with a quote.

dcap-qvl, which verifies a quote, also reads its TD report, so that both see the same one. It
accepts more forms than this verifier and does not give the signature's parts, so form and lengths
are checked here.
"""

import struct
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.strict_json import hex_bytes, parse_json_object

QUOTE_LIMIT_BYTES: Final = 65_536
"""Largest quote. Real ones take about 5,000 bytes, padded ones 8,000."""

HEADER_LENGTH: Final = 48
MEASUREMENT_LENGTH: Final = 48
ATTRIBUTES_LENGTH: Final = 8
TDX_TEE_TYPE: Final = 0x81
ECDSA_P256: Final = 2
"""Attestation key type of ECDSA-256 with the P-256 curve."""

QE_REPORT_CERTIFICATION: Final = 6
"""Certification data that is a QE report, its signature, and its own certification data."""


class BodyType(IntEnum):
    """Report bodies; the numbers are those of a version 5 quote's body type field."""

    TD10 = 2
    TD15 = 3
    TD15EX = 4


# TD report 1.0; 1.5 adds TEE_TCB_SVN_2 (16) and MRSERVICETD (48); its extension another 237 bytes.
BODY_LENGTHS: Final = {BodyType.TD10: 584, BodyType.TD15: 648, BodyType.TD15EX: 885}


@dataclass(frozen=True, slots=True)
class QuoteSignature:
    """Raw parts, unverified.

    Signatures are r and s, public keys x and y, 32 bytes each, big-endian. `certification_data`
    certifies the quoting enclave's key. Of type 5 it is a PEM chain from leaf to root.
    """

    signature: bytes
    attestation_public_key: bytes
    qe_report: bytes
    qe_report_signature: bytes
    qe_auth_data: bytes
    certification_data: bytes

    @property
    def qe_report_data(self) -> bytes:
        """Returns the last 64 of the 384 bytes of the QE report, an SGX report body."""
        return self.qe_report[320:]


@dataclass(frozen=True, slots=True)
class TdExtension:
    """Fields of the extended TD report 1.5 that are judged or shown, with dcap-qvl's names.

    `td_id` (32 bytes) names the TD among those of its platform, `dev_info` (48) its assigned
    devices. `init_tee_fmspc` (12) is of the platform on which the TD was built, which is another
    one after a migration. The service TD hashes (48) are zero if no service TD is bound.
    """

    td_id: bytes
    dev_info: bytes
    init_service_td_hash: bytes
    init_tee_fmspc: bytes
    cur_service_td_hash: bytes


@dataclass(frozen=True, slots=True)
class TdReport:
    """TD report, as the TDX module signs it. Measurements are 48 bytes, report data 64.

    `tee_tcb_svn2` (16 bytes) and `mr_service_td` (48) exist since TD report 1.5 and are None in
    1.0; `extension` exists in the extended form of 1.5 alone.
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

    `signed_bytes` are header and body, which the attestation key signs. No key signs the
    `trailing_bytes` after the signature. Quotes are often zero-padded and verifiers accept any
    padding, so a hash of a quote identifies nothing. `trailing_is_zero` distinguishes padding from
    other bytes.
    """

    version: int
    report: TdReport
    signed_bytes: bytes
    signature: QuoteSignature
    trailing_bytes: int
    trailing_is_zero: bool


def parse_quote(data: bytes) -> Quote:
    """Parse a TDX quote. Raises VerifierError, and nothing else."""
    if len(data) > QUOTE_LIMIT_BYTES:
        raise _refused(VerifierErrorCode.TOO_LARGE, f"{len(data)} bytes, more than {QUOTE_LIMIT_BYTES}")
    try:
        version, body_type, signed_length = _form(data)
        (length,) = struct.unpack_from("<I", data, signed_length)
        (part,) = struct.unpack_from(f"{length}s", data, signed_length + 4)
        signature = _signature(part)
    except struct.error:
        raise _refused(VerifierErrorCode.TRUNCATED, f"{len(data)} bytes, fewer than they announce") from None
    # No input is known that the library refuses here, since form and lengths are right.
    report = guarded(
        VerifierErrorCode.UNREADABLE,
        lambda error: f"quote: dcap-qvl cannot read it ({type(error).__name__})",
        lambda: _report(data, body_type),
    )
    # A caller must refuse what follows unless it is padding.
    trailing = data[signed_length + 4 + length :]
    return Quote(version, report, data[:signed_length], signature, len(trailing), not any(trailing))


def parse_quote_hex(text: str) -> Quote:
    """Parse a quote in hex of either case, with or without 0x. Raises VerifierError alone."""
    if len(text) > 2 * QUOTE_LIMIT_BYTES + 2:
        raise _refused(VerifierErrorCode.TOO_LARGE, f"more than {QUOTE_LIMIT_BYTES} bytes")
    return parse_quote(quote_from_hex(text))


def quote_from_hex(text: str) -> bytes:
    """Returns the bytes of a quote in hex. Raises VerifierError(NOT_HEX)."""
    try:
        data = hex_bytes(text)
    except ValueError:
        data = b""
    if not data:
        raise _refused(VerifierErrorCode.NOT_HEX, "is not hex")
    return data


def _refused(code: VerifierErrorCode, what: str) -> VerifierError:
    return VerifierError(code, f"quote: {what}")


def _form(data: bytes) -> tuple[int, BodyType, int]:
    """Returns version, body type and number of signed bytes.

    Raises VerifierError, and struct.error where bytes are missing. dcap-qvl also reads quotes of
    SGX and those that another kind of key signs, and in version 5 it ignores the TEE type. A form
    that may be newer than this verifier has a code of its own, since it need not be a forgery.
    """
    version, key_type, tee_type = struct.unpack_from("<HHI40x", data)
    # Versions below 4 have no TEE type. These are quotes of SGX.
    if version < 4 or tee_type != TDX_TEE_TYPE:
        raise _refused(VerifierErrorCode.NOT_TDX, f"version {version} of TEE type {tee_type:#x}")
    if version > 5:
        raise _refused(VerifierErrorCode.UNSUPPORTED_VERSION, f"version {version}; known are 4 and 5")
    # Intel reserves type 3 (ECDSA P-384), which no quoting enclave uses.
    if key_type != ECDSA_P256:
        message = f"attestation key type {key_type}; known is ECDSA P-256, {ECDSA_P256}"
        raise _refused(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    if version == 4:
        return version, BodyType.TD10, HEADER_LENGTH + BODY_LENGTHS[BodyType.TD10]
    number, size = struct.unpack_from("<HI", data, HEADER_LENGTH)
    if number not in set(BodyType):
        raise _refused(VerifierErrorCode.UNSUPPORTED_BODY, f"body type {number} of {size} bytes; known are 2, 3 and 4")
    # A size that differs from the type's would shift every later field.
    if size != BODY_LENGTHS[BodyType(number)]:
        raise _refused(VerifierErrorCode.INCONSISTENT_SIZES, f"body type {number} of {size} bytes")
    return version, BodyType(number), HEADER_LENGTH + 6 + size


def _signature(part: bytes) -> QuoteSignature:
    """Returns the parts of a signature.

    Raises VerifierError, and struct.error where bytes are missing. No key signs the lengths, so
    bytes between the nested parts could hide another chain from a reader that skips them.
    """
    signature, public_key, kind, size = struct.unpack_from("<64s64sHI", part)
    # Version 4 wraps the QE report in certification data of type 6; version 3 holds it unwrapped.
    if kind != QE_REPORT_CERTIFICATION:
        message = f"certification type {kind} of the signature; known is {QE_REPORT_CERTIFICATION}"
        raise _refused(VerifierErrorCode.UNSUPPORTED_SIGNATURE, message)
    inner = part[134:]
    qe_report, qe_signature, auth_length = struct.unpack_from("<384s64sH", inner)
    _, chain_length = struct.unpack_from("<HI", inner, 450 + auth_length)
    auth_data, chain = inner[450 : 450 + auth_length], inner[456 + auth_length :]
    if size != len(inner) or chain_length != len(chain):
        message = "the lengths of the QE certification in its signature do not add up"
        raise _refused(VerifierErrorCode.INCONSISTENT_SIZES, message)
    return QuoteSignature(signature, public_key, qe_report, qe_signature, auth_data, chain)


def _report(data: bytes, body_type: BodyType) -> TdReport:
    import dcap_qvl  # noqa: PLC0415 - a bundle and a trust file are read without it

    read = dcap_qvl.parse_quote(data).report
    extension = None
    if body_type is BodyType.TD15EX:
        extension = TdExtension(*(getattr(read, each.name) for each in fields(TdExtension)))
    rtmrs = (read.rt_mr0, read.rt_mr1, read.rt_mr2, read.rt_mr3)
    given: dict[str, Any] = {"body_type": body_type, "rtmrs": rtmrs, "extension": extension}
    if body_type is BodyType.TD10:
        given |= {"tee_tcb_svn2": None, "mr_service_td": None}
    # All other fields have the library's names.
    others = {each.name: getattr(read, each.name) for each in fields(TdReport) if each.name not in given}
    return TdReport(**given, **others)


LIMIT_BYTES: Final = 4_194_304
NESTING: Final = 24


@dataclass(frozen=True, slots=True)
class QuoteResponse:
    """Texts of a response as served. `event_log` and `vm_config` are empty if absent.

    `statement` is there when a nonce was sent to a node that makes such statements.
    """

    quote: str
    event_log: str
    vm_config: str
    report_data: str | None
    statement: str | None


def parse_quote_response(body: bytes, what: str) -> QuoteResponse:
    """Parse a response. Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_EVIDENCE) naming `what`."""
    read = parse_json_object(body, what, LIMIT_BYTES, NESTING)

    # Texts stay unparsed, since log and statement are hashed as they were sent.
    def text(key: str, default: str | None) -> str | None:
        value = read.get(key, default)
        if value is not None and not isinstance(value, str):
            raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: {key} is no text")
        return value

    quote = text("quote", None)
    if quote is None:
        raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: quote is missing")
    return QuoteResponse(
        quote=quote,
        event_log=text("event_log", "") or "",
        vm_config=text("vm_config", "") or "",
        report_data=text("report_data", None),
        statement=text("statement", None),
    )
