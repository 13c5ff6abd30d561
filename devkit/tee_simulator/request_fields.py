"""Reads the fields of a request. An invalid one raises AttestError(BAD_REQUEST).

Fields come as JSON, or as texts from a query string.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

from pydantic import JsonValue

from attest.errors import AttestError, AttestErrorCode

LONGEST_TEXT_CHARACTERS: Final = 1024
MOST_TEXTS: Final = 100
LAST_SECOND: Final = 253_402_300_799
"""The end of the year 9999, the last a certificate can name."""

Fields = Mapping[str, JsonValue]
DefaultT = TypeVar("DefaultT", int, None)


def text_field(asked: Fields, name: str) -> str:
    """Returns a printable text; empty if absent."""
    return _text(asked.get(name, ""), name)


def texts_field(asked: Fields, name: str) -> tuple[str, ...]:
    """Returns a list of texts, in a query a single one."""
    value = asked.get(name, [])
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or len(given) > MOST_TEXTS:
        raise bad(f"{name} is no list of at most {MOST_TEXTS} texts")
    return tuple(_text(each, name) for each in given)


def flag_field(asked: Fields, name: str) -> bool:
    """Returns a flag; false if absent."""
    value = asked.get(name)
    if value in (None, False, "", "false"):
        return False
    if value in (True, "true"):
        return True
    raise bad(f"{name} is neither true nor false")


def seconds_field(asked: Fields, name: str, default: DefaultT) -> int | DefaultT:
    """Returns unix seconds; `default` if absent."""
    value = asked.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(LAST_SECOND)):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST_SECOND:
        raise bad(f"{name} is no unix time")
    return value


def hex_field(asked: Fields, name: str) -> bytes:
    """Returns bytes from hex, with or without 0x."""
    try:
        return bytes.fromhex(text_field(asked, name).removeprefix("0x"))
    except ValueError:
        raise bad(f"{name} is not hex") from None


def bad(message: str) -> AttestError:
    """Returns the error of an invalid request."""
    return AttestError(AttestErrorCode.BAD_REQUEST, message)


def _text(value: JsonValue, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT_CHARACTERS or not value.isprintable():
        raise bad(f"{name} is no printable text of at most {LONGEST_TEXT_CHARACTERS} characters")
    return value
