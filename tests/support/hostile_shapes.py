"""Shapes of hostile input: text whose form, and not whose length, costs a reader its time."""

from collections.abc import Callable, Mapping
from typing import Final

Shape = Callable[[int], str]
"""A text of about so many bytes in UTF-8."""


def repeated(unit: str, start: str = "", end: str = "") -> Shape:
    """The unit again and again, between a start and an end."""

    def make(size: int) -> str:
        return start + unit * max(0, (size - len(start) - len(end)) // len(unit.encode())) + end

    return make


def _members(size: int) -> str:
    return "{" + ",".join(f'"k{number}":{number}' for number in range(size // 16)) + "}"


SHAPES: Final[Mapping[str, Shape]] = {
    "one letter": repeated("a"),
    "one digit": repeated("1"),
    "hex": repeated("0f"),
    "blanks": repeated(" "),
    "line ends": repeated("\n"),
    "quotes": repeated('"'),
    "escaped quotes": repeated('\\"', '"', '"'),
    "escaped surrogates": repeated("\\ud800", '"', '"'),
    "brackets": repeated("["),
    "closing brackets": repeated("]"),
    "braces": repeated('{"a":'),
    "flat lists": repeated("[],", "[", "0]"),
    "flat objects": repeated("{},", "[", "0]"),
    "nested lists": repeated("[[[[[[0]]]]]],", "[", "0]"),
    "floats": repeated("1.5,", "[", "0]"),
    "long numbers": repeated("1" * 4_300 + ",", "[", "0]"),
    "many members": _members,
    "empty texts": repeated('"",', "[", '""]'),
    "separators": repeated(";,=:/."),
    "dots": repeated("a."),
    "punycode": repeated("xn--a."),
    "combining": repeated("\u0301\u0327", "a"),
    "bidirectional": repeated("\u202e\u2066"),
    "astral": repeated("\U0001f600"),
    "zero": repeated("\x00"),
    "dollars": repeated("${A:-$"),
    "variables": repeated("RPC"),
    "variable lines": repeated("RPCURL_PROXY", end="\n!"),
    "dashes": repeated("- "),
    "colons": repeated("a: "),
    "base64": repeated("QUJD"),
}
"""By name."""
