"""Messages of an action's process, each of them hostile until checked here."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from node.engine.json_shape import require_plain, well_formed
from node.engine.port import ActionError

HEADER_BYTES: Final = 5

_LONE_SURROGATE: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_REPLACEMENT_CHARACTER: Final = rb"\1\\ufffd"
_NAME_LENGTH: Final = 256
_MESSAGE_LENGTH: Final = 65_536


class Kind(StrEnum):
    """The kind byte of a frame."""

    READY = "R"
    BROKEN = "B"
    LOG = "L"
    CALL = "C"
    DONE = "D"
    ERROR = "E"
    OUT_OF_MEMORY = "M"
    CRASHED = "X"


class FrameError(Exception):
    """The process broke the protocol: no honest one can, so nothing it sent is used."""


class ResponseError(Exception):
    """The response is JSON of a shape that cannot be passed on; the message says why."""


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call the action makes to the node."""

    id: int
    name: str
    arguments: list[JsonValue]


def parse_header(header: bytes) -> tuple[Kind, int]:
    """Kind and length of the frame that follows. Raises FrameError."""
    try:
        return Kind(chr(header[0])), int.from_bytes(header[1:])
    except ValueError:
        raise FrameError("unknown kind of frame") from None


def parse_log(body: bytes) -> str:
    """One line of the logs. Raises FrameError."""
    value = _parse(body)
    if not isinstance(value, str):
        raise FrameError("a log line is a text")
    return well_formed(value)


def parse_call(body: bytes) -> HostCall:
    """A call: `[id, name, arguments]`. Raises FrameError."""
    match _parse(body):
        case [int() as call_id, str() as name, list() as arguments] if not isinstance(call_id, bool):
            return HostCall(call_id, name, arguments)
        case _:
            raise FrameError("a call is [id, name, arguments]")


def parse_error(body: bytes) -> ActionError:
    """What the action did wrong. Raises FrameError."""
    match _parse(body):
        case {"name": str() as name, "message": str() as message, "stack": str() as stack}:
            shown = (name[:_NAME_LENGTH], message[:_MESSAGE_LENGTH], stack[:_MESSAGE_LENGTH])
            return ActionError(*map(well_formed, shown))
        case _:
            raise FrameError("an error is {name, message, stack}")


def parse_response(body: bytes, depth_max: int) -> JsonValue:
    """The action's response. Raises FrameError, or ResponseError where no JSON reader could be trusted with it.

    Lone surrogates become U+FFFD: `JSON.stringify` escapes exactly these, and no UTF-8 text can carry one.
    """
    value = _parse(_LONE_SURROGATE.sub(_REPLACEMENT_CHARACTER, body))
    try:
        require_plain(value, depth_max)
    except ValueError as error:
        raise ResponseError(f"The action's response {error}.") from None
    return value


def _parse(body: bytes) -> JsonValue:
    try:
        value: JsonValue = json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise FrameError("not JSON") from None
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def encode(kind: str, text: str) -> bytes:
    """A frame to the process."""
    body = text.encode()
    return kind.encode() + len(body).to_bytes(4) + body
