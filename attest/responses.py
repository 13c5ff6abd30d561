"""Responses of the dstack guest agent, checked field by field, and their published part."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    JsonValue,
    SecretBytes,
    SecretStr,
    TypeAdapter,
    ValidationError,
)

from attest.errors import AttestError, AttestErrorCode

REPORT_DATA_LENGTH_BYTES: Final = 64
"""Length of REPORTDATA of a TDX quote (Intel TDX DCAP quote format, TD report body)."""
TEE_TYPE_TDX: Final = 0x81
_BODY_TYPES_TDX: Final = frozenset({2, 3, 4})
"""Body types of version 5: all (TD report 1.0, 1.5, extension) begin with the fields of 1.0."""
_REPORT_DATA_IN_BODY: Final = 520
# The header has 48 bytes; version 5 adds the body's type (2) and size (4).
_BODY_AT: Final = {4: 48, 5: 54}
_BODY_TYPE_AT: Final = 48


def report_data_of(quote: bytes) -> bytes:
    """Returns the 64 bytes that the quote covers, without verifying it.

    Raises ValueError when this is no TDX quote of version 4 or 5.
    """
    body_at = _BODY_AT.get(_number(quote, 0, 2))
    # Bytes 0 to 1 are the version, 4 to 7 the TEE type (Intel TDX DCAP quote format, quote header).
    if body_at is None or _number(quote, 4, 4) != TEE_TYPE_TDX:
        raise ValueError("is no TDX quote of version 4 or 5")
    if body_at != _BODY_AT[4] and _number(quote, _BODY_TYPE_AT, 2) not in _BODY_TYPES_TDX:
        raise ValueError("is no quote of a TD")
    # Offset 568 of a version 4 quote, 574 of a version 5 one (Intel TDX DCAP quote format).
    start = body_at + _REPORT_DATA_IN_BODY
    found = quote[start : start + REPORT_DATA_LENGTH_BYTES]
    if len(found) != REPORT_DATA_LENGTH_BYTES:
        raise ValueError("is cut off")
    return found


def _number(quote: bytes, start: int, length: int) -> int:
    return int.from_bytes(quote[start : start + length], "little")


SIMULATOR_APP_NAME: Final = "INSECURE-svc-development-tee-simulator"
HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def _from_hex(value: object) -> bytes:
    """Returns the bytes of hex in either case, with or without 0x. Raises ValueError."""
    digits = value.removeprefix("0x") if isinstance(value, str) else "?"
    # bytes.fromhex skips blanks and quotes the digit in its error, although it may be a key's.
    if len(digits) % 2 or not HEX_DIGITS.issuperset(digits):
        raise ValueError("is not hex")
    return bytes.fromhex(digits)


def _length(*allowed: int) -> AfterValidator:
    def check(value: bytes) -> bytes:
        if len(value) not in allowed:
            raise ValueError(f"is not {' or '.join(map(str, allowed))} bytes")
        return value

    return AfterValidator(check)


HexBytes = Annotated[bytes, BeforeValidator(_from_hex)]
Digest = Annotated[HexBytes, _length(48)]
MaybeDigest = Annotated[HexBytes, _length(48, 0)]
Hash = Annotated[HexBytes, _length(32)]
AppId = Annotated[HexBytes, _length(20)]


class _Response(BaseModel):
    """Immutable response. Ignores unknown fields. Errors do not quote the input, maybe a key."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class LogEvent(_Response):
    """An event of the boot log. Those of imr 3 may lack a digest; V2 events have `preimage`."""

    imr: Annotated[int, Field(ge=0, le=3, strict=True)]
    event_type: Annotated[int, Field(ge=0, le=0xFFFFFFFF, strict=True)]
    digest: MaybeDigest = b""
    event: str = ""
    event_payload: HexBytes = b""
    version: Annotated[int, Field(ge=1, strict=True)] | None = None
    preimage: HexBytes | None = None


class TcbInfo(_Response):
    """Measurements of this TD as the agent states them. Only a quote proves them."""

    mrtd: Digest
    rtmr0: Digest
    rtmr1: Digest
    rtmr2: Digest
    rtmr3: Digest
    compose_hash: Hash
    app_compose: str
    event_log: tuple[LogEvent, ...]
    os_image_hash: HexBytes = b""
    mr_aggregated: HexBytes = b""
    device_id: HexBytes = b""


