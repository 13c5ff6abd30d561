"""Strict JSON, hex and base64, and files with a ceiling: one reader each, so that a text is never taken here and refused there."""

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from svc_verifier.errors import VerifierError, VerifierErrorCode


def hex_bytes(text: str) -> bytes:
    """Returns the bytes of hex digits in either case, with or without 0x before them. Raises ValueError for anything else."""
    digits = text[2:] if text[:2] in {"0x", "0X"} else text
    # fromhex skips blanks between bytes; hex from elsewhere has none
    if digits and not digits.isalnum():
        raise ValueError("not hex")
    return bytes.fromhex(digits)


_URL_ALPHABET: Final = str.maketrans("-_", "+/")
_LINE_ENDS: Final = str.maketrans("", "", "\r\n")


def base64_bytes(text: str) -> bytes:
    """Returns the bytes of base64 in either alphabet, in one line or several, padded or not. Raises ValueError for anything else."""
    digits = text.translate(_LINE_ENDS).translate(_URL_ALPHABET).rstrip("=")
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    except ValueError:
        raise ValueError("not base64") from None


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

VALUES: Final = 262_144
"""Values of one JSON text. Each takes up to a hundred bytes and some microseconds, however few characters it is written in."""

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_LONG_NUMBER: Final = re.compile(rb"(?<![0-9])[0-9]{101}")
"""A number of 256 bits has 78 digits. Reading one takes time by the square of its length: a megabyte of them 30 ms."""
_STRUCTURE: Final = b"[]{},"
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_REST: Final = bytes(set(range(256)) - set(_STRUCTURE))


def parse_json(text: str | bytes, what: str, limit_bytes: int, nesting: int, values: int = VALUES) -> Json:
    """`text` as JSON; bytes must be UTF-8. Raises VerifierError(TOO_LARGE, NOT_JSON) naming `what`, and nothing else."""
    if len(text) > limit_bytes:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {limit_bytes} bytes")
    try:
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        message = f"{what}: is not UTF-8 at offset {error.start}"
        raise VerifierError(VerifierErrorCode.NOT_JSON, message) from None
    # Before json.loads, which recurses once for each bracket and makes an object for each value.
    _check_structure(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"), what, nesting, values)
    try:
        read: Json = json.loads(
            # RFC 8259 §4 leaves duplicate names to the reader: two readers of one signed text would see two meanings.
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
    """`text` as a JSON object. Raises VerifierError(TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json(text, what, limit_bytes, nesting, values)
    if not isinstance(read, dict):
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{what}: is no JSON object")
    return read


_BLANK: Final = re.compile(r"[ \t\n\r]*")


def raw_value(text: str, place: Sequence[str | int]) -> str:
    """The text of a value as it is written, by the names and numbers that lead to it. `text` was read by `parse_json` before.

    Where a value on the way is a text, it is JSON itself. Raises LookupError where there is no such value.
    """
    decoder = json.JSONDecoder()

    def after_blanks(at: int) -> int:
        blanks = _BLANK.match(text, at)
        return blanks.end() if blanks else at

    for step in place:
        if text.lstrip(" \t\n\r").startswith('"'):
            text = str(json.loads(text))
        # Inside of the bracket: each value is read to its end, and left as it stands.
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
    """Raises VerifierError(TOO_LARGE) for a JSON text of more values, longer numbers or deeper brackets, without recursion.

    The standard parser recurses, guarded by the interpreter's recursion limit, which some libraries raise so far that a
    stranger's "[[[[…" overflows the stack and kills the process.
    """
    too_many = VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {values} values")
    # A member has four quotes at most, and up to half of them may stand behind an escaped backslash.
    if text.count(b'"') - text.count(b'\\"') > 4 * values:
        raise too_many
    # Strings are left out; then nothing but brackets and commas is left. In UTF-8 neither is part of another character.
    without_strings = _STRING.sub(b"", text)
    if _LONG_NUMBER.search(without_strings):
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: a number of more than 100 digits")
    structure = without_strings.translate(_ONE_KIND, _REST)
    if structure.count(b",") + structure.count(b"[") > values:
        raise too_many
    brackets = structure.translate(None, b",")
    # Each round takes the innermost pairs away. A loop over the brackets would take a second for 10 MB of them.
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
    """Why a file could not be read as text: where it is not UTF-8, or the name of the error."""
    if isinstance(error, UnicodeDecodeError):
        return f"is not UTF-8 at offset {error.start}"
    return f"cannot be read ({type(error).__name__})"


def read_bytes(path: Path, limit_bytes: int) -> bytes:
    """The file's content. Raises OSError, and ValueError for one that is longer."""
    with path.open("rb") as file:
        # One byte more than allowed tells a file that is too long from one that just fits, whatever stat says of it.
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ValueError(f"longer than {limit_bytes} bytes")
    return data
