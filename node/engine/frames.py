"""Messages of a worker, each of them hostile until checked here, and the JSON in them."""

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
    """A text that JSON needs not escape, such as base64: ASCII without quotes, backslashes and control characters."""

    __slots__ = ()


def json_text(value: object) -> str:
    """Return the JSON of a value, in a tenth of the time of json.dumps, which takes 20 ms for 4 MiB of code."""
    try:
        return to_json(value).decode()
    except ValueError:  # half a surrogate pair has no UTF-8 form: it is escaped
        return json.dumps(value)


def answer_text(call_id: int, succeeded: bool, value: JsonValue) -> str:
    """Return the JSON of `[call_id, succeeded, value]`.

    A `PlainText`, alone or in an object `value`, is copied, which takes a tenth of the time of writing it.
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
    """Check that a value is nested at most `depth_max` deep and holds only finite numbers, and integers within ±`integer_max`.

    Raises ValueError, whose message continues a sentence about the value. Works level by level, so that depth needs no
    stack.
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
"""Most bytes that JSON makes of one byte of a text: `\\u0000`."""
_NAME_LENGTH: Final = 256
_MESSAGE_LENGTH: Final = 65_536
_ERROR_BYTES: Final = 2 * 1024 * 1024
"""More than report.js makes of the longest name, message and stack."""
_ERROR_VALUES: Final = 8
_CALL_BYTES_MAX: Final = 1024 * 1024
"""Of calls but the long ones: 128 KiB to sign, with every character escaped, and the rest of the request."""
_LONG_CALLS: Final = frozenset({b"fetch", b"Encrypt", b"Decrypt"})
_CALL_HEAD: Final = re.compile(rb'\[(?P<id>[0-9]{1,9}),"(?P<name>[A-Za-z]{1,64})",')
_NAMES_OF_THE_NODE: Final = frozenset(StopReason)
_PLAIN_NAME: Final = "Error"


class Kind(StrEnum):
    """The kind byte of a frame."""

    PROCESS = "P"
    """From a new process: its number. To a worker: its program."""
    READY = "R"
    BROKEN = "B"
    JOB = "J"
    ANSWER = "A"
    KILL = "K"
    """To a worker: end this fiber. From it: the fiber has ended."""
    SHED = "S"
    """To a worker: end the fiber that holds most memory. From it: that was this fiber."""
    LOG = "L"
    CALL = "C"
    DONE = "D"
    ERROR = "E"
    OUT_OF_MEMORY = "M"
    CRASHED = "X"


START_HEADER: Final = struct.Struct(">cI")
"""Of a frame before the worker is ready: kind, length."""
HEADER: Final = struct.Struct(">cII")
"""Of a frame after that: kind, fiber, length."""
_KINDS: Final[Mapping[bytes, Kind]] = {kind.encode(): kind for kind in Kind}


class FrameError(Exception):
    """The process broke the protocol: no honest one can, so nothing it sent is used."""


class TooDeepError(FrameError):
    """JSON nested deeper than any reader should follow."""


class CrowdedCallError(Exception):
    """A call with more values than may be built for it, or nested deeper: an action may make one, and is answered."""

    def __init__(self, call_id: int) -> None:
        super().__init__("more values, or nested deeper, than in any call")
        self.call_id = call_id


class ResponseError(Exception):
    """The response is JSON of a shape that cannot be passed on; the message says why."""


class LongLogError(Exception):
    """A line longer than all logs together may be; nothing of it was looked at."""


class ManyValuesError(Exception):
    """A response of more values than may be built for it."""


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call the action makes to the node."""

    id: int
    name: str
    arguments: list[JsonValue]


def kind_of(byte: bytes) -> Kind:
    """The kind of a frame. Raises FrameError."""
    try:
        return _KINDS[byte]
    except KeyError:
        raise FrameError("unknown kind of frame") from None


def encode(kind: Kind, fiber: int, body: bytes = b"") -> bytes:
    """A frame to a worker."""
    return HEADER.pack(kind.encode(), fiber, len(body)) + body


def parse_log(body: bytes, bytes_max: int) -> str:
    """Parse a line of the logs. Raises LongLogError for one that cannot be within `bytes_max`, FrameError."""
    if len(body) > longest_log_frame(bytes_max):
        raise LongLogError
    # Nothing but a text is parsed: a list of a million values would be built first, while everybody waits.
    value = _parse(_well_formed(body)) if body.startswith(b'"') else None
    if not isinstance(value, str):
        raise FrameError("a log line is a text")
    return value


def longest_log_frame(log_bytes: int) -> int:
    """Bytes of the longest frame of a line that console.js has cut to one character more than all logs may have."""
    return _ESCAPED_BYTES_MAX * (log_bytes + 1) + 2


def oversized_call(body: bytes) -> int | None:
    """The id of a call that is longer than its function takes, None for any other. Raises FrameError for a long one that
    does not begin as bridge.js writes calls.

    Decided before anything is parsed: 4 MiB of escaped text hold the interpreter lock for 20 ms.
    """
    if len(body) <= _CALL_BYTES_MAX:
        return None
    head = _CALL_HEAD.match(body)
    if head is None:
        raise FrameError("a call is [id, name, arguments]")
    return None if head["name"] in _LONG_CALLS else int(head["id"])


def parse_call(body: bytes, values_max: int) -> HostCall:
    """A call: `[id, name, arguments]` of at most about `values_max` values.

    Raises CrowdedCallError, FrameError, also for texts with half a surrogate pair: see requests.js.
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
    """Parse an error of the action. A name that says who ended it is the node's, never the action's. Raises FrameError."""
    try:
        # No more is counted than is read below: a longer one is refused whatever it holds.
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
    """The action's response. Raises ManyValuesError before it builds more than about `values_max` of them, FrameError,
    or ResponseError where no JSON reader could be trusted with it.
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
    """Lone surrogates as U+FFFD: `JSON.stringify` escapes exactly these, and no UTF-8 text can carry one.

    Every step runs in C over the whole text: megabytes cost milliseconds, during which nobody else is served.
    """
    if b"\\ud" not in body and b"\\uD" not in body:
        return body
    # Escaped backslashes are out of the way meanwhile, as zero bytes, which JSON has none of.
    alone = _SURROGATE.sub(_REPLACEMENT_CHARACTER, body.replace(b"\\\\", b"\0\0"))
    return alone.replace(b"\0\0", b"\\\\")


def _parse(body: bytes) -> JsonValue:
    """Parsed without the interpreter's stack: the parser has a depth limit of its own, whatever the recursion limit is."""
    try:
        # NaN and Infinity are no JSON (RFC 8259, section 6), but this parser takes them unless it is told not to.
        value: JsonValue = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise (TooDeepError if "recursion limit" in str(error) else FrameError)("not JSON") from None
    return value
