"""Strict JSON, hex, base64 and bounded files, each with one reader for all modules."""

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from svc_verifier.errors import VerifierError, VerifierErrorCode


def hex_bytes(text: str) -> bytes:
    """Returns the bytes of hex in either case, with or without 0x. Raises ValueError."""
    digits = text[2:] if text[:2] in {"0x", "0X"} else text
    # fromhex skips blanks between bytes, which hex from elsewhere does not have.
    if digits and not digits.isalnum():
        raise ValueError("not hex")
    return bytes.fromhex(digits)


_URL_ALPHABET: Final = str.maketrans("-_", "+/")
_LINE_ENDS: Final = str.maketrans("", "", "\r\n")


def base64_bytes(text: str) -> bytes:
    """Returns the bytes of base64 of any alphabet, line length and padding. Raises ValueError."""
    digits = text.translate(_LINE_ENDS).translate(_URL_ALPHABET).rstrip("=")
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    except ValueError:
        raise ValueError("not base64") from None


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

VALUES: Final = 262_144
"""Values of one JSON text. Each takes up to a hundred bytes and some microseconds."""

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_LONG_NUMBER: Final = re.compile(rb"(?<![0-9])[0-9]{101}")
"""A number that is refused. 256 bits have 78 digits, and reading takes quadratic time."""
_STRUCTURE: Final = b"[]{},"
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_REST: Final = bytes(set(range(256)) - set(_STRUCTURE))


def parse_json(text: str | bytes, what: str, limit_bytes: int, nesting: int, values: int = VALUES) -> Json:
    """Parse JSON; bytes must be UTF-8. Raises VerifierError(TOO_LARGE, NOT_JSON) naming `what`."""
    if len(text) > limit_bytes:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {limit_bytes} bytes")
    try:
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        message = f"{what}: is not UTF-8 at offset {error.start}"
        raise VerifierError(VerifierErrorCode.NOT_JSON, message) from None
    # Before json.loads, which recurses for each bracket and makes an object for each value.
    _check_structure(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"), what, nesting, values)
    try:
        read: Json = json.loads(
            # RFC 8259 §4 allows duplicate names, on which readers of one signed text differ.
            decoded,
            object_pairs_hook=_object_without_duplicates,
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except (ValueError, RecursionError):
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{what}: is no JSON, or names a key twice") from None
    return read


def parse_json_object(
    text: str | bytes, what: str, limit_bytes: int, nesting: int, values: int = VALUES
) -> dict[str, Json]:
    """Parse a JSON object. Raises VerifierError(TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json(text, what, limit_bytes, nesting, values)
    if not isinstance(read, dict):
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{what}: is no JSON object")
    return read


_BLANK: Final = re.compile(r"[ \t\n\r]*")


def raw_value(text: str, place: Sequence[str | int]) -> str:
    """Returns a value's text as written, by the names and numbers that lead to it.

    `parse_json` accepted `text` before. A text on the way is JSON itself. Raises LookupError.
    """
    decoder = json.JSONDecoder()

    def after_blanks(at: int) -> int:
        blanks = _BLANK.match(text, at)
        return blanks.end() if blanks else at

    for step in place:
        if text.lstrip(" \t\n\r").startswith('"'):
            text = str(json.loads(text))
        # Inside of the bracket. Each value is skipped as written.
        at = after_blanks(after_blanks(0) + 1)
        name: str | int = -1
        while text[at : at + 1] not in {"]", "}", ""}:
            if isinstance(step, str):
                name, at = decoder.raw_decode(text, at)
                at = after_blanks(after_blanks(at) + 1)
            else:
                name = int(name) + 1
            _, end = decoder.raw_decode(text, at)
            if name == step:
                text = text[at:end]
                break
            at = after_blanks(end)
            at = after_blanks(at + 1) if text[at : at + 1] == "," else at
        else:
            raise LookupError(step)
    return text


def _check_structure(text: bytes, what: str, nesting: int, values: int) -> None:
    """Raises VerifierError(TOO_LARGE) for too many values, long numbers or deep brackets.

    The standard parser recurses up to the interpreter's limit, which some libraries raise so far
    that a "[[[[…" overflows the stack and kills the process. This check does not recurse.
    """
    too_many = VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {values} values")
    # A member has at most four quotes, of which half may follow an escaped backslash.
    if text.count(b'"') - text.count(b'\\"') > 4 * values:
        raise too_many
    # Without strings only brackets and commas are left. In UTF-8 they are no part of others.
    without_strings = _STRING.sub(b"", text)
    if _LONG_NUMBER.search(without_strings):
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: a number of more than 100 digits")
    structure = without_strings.translate(_ONE_KIND, _REST)
    if structure.count(b",") + structure.count(b"[") > values:
        raise too_many
    brackets = structure.translate(None, b",")
    # Each round removes the innermost pairs. A loop over brackets takes a second for 10 MB.
    for _ in range(nesting):
        before, brackets = len(brackets), brackets.replace(b"[]", b"")
        if len(brackets) == before:
            break
    # Closing brackets that nothing opened are no JSON, and cost the parser nothing.
    if len(brackets.lstrip(b"]")) > nesting or b"[]" in brackets:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: nested more than {nesting} deep")


def _object_without_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key appears twice")
    return read


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    # 1e999 reads as infinity, which no JSON writer can write again.
    if number in {float("inf"), float("-inf")}:
        raise ValueError("a number too large")
    return number


def why_unreadable(error: OSError | ValueError) -> str:
    """Returns why a file could not be read as text."""
    if isinstance(error, UnicodeDecodeError):
        return f"is not UTF-8 at offset {error.start}"
    return f"cannot be read ({type(error).__name__})"


def read_bytes(path: Path, limit_bytes: int) -> bytes:
    """Returns the file's content. Raises OSError, and ValueError for one that is longer."""
    with path.open("rb") as file:
        # One byte more than allowed reveals a file that is too long, whatever stat says of it.
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ValueError(f"longer than {limit_bytes} bytes")
    return data
