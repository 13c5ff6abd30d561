"""Requests and responses of the attestation endpoints."""

from typing import Final

from pydantic import BaseModel, Field, JsonValue

_NONCE = "64 hex digits of your own randomness: the quote is then over a statement that repeats them."


class AttestationQuery(BaseModel, frozen=True, extra="forbid"):
    """The query of `/attestation`."""

    nonce: str | None = Field(default=None, pattern="^[0-9a-fA-F]{64}$", description=_NONCE, examples=["5a" * 32])


class Attestation(BaseModel, frozen=True):
    """A quote with the data needed to verify it."""

    quote: str = Field(description="The TDX quote, hex.")
    event_log: str = Field(description="JSON array of events, as the platform gave it.")
    vm_config: str = Field(description="JSON object, as the platform gave it.")
    report_data: str = Field(description="What the quote is over, hex: zeros, or the padded SHA-256 of `statement`.")
    statement: str | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="With a nonce: RFC 8785 JSON of purpose, nonce, host, spki_sha256, evidence_sha256, config and "
        "admin_payer; "
        "hash it as it stands, UTF-8.",
    )


class LoggedEvent(BaseModel, frozen=True):
    """An event of the boot log."""

    imr: int
    event_type: int
    digest: str
    event: str
    event_payload: str
    version: int | None = Field(default=None, exclude_if=lambda value: value is None)
    preimage: str | None = Field(default=None, exclude_if=lambda value: value is None)


class TcbInfo(BaseModel, frozen=True):
    """Measurements as the platform states them, hex; a quote proves them."""

    mrtd: str
    rtmr0: str
    rtmr1: str
    rtmr2: str
    rtmr3: str
    mr_aggregated: str
    os_image_hash: str
    compose_hash: str
    device_id: str
    app_compose: str = Field(description="Byte for byte: its SHA-256 is `compose_hash`.")
    event_log: list[LoggedEvent]


class Info(BaseModel, frozen=True):
    """Identity of this TD as the platform states it, hex; a quote proves it."""

    app_id: str
    instance_id: str
    app_name: str
    compose_hash: str
    os_image_hash: str
    mr_aggregated: str
    device_id: str
    key_provider_info: str = Field(description="JSON text.")
    vm_config: str = Field(description="JSON text.")
    tcb_info: TcbInfo


class EvidenceFile(BaseModel, frozen=True, extra="forbid"):
    """The path of one file of the current set, or of an earlier one's listing."""

    name: str = Field(max_length=300, description="As the listing names it.", examples=["quote.json"])


class EvidenceSetName(BaseModel, frozen=True, extra="forbid"):
    """The path of one set."""

    set_name: str = Field(max_length=300, description="SHA-256 of the set's sha256sum.txt, hex.", examples=["5a" * 32])


class EvidenceSetFile(EvidenceFile, EvidenceSetName, frozen=True, extra="forbid"):
    """The path of one file of one set."""


_HASH: Final = "5a" * 32
_REGISTER: Final = "5a" * 48
EXAMPLE_INFO: Final[dict[str, JsonValue]] = {
    "app_id": "e7f1725e7734ce288f8367e1bb143e90bb3f0512", "instance_id": "92a072cc719301fb702f87ba2b0726dc95dd0ccc",
    "app_name": "svc-node", "compose_hash": _HASH, "os_image_hash": _HASH, "mr_aggregated": _HASH, "device_id": _HASH,
    "key_provider_info": "{}", "vm_config": "{}",
    "tcb_info": {
        "mrtd": _REGISTER, "rtmr0": _REGISTER, "rtmr1": _REGISTER, "rtmr2": _REGISTER, "rtmr3": _REGISTER,
        "mr_aggregated": _HASH, "os_image_hash": _HASH, "compose_hash": _HASH, "device_id": _HASH, "app_compose": "{}",
        "event_log": [],
    },
}  # fmt: skip
