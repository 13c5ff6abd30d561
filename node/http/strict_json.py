"""JSON as the node accepts it: RFC 8259 without its ambiguities, and never an exception but ValueError."""

import json
import math
import re
from typing import Final, NoReturn

from pydantic import JsonValue

_MAX_NUMBER_DIGITS: Final = 100
"""More than any value of the API needs (u256: 78); keeps parsing of integers linear."""
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class DuplicateFieldError(ValueError):
    """An object names a field twice, of which parsers take now the one, now the other."""


def parse_strict_json(body: bytes) -> JsonValue:
    """The value in `body`, which must be UTF-8.

    Raises ValueError, with a message fit for the client, for invalid UTF-8, lone surrogates, syntax errors,
    repeated names in an object (DuplicateFieldError), NaN, Infinity, numbers no double holds, and nesting too deep.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("The body is not valid UTF-8.") from None
    try:
        value: JsonValue = _DECODER.decode(text)
        if _SURROGATE_ESCAPE.search(text):
            _refuse_lone_surrogates(value)
    except json.JSONDecodeError as error:
        raise ValueError(f"The body is not valid JSON (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    return value


def _refuse_lone_surrogates(value: JsonValue) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("The body holds half of a surrogate pair, which is no character.") from None


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise DuplicateFieldError("The body names a field twice in one object.")
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("The body holds NaN or Infinity, which JSON does not have.")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("The body holds a number that is too large.")
    return number


def _int(text: str) -> int:
    if len(text) > _MAX_NUMBER_DIGITS:
        raise ValueError("The body holds a number that is too large.")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
)
