"""Reads a TD's identity from its replayed event log: from boot events alone, in their one known order.

After `system-ready` the application may have written events of any name, so nothing is read from there. Before it, only
known names in known order count: the digest of a version 1 event does not separate name from payload ("a:b", "c" hashes
as "a", "b:c"), and an unknown name could be either half of something else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import Event

BOOT_ORDER: Final = (
    "system-preparing",
    "rootfs-hash",
    "app-id",
    "compose-hash",
    "init-script-hash",
    "gpu-policy-hash",
    "gpu-attestation",
    "instance-id",
    "boot-mr-done",
    "mr-kms",
    "os-image-hash",
    "key-provider",
    "storage-fs",
    "system-ready",
)
"""Every boot event dstack 0.3 to 0.6 is known to write, in order; which of them appear differs between versions."""

REQUIRED: Final = ("app-id", "compose-hash", "instance-id", "boot-mr-done", "key-provider", "system-ready")
REPEATABLE: Final = frozenset({"init-script-hash"})
PAYLOAD_LENGTHS: Final = {"app-id": (20,), "compose-hash": (32,), "instance-id": (0, 20), "system-ready": (0,)}


@dataclass(frozen=True, slots=True)
class BootIdentity:
    """Who booted: 20-byte app id, 32-byte compose hash, instance id of 20 bytes or none, key provider as JSON text.

    `os_image_hash` is what the key service told the guest at boot, for information. `application_events` are the names
    written after boot; whoever runs inside the TD chose them.
    """

    app_id: bytes
    compose_hash: bytes
    instance_id: bytes
    key_provider: bytes
    os_image_hash: bytes | None
    application_events: tuple[str, ...]


def boot_identity(events: Sequence[Event]) -> BootIdentity:
    """The identity in a parsed log. Raises VerifierError(BAD_BOOT_ORDER, BAD_EVENT), and nothing else.

    The events prove nothing until `replay(events)` equals the RTMRs of a verified quote.
    """
    runtime = [event for event in events if event.is_runtime]
    names = [event.name for event in runtime]
    if "system-ready" not in names:
        raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, "event log: no system-ready event")
    end = names.index("system-ready") + 1
    _check_order(names[:end])
    boot = {event.name: event.payload for event in runtime[:end]}
    for name, lengths in PAYLOAD_LENGTHS.items():
        if len(boot[name]) not in lengths:
            message = f"event {name!r}: payload of {len(boot[name])} bytes, not {' or '.join(map(str, lengths))}"
            raise VerifierError(VerifierErrorCode.BAD_EVENT, message)
    return BootIdentity(
        app_id=boot["app-id"],
        compose_hash=boot["compose-hash"],
        instance_id=boot["instance-id"],
        key_provider=boot["key-provider"],
        os_image_hash=boot.get("os-image-hash"),
        application_events=tuple(names[end:]),
    )


def _check_order(names: Sequence[str]) -> None:
    rank = -1
    for name in names:
        if name not in BOOT_ORDER:
            raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, f"event log: {name!r} is no known boot event")
        position = BOOT_ORDER.index(name)
        if position < rank or (position == rank and name not in REPEATABLE):
            message = f"event log: {name!r} is repeated or out of order"
            raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, message)
        rank = position
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, f"event log: no {missing[0]} event before system-ready")
