"""Checks the messages of a worker, which are hostile until then, and their JSON."""

import json
import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from node.engine.port import ActionError, StopReason
from node.runtime.processor_time import require_few_values

_CLOSING: Final = "}]"


class PlainText(str):
    """A text without quotes, backslashes, control or non-ASCII characters, such as base64."""

    __slots__ = ()


def json_text(value: object) -> str:
    """Returns a value's JSON in a tenth of the time of json.dumps (20 ms for 4 MiB of code)."""
    try:
        return to_json(value).decode()
    except ValueError:  # escape half a surrogate pair
        return json.dumps(value)


def answer_text(call_id: int, succeeded: bool, value: JsonValue) -> str:
    """Returns the JSON of `[call_id, succeeded, value]`.

    A `PlainText`, alone or in an object `value`, is copied, which takes a tenth of the time.
    """
    if isinstance(value, str):
        text = f'"{value}"' if isinstance(value, PlainText) else json_text(value)
        return f"[{call_id}, {'true' if succeeded else 'false'}, {text}]"
    plain: Mapping[str, str] = {}
    if isinstance(value, dict):
        plain = {name: item for name, item in value.items() if isinstance(item, PlainText)}
        value = {name: item for name, item in value.items() if name not in plain}
    text = json.dumps([call_id, succeeded, value])
    if not plain:
        return text
    pieces = [text.removesuffix(_CLOSING)]
    for number, (name, item) in enumerate(plain.items()):
        pieces += ["" if number == 0 and not value else ", ", json.dumps(name), ': "', item, '"']
    return "".join([*pieces, _CLOSING])


def require_plain(value: JsonValue, depth_max: int, integer_max: float = math.inf) -> None:
    """Checks depth, finite numbers, and integers within ±`integer_max` of a value.

    Raises ValueError, whose message continues a sentence about the value. It works level by level,
    so that depth needs no stack.
    """
    level: list[JsonValue] = [value]
    depth = 0
    while level:
        nested: list[list[JsonValue] | dict[str, JsonValue]] = []
        for item in level:
            if isinstance(item, (list, dict)):
                nested.append(item)
            elif isinstance(item, float) and not math.isfinite(item):
                raise ValueError("holds a number beyond the range of JSON readers")
            elif isinstance(item, int) and abs(item) > integer_max:
                raise ValueError(
                    f"holds an integer beyond ±{integer_max}, which an action would read as another number"
                )
        depth += bool(nested)
        if depth > depth_max:
            raise ValueError(f"is nested more than {depth_max} deep")
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]


_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_REPLACEMENT_CHARACTER: Final = rb"\\ufffd"
_ESCAPED_BYTES_MAX: Final = 6
"""Maximum JSON bytes of one byte of a text, `\\u0000`."""
_NAME_LENGTH: Final = 256
_MESSAGE_LENGTH: Final = 65_536
_ERROR_BYTES: Final = 2 * 1024 * 1024
"""Maximum of an error's JSON, more than report.js makes of the longest texts."""
_ERROR_VALUES: Final = 8
_CALL_BYTES_MAX: Final = 1024 * 1024
"""Maximum call but the long ones, enough to sign 128 KiB with every character escaped."""
_LONG_CALLS: Final = frozenset({b"fetch", b"Encrypt", b"Decrypt"})
_CALL_HEAD: Final = re.compile(rb'\[(?P<id>[0-9]{1,9}),"(?P<name>[A-Za-z]{1,64})",')
_NAMES_OF_THE_NODE: Final = frozenset(StopReason)
_PLAIN_NAME: Final = "Error"


class Kind(StrEnum):
    """The kind byte of a frame."""

    PROCESS = "P"
    """From a new process, its id. To a worker, its program."""
    READY = "R"
    BROKEN = "B"
    JOB = "J"
    ANSWER = "A"
    KILL = "K"
    """To a worker, the order to end this fiber. From it, the confirmation."""
    SHED = "S"
    """To a worker, the order to end its largest fiber. From it, that this fiber ended."""
    LOG = "L"
    CALL = "C"
    DONE = "D"
    ERROR = "E"
    OUT_OF_MEMORY = "M"
    CRASHED = "X"


START_HEADER: Final = struct.Struct(">cI")
"""Header before the worker is ready, with kind and length."""
HEADER: Final = struct.Struct(">cII")
"""Header of a ready worker, with kind, fiber and length."""
_KINDS: Final[Mapping[bytes, Kind]] = {kind.encode(): kind for kind in Kind}


class FrameError(Exception):
    """The process broke the protocol and is not honest, so nothing it sent is used."""


class TooDeepError(FrameError):
    """JSON nested deeper than any reader should follow."""


class CrowdedCallError(Exception):
    """A call with too many values or too much nesting, which gets an error as its reply."""

    def __init__(self, call_id: int) -> None:
        super().__init__("more values, or nested deeper, than in any call")
        self.call_id = call_id


class ResponseError(Exception):
    """The response is JSON that cannot be passed on; the message says why."""


