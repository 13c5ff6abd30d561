"""The firmware's event log (CC event log of ACPI, in TCG's form for PC clients) as JSON events.

Firmware and kernel extend RTMR0 to RTMR2 and log it there. dstack's RTMR3 events are not in it.
"""

from io import BytesIO
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import DEFAULT_LIMITS, REGISTER_COUNT
from svc_verifier.formats.strict_json import Json

LIMIT_BYTES: Final = 1_048_576
"""Bytes of a log. Firmware has 256 KiB of memory for it."""

_WHAT: Final = "firmware's event log"
_FIRST: Final = b"Spec ID Event03\0"
"""Start of the first event, after which the others list a digest for each algorithm."""

_SHA1_LENGTH: Final = 20
_SHA384: Final = 0x000C
_DIGEST_LENGTHS: Final = {0x0004: _SHA1_LENGTH, 0x000B: 32, _SHA384: 48, 0x000D: 64, 0x0012: 32}
"""Lengths by TCG's numbers of SHA-1, SHA-256, SHA-384, SHA-512 and SM3."""

_NO_ACTION: Final = 3
"""EV_NO_ACTION, the type of an event that extends nothing."""

_UNWRITTEN: Final = 0xFFFFFFFF
"""Register of an event in memory that nothing was written to."""


def parse_tcg_log(data: bytes) -> list[Json]:
    """Returns the events of RTMR0 to 3. Raises VerifierError(TOO_LARGE, TRUNCATED, BAD_EVENT)."""
    if len(data) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{_WHAT}: more than {LIMIT_BYTES} bytes")
    log = BytesIO(data)
    # The first event has an older form with register, type and one SHA-1.
    _take(log, 8 + _SHA1_LENGTH, "first event")
    if not _take(log, _number(log, 4, "size"), "first event").startswith(_FIRST):
        raise _bad("its first event is not that of a log with digests of several algorithms")
    found: list[Json] = []
    while log.tell() < len(data):
        register, event_type = _number(log, 4, "register"), _number(log, 4, "event type")
        # A log is often kept with the rest of its memory, all ones or zeros.
        if register == _UNWRITTEN or not (register or event_type):
            break
        digest = _digest(log)
        payload = _take(log, _number(log, 4, "size"), "event")
        if event_type == _NO_ACTION:
            continue
        # Register 0 is MRTD, which nothing extends once the TD runs.
        if not 1 <= register <= REGISTER_COUNT or not digest:
            raise _bad(f"an event of register {register} has no SHA-384 of RTMR0 to RTMR3")
        if len(found) == DEFAULT_LIMITS.events:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{_WHAT}: more than {len(found)} events")
        found.append(_event(register - 1, event_type, digest, payload))
    return found


def _take(log: BytesIO, length: int, name: str) -> bytes:
    """Returns the next bytes. Raises VerifierError(TRUNCATED) naming the field `name`."""
    taken = log.read(length)
    if len(taken) < length:
        message = f"{_WHAT}: {name} needs {length} bytes, {len(taken)} are left"
        raise VerifierError(VerifierErrorCode.TRUNCATED, message)
    return taken


def _number(log: BytesIO, length: int, name: str) -> int:
    return int.from_bytes(_take(log, length, name), "little")


def _digest(log: BytesIO) -> bytes:
    """Returns the SHA-384 among the digests of an event; empty if there is none."""
    found = b""
    for _ in range(_number(log, 4, "number of digests")):
        algorithm = _number(log, 2, "algorithm")
        if algorithm not in _DIGEST_LENGTHS:
            raise _bad(f"digest of the unknown algorithm {algorithm:#x}")
        digest = _take(log, _DIGEST_LENGTHS[algorithm], "digest")
        found = digest if algorithm == _SHA384 else found
    return found


def _event(register: int, event_type: int, digest: bytes, payload: bytes) -> Json:
    # No digest of RTMR0 to RTMR2 is computed here, so a payload beyond the limit may be dropped.
    kept = payload if len(payload) <= DEFAULT_LIMITS.payload_bytes else b""
    return {
        "imr": register,
        "event_type": event_type,
        "digest": digest.hex(),
        "event": "",
        "event_payload": kept.hex(),
    }


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_EVENT, f"{_WHAT}: {what}")
