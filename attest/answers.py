"""What the dstack guest agent answers, checked field by field (attestation.md sections 1.2, 1.3 and 4)."""

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

from attest.quote_bytes import report_data_of

SIMULATOR_APP_NAME: Final = "INSECURE-svc-development-tee-simulator"
HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def _from_hex(value: object) -> bytes:
    """Bytes from hex in either case, with or without 0x. Raises ValueError for anything else, quoting nothing."""
    digits = value.removeprefix("0x") if isinstance(value, str) else "?"
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


class _Answer(BaseModel):
    """Immutable; what newer agents add is ignored; errors never quote the input, which may be a key."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class LogEvent(_Answer):
    """One event of the boot log. Runtime events (imr 3) may come with an empty digest; a V2 event has `preimage`."""

    imr: Annotated[int, Field(ge=0, le=3, strict=True)]
    event_type: Annotated[int, Field(ge=0, le=0xFFFFFFFF, strict=True)]
    digest: MaybeDigest = b""
    event: str = ""
    event_payload: HexBytes = b""
    version: Annotated[int, Field(ge=1, strict=True)] | None = None
    preimage: HexBytes | None = None


class TcbInfo(_Answer):
    """Measurements of this TD as the agent states them; nothing here is proved until a quote says the same."""

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


class Info(_Answer):
    """Answer of `Info`; on the wire `tcb_info` is a JSON string."""

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
        """Whether this is our TEE simulator, which names its app so; nothing else tells it from a platform."""
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
    """Older agents state no configuration at all: the empty text."""
    try:
        if text:
            _JSON_OBJECT.validate_json(text)
    except ValidationError:
        raise ValueError("is no JSON object") from None
    return text


def _check_quote(quote: bytes) -> bytes:
    report_data_of(quote)
    return quote


class Quote(_Answer):
    """Answer of `GetQuote`; `event_log` and `vm_config` stay the strings they are, to be served byte for byte."""

    quote: Annotated[HexBytes, AfterValidator(_check_quote)]
    event_log: Annotated[str, AfterValidator(_check_log)]
    report_data: Annotated[HexBytes, _length(64)]
    vm_config: Annotated[str, AfterValidator(_check_object)] = ""


class Version(_Answer):
    """Answer of `Version` (dstack 0.5.7 and later)."""

    version: str
    rev: str = ""


class DerivedKey(_Answer):
    """Answer of `GetKey`: 32 secret bytes and who vouches for them. Not printed and not serialised."""

    key: Annotated[SecretBytes, BeforeValidator(_from_hex), Field(min_length=32, max_length=32, exclude=True)]
    signature_chain: Annotated[tuple[Annotated[HexBytes, _length(65)], ...], Field(min_length=2, max_length=2)]


class TlsKey(_Answer):
    """Answer of `GetTlsKey`: a fresh key (PEM) with its certificates (PEM, leaf first). The key is not printed."""

    key: Annotated[SecretStr, Field(min_length=1, exclude=True)]
    certificate_chain: Annotated[tuple[str, ...], Field(min_length=1)]
