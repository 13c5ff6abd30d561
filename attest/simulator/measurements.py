"""What the simulated TD measures: development values in the shape and order of a real dstack 0.6 machine."""

import hashlib
import json
from dataclasses import dataclass
from typing import Final

APP_NAME: Final = "INSECURE-svc-development-tee-simulator"
RUNTIME_EVENT_TYPE: Final = 0x08000001
DIGEST_LENGTH: Final = 48

FIRMWARE_EVENTS: Final = (
    (0, 0x8000000B, "td-hob"),
    (0, 0x8000000A, "configuration-firmware-volume"),
    (0, 0x80000001, "SecureBoot"),
    (0, 0x80000001, "PK"),
    (0, 0x80000001, "KEK"),
    (0, 0x80000001, "db"),
    (0, 0x80000001, "dbx"),
    (0, 0x00000004, "separator"),
    (0, 0x0000000A, "acpi-loader"),
    (0, 0x0000000A, "acpi-rsdp"),
    (0, 0x0000000A, "acpi-tables"),
    (1, 0x80000003, "kernel"),
    (0, 0x80000002, "BootOrder"),
    (0, 0x80000002, "Boot0000"),
    (1, 0x80000007, "calling-efi-application"),
    (1, 0x00000004, "separator"),
    (2, 0x00000006, "cmdline"),
    (2, 0x00000006, "initrd"),
    (1, 0x80000007, "exit-boot-services-invocation"),
    (1, 0x80000007, "exit-boot-services-returned"),
)
"""Register, event type and what is measured there, in the order of real logs."""

NAMED_FIRMWARE_EVENTS: Final = frozenset({"acpi-loader", "acpi-rsdp", "acpi-tables"})
"""Only these carry a name in a real log, since dstack 0.6."""

OS_IMAGE_HASH: Final = hashlib.sha256(b"svc development os image").digest()

VM_CONFIG: Final = {
    "spec_version": 1,
    "os_image_hash": OS_IMAGE_HASH.hex(),
    "cpu_count": 2,
    "memory_size": 2147483648,
    "qemu_version": "0.0.0-insecure-simulator",
    "pci_hole64_size": 0,
    "hugepages": False,
    "num_gpus": 0,
    "num_nvswitches": 0,
    "hotplug_off": False,
    "image": "insecure-simulator",
}


@dataclass(frozen=True, slots=True)
class SimulatedEvent:
    """One event; `digest` extends the register, and is left out of the log for runtime events, as dstack 0.6 does."""

    register: int
    event_type: int
    digest: bytes
    name: str
    payload: bytes

    def as_json(self) -> dict[str, str | int]:
        """The event as the guest agent's log holds it."""
        runtime = self.event_type == RUNTIME_EVENT_TYPE
        return {
            "imr": self.register,
            "event_type": self.event_type,
            "digest": "" if runtime else self.digest.hex(),
            "event": self.name,
            "event_payload": self.payload.hex(),
        }


@dataclass(frozen=True, slots=True)
class Measurements:
    """Everything about the simulated TD that a quote or `Info` states; measurements are 48 bytes."""

    app_compose: str
    compose_hash: bytes
    app_id: bytes
    instance_id: bytes
    key_provider: str
    mr_td: bytes
    mr_config_id: bytes
    rtmrs: tuple[bytes, bytes, bytes, bytes]
    events: tuple[SimulatedEvent, ...]

    @property
    def event_log(self) -> list[dict[str, str | int]]:
        """The log as JSON values."""
        return [event.as_json() for event in self.events]

    @property
    def mr_aggregated(self) -> bytes:
        """sha256 of MRTD, the RTMRs and, since MRCONFIGID is set, the three configuration fields."""
        return hashlib.sha256(self.mr_td + b"".join(self.rtmrs) + self.mr_config_id + bytes(2 * DIGEST_LENGTH)).digest()


def measure(app_compose: str, instance_seed: bytes, key_provider_id: bytes) -> Measurements:
    """The TD that runs `app_compose`; its app id is the first 20 bytes of the compose hash, as without a contract."""
    compose_hash = hashlib.sha256(app_compose.encode()).digest()
    app_id = compose_hash[:20]
    instance_id = hashlib.sha256(instance_seed + app_id).digest()[:20]
    key_provider = json.dumps({"name": "kms", "id": key_provider_id.hex()}, separators=(",", ":"))
    runtime = (
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
    events = (*map(_firmware_event, FIRMWARE_EVENTS), *(_runtime_event(*event) for event in runtime))
    return Measurements(
        app_compose=app_compose,
        compose_hash=compose_hash,
        app_id=app_id,
        instance_id=instance_id,
        key_provider=key_provider,
        mr_td=_development_digest("mrtd"),
        mr_config_id=b"\x01" + compose_hash + bytes(15),
        rtmrs=(_register(events, 0), _register(events, 1), _register(events, 2), _register(events, 3)),
        events=events,
    )


def _firmware_event(event: tuple[int, int, str]) -> SimulatedEvent:
    register, event_type, what = event
    name = what if what in NAMED_FIRMWARE_EVENTS else ""
    return SimulatedEvent(register, event_type, _development_digest(what), name, b"")


def _runtime_event(name: str, payload: bytes) -> SimulatedEvent:
    preimage = RUNTIME_EVENT_TYPE.to_bytes(4, "little") + b":" + name.encode() + b":" + payload
    return SimulatedEvent(3, RUNTIME_EVENT_TYPE, hashlib.sha384(preimage).digest(), name, payload)


def _register(events: tuple[SimulatedEvent, ...], register: int) -> bytes:
    value = bytes(DIGEST_LENGTH)
    for event in events:
        if event.register == register:
            value = hashlib.sha384(value + event.digest).digest()
    return value


def _development_digest(what: str) -> bytes:
    return hashlib.sha384(f"svc development {what}".encode()).digest()
