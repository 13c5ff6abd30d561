"""JSON of RFC 8259 without its ambiguities: what two parsers may read differently is refused."""

import codecs
import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # there since Python 3.0; typeshed leaves it out
from typing import Final, NoReturn

from pydantic import JsonValue

_MAX_NUMBER_DIGITS: Final = 100
"""More than any value of the API needs (u256: 78); keeps parsing of integers linear."""
_PIECE_BYTES: Final = 64 * 1024
"""Bytes of a large body that are looked at in one call, in well under a millisecond."""
_Utf8: Final = codecs.getincrementaldecoder("utf-8")
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class DuplicateFieldError(ValueError):
    """An object names a field twice, of which parsers take now the one, now the other."""


def parse_strict_json(body: bytes) -> JsonValue:
    """Return the value in `body`, which must be UTF-8.

    Raises ValueError, with a message fit for the client, for invalid UTF-8, lone surrogates, syntax errors,
    repeated names in an object (DuplicateFieldError), NaN, Infinity, numbers no double holds, and nesting too deep.
    """
    try:
        text = _decoded(body)
    except UnicodeDecodeError:
        raise ValueError("The body is not valid UTF-8.") from None
    try:
        value: JsonValue = text[1:-1] if _is_one_plain_string(body, text) else _DECODER.decode(text)
        # A lone surrogate is valid JSON, and no UTF-8: it would fail later, where the text is hashed or stored.
        if b"\\" in body and _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("The body holds half of a surrogate pair, which is no character.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"The body is not valid JSON (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    return value


def _is_one_plain_string(body: bytes, text: str) -> bool:
    """Return whether a large body is a string and nothing else, in which every character stands for itself.

    The parser keeps the interpreter to itself until the string's end: eight milliseconds for ten megabytes. So it is given
    such a string in pieces.
    """
    last = len(body) - 1
    if last < _PIECE_BYTES or not body.startswith(b'"') or body.find(b'"', 1) != last or b"\\" in body:
        return False
    try:
        for at in range(1, len(text) - 1, _PIECE_BYTES):
            scanstring(text[at : min(at + _PIECE_BYTES, len(text) - 1)] + '"', 0)
    except json.JSONDecodeError:  # a control character: where it stands is told by the parser of the whole
        return False
    return True


def _decoded(body: bytes) -> str:
    """Decode UTF-8, a large text piece by piece, so that other threads have their turns. Raises UnicodeDecodeError."""
    if len(body) <= _PIECE_BYTES or body.isascii():
        return body.decode("utf-8")
    decoder = _Utf8()
    pieces = [decoder.decode(body[at : at + _PIECE_BYTES]) for at in range(0, len(body), _PIECE_BYTES)]
    pieces.append(decoder.decode(b"", final=True))
    return "".join(pieces)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    # RFC 8259, 4: parsers differ in which of two equal names they take.
    if len(value) != len(pairs):
        raise DuplicateFieldError("The body names a field twice in one object.")
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("The body holds NaN or Infinity, which JSON does not have.")


def _float(text: str) -> float:
    # 1e999 is valid JSON and becomes infinity.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("The body holds a number that is too large.")
    return number


def _int(text: str) -> int:
    # Before `int`, whose time grows with the square of the digits.
    if len(text) > _MAX_NUMBER_DIGITS:
        raise ValueError("The body holds a number that is too large.")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
)


def json_bytes(value: JsonValue) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
