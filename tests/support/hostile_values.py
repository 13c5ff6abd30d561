"""Texts and JSON values that cost a careless reader most, for tests of how long the event loop is held."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

_UNITS: Final[Mapping[str, tuple[str, str, str]]] = {
    "one letter": ("", "a", ""),
    "digits": ("", "1", ""),
    "a number with a fraction": ("1.", "1", "e1"),
    "hex": ("0x", "ab", ""),
    "hex and an end": ("0x", "ab", "z"),
    "spaces": ("a", " ", "b"),
    "semicolons and quotes": ("a", '";', '"'),
    "backslashes": ('"', "\\", '"'),
    "slashes and dots": ("/", "../", ""),
    "colons": ("", ":", ""),
    "commas": ("a", ", ", "b"),
    "equals": ("a=", "=;", ""),
    "percent signs": ("", "%41%", ""),
    "Punycode labels": ("http://", "xn--a.", "ä/"),
    "one Punycode label": ("http://xn--", "a", "ä/"),
    "a host of combining characters": ("http://a", "\u0315\u0316", "/"),
    "a host of characters that become eighteen": ("http://", "\ufdfa", "/"),
    "a host of full stops": ("http://", "\u3002", "a/"),
    "a host written from the right": ("http://", "\u05d0", "/"),
    "an address in brackets": ("http://[", "0:", "]/"),
    "numbers and dots": ("http://", "1.", "1/"),
    "a path of dots": ("http://127.0.0.1/", "./../", "x"),
    "a query": ("http://127.0.0.1/?", "a=b&", ""),
    "a path that is not ASCII": ("http://127.0.0.1/", "\ufdfa", ""),
    "a base of a CID": ("Qm", "z", ""),
    "brackets": ("", "[", ""),
    "a date": ("expires=", "Mon, ", ""),
    "parts of a data URL": ("data:text/html;", "a;", ","),
}
"""What a text begins with, what is repeated, and what it ends with."""


def hostile_texts(length: int) -> dict[str, str]:
    """Texts of at most so many characters, each by what it is made of."""
    made = {}
    for name, (start, unit, end) in _UNITS.items():
        room = max(0, length - len(start) - len(end))
        made[name] = (start + unit * (room // len(unit)) + end)[:length]
    return made


def hostile_values(length: int) -> dict[str, JsonValue]:
    """Values whose JSON has about so many characters, beside the texts."""
    deep: JsonValue = 1
    deep_object: JsonValue = 1
    for _ in range(150):
        deep, deep_object = [deep], {"a": deep_object}
    return {
        "a list nested deeply": deep,
        "an object nested deeply": deep_object,
        "a list of numbers": [1] * min(length // 2, 15_000),
        "a list of lists": [[] for _ in range(min(length // 3, 15_000))],
        "an object of many names": {f"n{number}": 1 for number in range(min(length // 9, 8_000))},
        "an object with a long name": {"x" * length: 1},
        "a list of texts": ["a" * 64] * min(length // 67, 15_000),
        "an integer of digits": int("9" * 4_000),
        "a number": 1e308,
        "truth": True,
        "nothing": None,
    }
