"""Events of the simulated boot and the registers they extend."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import rfc8785

from devkit.tee_simulator.os_image import ACPI_DATA, FIRMWARE_EVENTS

RUNTIME_EVENT_TYPE: Final = 0x08000001
RUNTIME_REGISTER: Final = 3
DIGEST_LENGTH: Final = 48


@dataclass(frozen=True, slots=True)
class SimulatedEvent:
    """An event; `digest` extends the register. `preimage` is that of a version 2 event.

    Runtime events are shown without a digest, like dstack's since 2026, unless the log is to be
    filled or `stated_digest` is given.
    """

    register: int
    event_type: int
    digest: bytes
    name: str
    payload: bytes
    preimage: bytes | None = None
    stated_digest: bytes = b""

    def as_json(self, *, filled_digest: bool) -> dict[str, str | int]:
        """Returns the event as the guest agent's log holds it."""
        hidden = self.event_type == RUNTIME_EVENT_TYPE and not filled_digest
        stated = self.stated_digest if hidden else self.digest
        version: dict[str, str | int] = {} if self.preimage is None else {"version": 2, "preimage": self.preimage.hex()}
        return {
            "imr": self.register,
            "event_type": self.event_type,
            "digest": stated.hex(),
            "event": self.name,
            "event_payload": self.payload.hex(),
            **version,
        }


def firmware_events() -> list[SimulatedEvent]:
    """Returns the measurements of firmware and kernel, in RTMR0 to RTMR2, without payloads."""
    return [
        SimulatedEvent(register, event_type, digest, name, ACPI_DATA if name else b"")
        for register, event_type, name, digest in FIRMWARE_EVENTS
    ]


def runtime_event(name: str, payload: bytes, version: int) -> SimulatedEvent:
    """Returns an event of dstack itself, with a digest of version 1 or 2."""
    if version == 1:
        hashed = RUNTIME_EVENT_TYPE.to_bytes(4, "little") + b":" + name.encode() + b":" + payload
        preimage = None
    else:
        hashed = preimage = rfc8785.dumps({"name": name, "payload": payload.hex(), "type": RUNTIME_EVENT_TYPE})
    digest = hashlib.sha384(hashed).digest()
    return SimulatedEvent(RUNTIME_REGISTER, RUNTIME_EVENT_TYPE, digest, name, payload, preimage)


def register(events: Iterable[SimulatedEvent], index: int) -> bytes:
    """Returns the 48 bytes of RTMR `index` after all events."""
    value = bytes(DIGEST_LENGTH)
    for event in events:
        if event.register == index:
            value = hashlib.sha384(value + event.digest).digest()
    return value
