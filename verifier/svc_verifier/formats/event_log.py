"""The TD's event log with boot measurements, runtime events and the identity they state."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import hex_bytes, parse_json, parse_json_object

RUNTIME_EVENT_TYPE: Final = 0x08000001
"""Type of dstack's own events, which alone extend RTMR3."""

RUNTIME_REGISTER: Final = 3
REGISTER_COUNT: Final = 4
DIGEST_LENGTH: Final = 48
U32_MAX: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class EventLogLimits:
    """Limits of a log. Real ones have about 30 events in 7 kB, with small payloads."""

    text_bytes: int = 1_048_576
    events: int = 1_024
    payload_bytes: int = 65_536
    name_characters: int = 256
    nesting: int = 16
    """Brackets inside brackets. A log needs two."""


DEFAULT_LIMITS: Final = EventLogLimits()


@dataclass(frozen=True, slots=True)
class Event:
    """Event of the log. `digest` extends its register; it is computed for runtime events.

    `version` is 1 or 2, the form of a runtime event's digest.
    """

    register: int
    event_type: int
    name: str
    payload: bytes
    digest: bytes
    version: int

    @property
    def is_runtime(self) -> bool:
        """Whether the digest binds name and payload."""
        return self.register == RUNTIME_REGISTER


def runtime_digest(name: str, payload: bytes, version: int = 1) -> bytes:
    """Returns the 48-byte digest of a runtime event."""
    return hashlib.sha384(runtime_preimage(name, payload, version)).digest()


def runtime_preimage(name: str, payload: bytes, version: int = 1) -> bytes:
    """Returns the bytes that are hashed for a runtime event of version 1 or 2."""
    if version == 1:
        # Spec 12.6. The form is ambiguous ("a:b" with "c" is "a" with "b:c"), so only known boot
        # names in order are believed.
        return RUNTIME_EVENT_TYPE.to_bytes(4, "little") + b":" + name.encode() + b":" + payload
    # RFC 8785 of this object, with sorted keys and no blanks. json has the RFC's escapes.
    canonical = {"name": name, "payload": payload.hex(), "type": RUNTIME_EVENT_TYPE}
    return json.dumps(canonical, ensure_ascii=False, separators=(",", ":")).encode()


def parse_event_log(text: str, limits: EventLogLimits = DEFAULT_LIMITS) -> tuple[Event, ...]:
    """Returns the events of a log in JSON (a quote's `event_log`). Raises VerifierError."""
    items = parse_json(text, "event log", limits.text_bytes, limits.nesting)
    if not isinstance(items, list):
        raise VerifierError(VerifierErrorCode.NOT_JSON, "event log: is no JSON array")
    return parse_events(items, limits)


def parse_events(items: Sequence[object], limits: EventLogLimits = DEFAULT_LIMITS) -> tuple[Event, ...]:
    """Returns the events of a decoded log (`tcb_info.event_log`). Raises VerifierError."""
    if len(items) > limits.events:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"event log: more than {limits.events} events")
    return tuple(_parse_event(item, f"event {index}", limits) for index, item in enumerate(items))


def replay(events: Iterable[Event]) -> tuple[bytes, bytes, bytes, bytes]:
    """Returns RTMR0 to RTMR3 after all events, by SHA384(register, digest) from 48 zeros."""
    registers = [bytes(DIGEST_LENGTH)] * REGISTER_COUNT
    # RTMRs only ever extend (Intel TDX module, TDG.MR.RTMR.EXTEND), so no log of other events ends
    # in the same registers.
    for event in events:
        registers[event.register] = hashlib.sha384(registers[event.register] + event.digest).digest()
    return registers[0], registers[1], registers[2], registers[3]


def _parse_event(item: object, where: str, limits: EventLogLimits) -> Event:
    if not isinstance(item, dict):
        raise _bad(where, "is no object")
    register, event_type = _integer(item, "imr", where), _integer(item, "event_type", where)
    if not 0 <= register < REGISTER_COUNT:
        raise VerifierError(VerifierErrorCode.BAD_REGISTER, f"{where}: imr {register} is none of 0 to 3")
    if not 0 <= event_type <= U32_MAX:
        raise _bad(where, "event_type is no u32")
    # Another type in RTMR3 has a digest that does not bind its name, so a host could label a real
    # digest at will.
    if (register == RUNTIME_REGISTER) != (event_type == RUNTIME_EVENT_TYPE):
        message = f"{where}: type {event_type:#x} in RTMR{register}; {RUNTIME_EVENT_TYPE:#x} belongs to RTMR3 alone"
        raise VerifierError(VerifierErrorCode.WRONG_EVENT_TYPE, message)
    name = _name(item, where, limits)
    payload = _hex(item, "event_payload", where, limits.payload_bytes)
    # RTMR0 to RTMR2: the log lacks the data that firmware and kernel measured, so the stated digest
    # is used.
    stated = _hex(item, "digest", where, DIGEST_LENGTH)
    if register == RUNTIME_REGISTER:
        return _runtime_event(item, name, payload, stated, where)
    if len(stated) != DIGEST_LENGTH:
        raise _bad(where, f"digest is not {DIGEST_LENGTH} bytes")
    return Event(register, event_type, name, payload, stated, version=1)