class LongLogError(Exception):
    """A line longer than the limit of all logs, which was not parsed."""


class ManyValuesError(Exception):
    """A response with too many values."""


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call of the action to the node."""

    id: int
    name: str
    arguments: list[JsonValue]


def kind_of(byte: bytes) -> Kind:
    """Returns the kind of a frame. Raises FrameError."""
    try:
        return _KINDS[byte]
    except KeyError:
        raise FrameError("unknown kind of frame") from None


def encode(kind: Kind, fiber: int, body: bytes = b"") -> bytes:
    """Returns a frame to a worker."""
    return HEADER.pack(kind.encode(), fiber, len(body)) + body


def parse_log(body: bytes, bytes_max: int) -> str:
    """Parses a line of the logs. Raises LongLogError above `bytes_max`, FrameError."""
    if len(body) > longest_log_frame(bytes_max):
        raise LongLogError
    # Parse only texts, since building a list of a million values would block the event loop.
    value = _parse(_well_formed(body)) if body.startswith(b'"') else None
    if not isinstance(value, str):
        raise FrameError("a log line is a text")
    return value


def longest_log_frame(log_bytes: int) -> int:
    """Returns the longest log frame, whose line console.js cuts above the limit of all logs."""
    return _ESCAPED_BYTES_MAX * (log_bytes + 1) + 2


def oversized_call(body: bytes) -> int | None:
    """Returns the id of a call that is too long for its function, else None. Raises FrameError if
    it is long and does not begin as bridge.js writes calls.

    It parses nothing, since 4 MiB of escaped text hold the interpreter lock for 20 ms.
    """
    if len(body) <= _CALL_BYTES_MAX:
        return None
    head = _CALL_HEAD.match(body)
    if head is None:
        raise FrameError("a call is [id, name, arguments]")
    return None if head["name"] in _LONG_CALLS else int(head["id"])


def parse_call(body: bytes, values_max: int) -> HostCall:
    """Parses a call, `[id, name, arguments]`, of at most about `values_max` values.

    Raises CrowdedCallError, FrameError (also for half a surrogate pair, see requests.js).
    """
    try:
        require_few_values(body, values_max)
        parsed = _parse(body)
    except (ValueError, TooDeepError):
        head = _CALL_HEAD.match(body)
        if head is None:
            raise FrameError("a call is [id, name, arguments]") from None
        raise CrowdedCallError(int(head["id"])) from None
    match parsed:
        # JSON's true and false are integers to Python.
        case [int() as call_id, str() as name, list() as arguments] if not isinstance(call_id, bool):
            return HostCall(call_id, name, arguments)
        case _:
            raise FrameError("a call is [id, name, arguments]")


def parse_error(body: bytes) -> ActionError:
    """Parses an action's error. Names of the node's own reasons are replaced. Raises FrameError."""
    try:
        # Count no more than is read below, since longer bodies are refused in any case.
        require_few_values(body[: _ERROR_BYTES + 1], _ERROR_VALUES)
    except ValueError:
        raise FrameError("an error has three values") from None
    if len(body) > _ERROR_BYTES:
        raise FrameError("an error is too long")
    match _parse(_well_formed(body)):
        case {"name": str() as name, "message": str() as message, "stack": str() as stack}:
            name = _PLAIN_NAME if name in _NAMES_OF_THE_NODE else name[:_NAME_LENGTH]
            return ActionError(name, message[:_MESSAGE_LENGTH], stack[:_MESSAGE_LENGTH])
        case _:
            raise FrameError("an error is {name, message, stack}")


def parse_response(body: bytes, depth_max: int, values_max: int) -> JsonValue:
    """Parses the action's response. Raises ManyValuesError above about `values_max` values,
    FrameError, or ResponseError if JSON readers could fail with it.
    """
    try:
        require_few_values(body, values_max)
    except ValueError:
        raise ManyValuesError from None
    try:
        value = _parse(_well_formed(body))
        require_plain(value, depth_max)
    except TooDeepError:
        raise ResponseError(f"The action's response is nested more than {depth_max} deep.") from None
    except ValueError as error:
        raise ResponseError(f"The action's response {error}.") from None
    return value


def _well_formed(body: bytes) -> bytes:
    """Returns JSON with U+FFFD for lone surrogates, which `JSON.stringify` escapes.

    Every step runs in C, since megabytes block the event loop for milliseconds.
    """
    if b"\\ud" not in body and b"\\uD" not in body:
        return body
    # Replace escaped backslashes meanwhile by zero bytes, which JSON never has.
    alone = _SURROGATE.sub(_REPLACEMENT_CHARACTER, body.replace(b"\\\\", b"\0\0"))
    return alone.replace(b"\0\0", b"\\\\")


def _parse(body: bytes) -> JsonValue:
    """Parses with the parser's own depth limit, independent of the recursion limit."""
    try:
        # NaN and Infinity are no JSON (RFC 8259, section 6), but this parser's default.
        value: JsonValue = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise (TooDeepError if "recursion limit" in str(error) else FrameError)("not JSON") from None
    return value
