"""Strict JSON and hex, and files with a ceiling: one reader each, so that a text is never taken here and refused there."""

import json
import re
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


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A JSON string, skipped whole, or one bracket."""


def parse_json(text: str | bytes, what: str, limit_bytes: int, nesting: int) -> Json:
    """`text` as JSON; bytes must be UTF-8. Raises VerifierError(TOO_LARGE, NOT_JSON) naming `what`, and nothing else."""
    if len(text) > limit_bytes:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {limit_bytes} bytes")
    try:
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError:
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{what}: is not UTF-8") from None
    # Before json.loads, which recurses once for each bracket.
    if nesting_of(decoded) > nesting:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: nested more than {nesting} deep")
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


def parse_json_object(text: str | bytes, what: str, limit_bytes: int, nesting: int) -> dict[str, Json]:
    """`text` as a JSON object. Raises VerifierError(TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json(text, what, limit_bytes, nesting)
    if not isinstance(read, dict):
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{what}: is no JSON object")
    return read


def nesting_of(text: str) -> int:
    """Return the depth of the brackets of a JSON text, without recursion.

    The standard parser recurses, guarded by the interpreter's recursion limit, which some libraries raise so far that a
    stranger's "[[[[…" overflows the stack and kills the process.
    """
    depth = deepest = 0
    for bracket in BRACKET.findall(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket, 0)
        deepest = max(deepest, depth)
    return deepest


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


def read_bytes(path: Path, limit_bytes: int) -> bytes:
    """The file's content. Raises OSError, and ValueError for one that is longer."""
    with path.open("rb") as file:
        # One byte more than allowed tells a file that is too long from one that just fits, whatever stat says of it.
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ValueError(f"longer than {limit_bytes} bytes")
    return data