class Info(_Response):
    """Response of `Info`. On the wire `tcb_info` is a JSON string."""

    app_id: AppId
    instance_id: HexBytes
    app_name: str = ""
    tcb_info: Json[TcbInfo]
    compose_hash: HexBytes = b""
    os_image_hash: HexBytes = b""
    device_id: HexBytes = b""
    mr_aggregated: HexBytes = b""
    key_provider_info: str = ""
    vm_config: str = ""
    app_cert: str = ""
    cloud_vendor: str = ""
    cloud_product: str = ""

    @property
    def says_simulator(self) -> bool:
        """Whether this is our TEE simulator, which only its app name reveals."""
        return self.app_name.startswith(SIMULATOR_APP_NAME)


_EVENTS: Final = TypeAdapter(tuple[LogEvent, ...])
_JSON_OBJECT: Final = TypeAdapter(dict[str, JsonValue])


def _check_log(text: str) -> str:
    try:
        _EVENTS.validate_json(text)
    except ValidationError:
        raise ValueError("is no JSON array of events") from None
    return text


def _check_object(text: str) -> str:
    """Pass a JSON object or the empty text, since older agents state no configuration."""
    try:
        if text:
            _JSON_OBJECT.validate_json(text)
    except ValidationError:
        raise ValueError("is no JSON object") from None
    return text


def _check_quote(quote: bytes) -> bytes:
    report_data_of(quote)
    return quote


class Quote(_Response):
    """Response of `GetQuote`. `event_log` and `vm_config` are served byte for byte."""

    quote: Annotated[HexBytes, AfterValidator(_check_quote)]
    event_log: Annotated[str, AfterValidator(_check_log)]
    report_data: Annotated[HexBytes, _length(64)]
    vm_config: Annotated[str, AfterValidator(_check_object)] = ""


class Version(_Response):
    """Response of `Version` (dstack 0.5.7 and later)."""

    version: str
    rev: str = ""


class DerivedKey(_Response):
    """Response of `GetKey`, 32 secret bytes and their signature chain. Never shown."""

    key: Annotated[SecretBytes, BeforeValidator(_from_hex), Field(min_length=32, max_length=32, exclude=True)]
    signature_chain: Annotated[tuple[Annotated[HexBytes, _length(65)], ...], Field(min_length=2, max_length=2)]


class TlsKey(_Response):
    """Response of `GetTlsKey`, a new key and its certificates, leaf first (PEM)."""

    key: Annotated[SecretStr, Field(min_length=1, exclude=True)]
    certificate_chain: Annotated[tuple[str, ...], Field(min_length=1)]


def published_info(info: Info) -> Mapping[str, JsonValue]:
    """Returns the response of `/info`, with hex without 0x and `app_compose` byte for byte.

    An allow-list, since newer agents may add fields.

    Raises AttestError(MALFORMED_ANSWER) when the compose text has another hash than stated. The
    rest cannot be trusted then either.
    """
    tcb = info.tcb_info
    if hashlib.sha256(tcb.app_compose.encode()).digest() != tcb.compose_hash:
        raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "Info: the compose text has another hash than stated.")
    # Empty on older agents. Two different values would let verifiers read two identities.
    if info.compose_hash not in {b"", tcb.compose_hash}:
        raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "Info: two compose hashes are stated.")
    return {
        "app_id": info.app_id.hex(),
        "instance_id": info.instance_id.hex(),
        "app_name": info.app_name,
        "compose_hash": tcb.compose_hash.hex(),
        "os_image_hash": (info.os_image_hash or tcb.os_image_hash).hex(),
        "mr_aggregated": (info.mr_aggregated or tcb.mr_aggregated).hex(),
        "device_id": (info.device_id or tcb.device_id).hex(),
        "key_provider_info": info.key_provider_info,
        "vm_config": info.vm_config,
        "tcb_info": {
            "mrtd": tcb.mrtd.hex(),
            "rtmr0": tcb.rtmr0.hex(),
            "rtmr1": tcb.rtmr1.hex(),
            "rtmr2": tcb.rtmr2.hex(),
            "rtmr3": tcb.rtmr3.hex(),
            "mr_aggregated": tcb.mr_aggregated.hex(),
            "os_image_hash": tcb.os_image_hash.hex(),
            "compose_hash": tcb.compose_hash.hex(),
            "device_id": tcb.device_id.hex(),
            "app_compose": tcb.app_compose,
            "event_log": [_event(event) for event in tcb.event_log],
        },
    }


def _event(event: LogEvent) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {
        "imr": event.imr,
        "event_type": event.event_type,
        "digest": event.digest.hex(),
        "event": event.event,
        "event_payload": event.event_payload.hex(),
    }
    if event.version is not None:
        shown["version"] = event.version
    if event.preimage is not None:
        shown["preimage"] = event.preimage.hex()
    return shown