def _runtime_event(item: dict[str, object], name: str, payload: bytes, stated: bytes, where: str) -> Event:
    version = _version(item, where)
    # Recomputed, since a replay over stated digests does not bind the payloads (forged compose
    # hash).
    preimage = runtime_preimage(name, payload, version)
    digest = hashlib.sha384(preimage).digest()
    # dstack since January 2026 leaves the digest of runtime events empty. A stated one must match.
    if stated not in {b"", digest}:
        message = f"{where} {name!r}: the stated digest is not that of its name and payload"
        raise VerifierError(VerifierErrorCode.DIGEST_MISMATCH, message)
    if version == 2 and _hex(item, "preimage", where, len(preimage)) != preimage:
        message = f"{where} {name!r}: the stated preimage is not that of its name and payload"
        raise VerifierError(VerifierErrorCode.DIGEST_MISMATCH, message)
    return Event(RUNTIME_REGISTER, RUNTIME_EVENT_TYPE, name, payload, digest, version)


def _version(item: dict[str, object], where: str) -> int:
    version = 1 if item.get("version") is None else _integer(item, "version", where)
    if version not in {1, 2}:
        raise _bad(where, f"version {version}; known are 1 and 2")
    # A preimage is hashed in version 2 alone. In version 1 only some verifiers would read it.
    if version == 1 and item.get("preimage") is not None:
        raise _bad(where, "a preimage without version 2")
    return version


def _integer(item: dict[str, object], key: str, where: str) -> int:
    value = item.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad(where, f"{key} is no integer")
    # JSON numbers have no bound, and a huge one costs time to print in a message.
    if abs(value) > U32_MAX:
        raise _bad(where, f"{key} is no u32")
    return value


def _name(item: dict[str, object], where: str, limits: EventLogLimits) -> str:
    name = item.get("event", "")
    if not isinstance(name, str) or len(name) > limits.name_characters or not _has_utf8_form(name):
        raise _bad(where, f"event is no text of at most {limits.name_characters} characters")
    return name


def _has_utf8_form(text: str) -> bool:
    # JSON may escape lone surrogates, which no UTF-8 preimage can hold.
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _hex(item: dict[str, object], key: str, where: str, limit_bytes: int) -> bytes:
    text = item.get(key, "")
    if not isinstance(text, str):
        raise _bad(where, f"{key} is no text")
    if len(text.removeprefix("0x")) > 2 * limit_bytes:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{where}: {key} is longer than {limit_bytes} bytes")
    try:
        return hex_bytes(text)
    except ValueError:
        raise VerifierError(VerifierErrorCode.NOT_HEX, f"{where}: {key} is not hex") from None


def _bad(where: str, what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_EVENT, f"{where}: {what}")


@dataclass(frozen=True, slots=True)
class KeyProvider:
    """`kind` is kms, local-sgx, tpm or none. `identifier` is a KMS's root CA key (DER)."""

    kind: str
    identifier: bytes


def parse_key_provider(payload: bytes) -> KeyProvider:
    """Parse a key-provider event. Raises VerifierError(NOT_JSON, NOT_HEX, TOO_LARGE, BAD_EVENT)."""
    read = parse_json_object(payload, "key-provider event", 65_536, 4)
    kind, identifier = read.get("name"), read.get("id")
    if not isinstance(kind, str) or not isinstance(identifier, str):
        raise VerifierError(VerifierErrorCode.BAD_EVENT, "key-provider event: name or id is no text")
    try:
        return KeyProvider(kind, hex_bytes(identifier))
    except ValueError:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "key-provider event: id is not hex") from None


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
"""Boot events that dstack 0.3 to 0.6 writes, in order. Which of them appear depends on it."""

REQUIRED: Final = ("app-id", "compose-hash", "instance-id", "boot-mr-done", "key-provider", "system-ready")
REPEATABLE: Final = frozenset({"init-script-hash"})
PAYLOAD_LENGTHS: Final = {"app-id": (20,), "compose-hash": (32,), "instance-id": (0, 20), "system-ready": (0,)}


@dataclass(frozen=True, slots=True)
class BootIdentity:
    """Identity at boot, with a 20-byte app id, a 32-byte compose hash and an optional instance id.

    `os_image_hash` is what the key service told the guest, for information. `application_events`
    are names of later events, which the code in the TD chose.
    """

    app_id: bytes
    compose_hash: bytes
    instance_id: bytes
    key_provider: bytes
    os_image_hash: bytes | None
    application_events: tuple[str, ...]


def boot_identity(events: Sequence[Event]) -> BootIdentity:
    """Returns the identity in a parsed log. Raises VerifierError(BAD_BOOT_ORDER, BAD_EVENT).

    The events prove nothing until `replay(events)` equals the RTMRs of a verified quote.
    """
    runtime = [event for event in events if event.is_runtime]
    names = [event.name for event in runtime]
    if "system-ready" not in names:
        raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, "event log: no system-ready event")
    # Spec 12.6: later events are the application's, which could write a second app-id.
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
        # An unknown name may be a known one split at another colon (see `runtime_preimage`).
        if name not in BOOT_ORDER:
            raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, f"event log: {name!r} is no known boot event")
        position = BOOT_ORDER.index(name)
        # Of a repeated name dstack may have used the earlier payload, a dict the later one.
        if position < rank or (position == rank and name not in REPEATABLE):
            message = f"event log: {name!r} is repeated or out of order"
            raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, message)
        rank = position
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise VerifierError(VerifierErrorCode.BAD_BOOT_ORDER, f"event log: no {missing[0]} event before system-ready")
