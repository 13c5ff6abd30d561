"""Messages of an action's process, each of them hostile until checked here."""

import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from node.engine.port import ActionError

HEADER_BYTES: Final = 5

_LONE_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
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
    return value


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
            return ActionError(name[:_NAME_LENGTH], message[:_MESSAGE_LENGTH], stack[:_MESSAGE_LENGTH])
        case _:
            raise FrameError("an error is {name, message, stack}")


def parse_response(body: bytes, depth_max: int) -> JsonValue:
    """The action's response. Raises FrameError, or ResponseError where no JSON reader could be trusted with it."""
    value = _parse(body)
    _check_response(value, depth_max)
    return value


def _parse(body: bytes) -> JsonValue:
    try:
        text = body.decode()
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
        return value if _LONE_SURROGATE.search(body) is None else _well_formed(value)
    except (ValueError, RecursionError):
        raise FrameError("not JSON") from None


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _well_formed(value: JsonValue) -> JsonValue:
    """The same with every lone surrogate replaced by U+FFFD: no UTF-8 text can carry one."""
    text = json.dumps(value, ensure_ascii=False)
    replaced: JsonValue = json.loads(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    return replaced


def _check_response(value: JsonValue, depth_max: int) -> None:
    level: list[JsonValue] = [value]
    depth = 0
    while level:
        if any(isinstance(item, float) and not math.isfinite(item) for item in level):
            raise ResponseError("The response holds a number beyond the range of JSON readers.")
        nested = [item for item in level if isinstance(item, (list, dict))]
        depth += bool(nested)
        if depth > depth_max:
            raise ResponseError(f"The response is nested more than {depth_max} deep.")
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]


def encode(kind: str, text: str) -> bytes:
    """A frame to the process."""
    body = text.encode()
    return kind.encode() + len(body).to_bytes(4) + body
