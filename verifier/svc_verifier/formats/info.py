"""The answer of `/info`: what the node states of itself (spec 12.1); nothing in it is proved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object

LIMIT_BYTES: Final = 4_194_304
NESTING: Final = 24
_LENGTHS: Final = {
    "mrtd": 48,
    "rtmr0": 48,
    "rtmr1": 48,
    "rtmr2": 48,
    "rtmr3": 48,
    "mr_aggregated": 32,
    "compose_hash": 32,
}
_OUTER_LENGTHS: Final = {"mr_aggregated": 32, "instance_id": 20}


@dataclass(frozen=True, slots=True)
class InfoAnswer:
    """`app_id` is 20 bytes, hashes 32; None is what is not stated. `measurements` holds what `tcb_info` states, by name; `event_log` its events.

    `outer` holds what is stated beside `tcb_info` of the same things: mr_aggregated, and the instance id of 20 bytes.
    """

    app_id: bytes | None
    compose_hash: bytes | None
    app_compose: str | None
    measurements: Mapping[str, bytes]
    outer: Mapping[str, bytes]
    event_log: Sequence[Json] | None


def parse_info(body: bytes) -> InfoAnswer:
    """Raises VerifierError(TOO_LARGE, NOT_JSON, NOT_HEX, BAD_INFO), and nothing else."""
    read = parse_json_object(body, "/info", LIMIT_BYTES, NESTING)
    tcb_info = read.get("tcb_info")
    if not isinstance(tcb_info, dict):
        raise _bad("tcb_info is no object")
    app_compose, event_log = tcb_info.get("app_compose"), tcb_info.get("event_log")
    if app_compose is not None and not isinstance(app_compose, str):
        raise _bad("tcb_info.app_compose is no text")
    if event_log is not None and not isinstance(event_log, list):
        raise _bad("tcb_info.event_log is no array")
    stated = {name: _hex(tcb_info, name, length) for name, length in _LENGTHS.items() if tcb_info.get(name)}
    return InfoAnswer(
        app_id=_hex(read, "app_id", 20) if read.get("app_id") else None,
        compose_hash=_hex(read, "compose_hash", 32) if read.get("compose_hash") else stated.get("compose_hash"),
        app_compose=app_compose or None,
        measurements=stated,
        outer={name: _hex(read, name, length) for name, length in _OUTER_LENGTHS.items() if read.get(name)},
        event_log=event_log,
    )


def _hex(read: Mapping[str, Json], key: str, length: int) -> bytes:
    text = read.get(key)
    try:
        value = hex_bytes(text) if isinstance(text, str) else b""
    except ValueError:
        value = b""
    if len(value) != length:
        raise VerifierError(VerifierErrorCode.NOT_HEX, f"/info: {key} is not {length} bytes in hex")
    return value


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_INFO, f"/info: {what}")
