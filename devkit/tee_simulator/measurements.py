"""Measurements of the simulated TD, booted in the order of a real dstack 0.6 machine."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Final

from devkit.tee_simulator.events import SimulatedEvent, firmware_events, register, runtime_event
from devkit.tee_simulator.options import EventFault, SimulatorOptions
from devkit.tee_simulator.os_image import MR_TD, OS_IMAGE_HASH

APP_NAME: Final = "INSECURE-svc-development-tee-simulator"
REGISTER_COUNT: Final = 4
APP_ID_LENGTH: Final = 20
OTHER_COMPOSE_HASH: Final = hashlib.sha256(b"svc development: a compose file that does not run here").digest()
"""Compose hash that a faulty log claims."""

OTHER_EVENT_TYPE: Final = 0x0000000D
"""EV_IPL, the type of an event whose digest is over data that the log lacks."""

FOREIGN_REGISTER: Final = 9


@dataclass(frozen=True, slots=True)
class Measurements:
    """Statements of a quote or `Info` about the simulated TD; measurements are 48 bytes.

    Info shows `events`, `quoted_events` are beside a quote; the registers are of the measured ones.
    """

    app_compose: str
    compose_hash: bytes
    app_id: bytes
    instance_id: bytes
    key_provider: str
    mr_td: bytes
    mr_config_id: bytes
    rtmrs: tuple[bytes, ...]
    events: tuple[SimulatedEvent, ...]
    quoted_events: tuple[SimulatedEvent, ...]
    filled_digests: bool

    @property
    def event_log(self) -> list[dict[str, str | int]]:
        """The log that Info shows, as JSON values."""
        return [event.as_json(filled_digest=self.filled_digests) for event in self.events]

    @property
    def quoted_event_log(self) -> list[dict[str, str | int]]:
        """The log beside a quote, as JSON values."""
        return [event.as_json(filled_digest=self.filled_digests) for event in self.quoted_events]

    @property
    def mr_aggregated(self) -> bytes:
        """sha256 of MRTD, the RTMRs and, with MRCONFIGID, the three configuration fields."""
        return hashlib.sha256(self.mr_td + b"".join(self.rtmrs) + self.mr_config_id + bytes(2 * 48)).digest()


def measure(options: SimulatorOptions, instance_seed: bytes, key_provider_id: bytes) -> Measurements:
    """Returns the TD of `options`; `key_provider_id` is its key service authority's key (DER)."""
    compose_hash = hashlib.sha256(options.app_compose.encode()).digest()
    app_id = compose_hash[:APP_ID_LENGTH] if options.app_id is None else options.app_id
    instance_id = hashlib.sha256(instance_seed + app_id).digest()[:20]
    key_provider = json.dumps({"name": "kms", "id": key_provider_id.hex()}, separators=(",", ":"))
    boot = (
        ("system-preparing", b""),
        ("app-id", app_id),
        ("compose-hash", compose_hash),
        ("instance-id", instance_id),
        ("boot-mr-done", b""),
        ("os-image-hash", OS_IMAGE_HASH),
        ("key-provider", key_provider.encode()),
        ("storage-fs", b"ext4"),
        ("system-ready", b""),
    )
    runtime = [runtime_event(*event, options.event_version) for event in boot]
    measured = (*firmware_events(), *_measured(runtime, options))
    shown = tuple(_shown(event, options.events) for event in measured)
    return Measurements(
        app_compose=options.app_compose,
        compose_hash=compose_hash,
        app_id=app_id,
        instance_id=instance_id,
        key_provider=key_provider,
        mr_td=MR_TD,
        # dstack's first form of it, a version byte, the compose hash and zeros (spec 12.7).
        mr_config_id=b"\x01" + compose_hash + bytes(15),
        rtmrs=tuple(register(measured, index) for index in range(REGISTER_COUNT)),
        events=shown,
        quoted_events=_quoted(shown, options),
        filled_digests=options.filled_digests,
    )


def _measured(boot: list[SimulatedEvent], options: SimulatorOptions) -> list[SimulatedEvent]:
    """Returns the events that extend RTMR3, with a fault of the measurement itself."""
    position = [event.name for event in boot].index("compose-hash")
    before, after = boot[:position], boot[position + 1 :]
    other = runtime_event("compose-hash", OTHER_COMPOSE_HASH, options.event_version)
    match options.events:
        case EventFault.AFTER_READY:
            return [*boot, other]
        case EventFault.MISSING:
            return [*before, *after]
        case EventFault.DUPLICATE:
            return [*before, boot[position], other, *after]
        case EventFault.OUT_OF_ORDER:
            return [*before, *after, boot[position]]
        case _:
            return boot


def _shown(event: SimulatedEvent, fault: EventFault) -> SimulatedEvent:
    """Returns an event as logged, with another payload over the measured digest if faulty."""
    if event.name != "compose-hash":
        return event
    if fault is EventFault.SWAPPED_PAYLOAD:
        return replace(event, payload=OTHER_COMPOSE_HASH, stated_digest=event.digest)
    if fault is EventFault.RETYPED:
        return replace(event, payload=OTHER_COMPOSE_HASH, event_type=OTHER_EVENT_TYPE, preimage=None)
    return event


def _quoted(shown: tuple[SimulatedEvent, ...], options: SimulatorOptions) -> tuple[SimulatedEvent, ...]:
    if options.events is not EventFault.FOREIGN_REGISTER:
        return shown
    other = runtime_event("compose-hash", OTHER_COMPOSE_HASH, options.event_version)
    return (replace(other, register=FOREIGN_REGISTER), *shown)
