"""The place of a fault in JSON, against the browser's own parser and by hand."""

import random

import pytest

from tests.support.dashboard import PAGE
from tests.support.javascript import ran_javascript

FAULTS = """
import { jsonFault } from "./json-fault.mjs";
const isJson = (text) => { try { JSON.parse(text); return true; } catch { return false; } };
console.log(JSON.stringify(given.map((text) => [isJson(text), jsonFault(text)])));
"""
PLACES = {
    "": (1, 1, "a value"),
    "{": (1, 2, "a name in double quotes or }"),
    '{"a": x}': (1, 7, "a value"),
    '{"a": 1,}': (1, 9, "a name in double quotes"),
    "{a: 1}": (1, 2, "a name in double quotes or }"),
    '{"a" 1}': (1, 6, ": after the name"),
    '{\n  "a": 1\n  "b": 2\n}': (3, 3, ", or }"),
    "[1, 2": (1, 6, ", or ]"),
    "[1,]": (1, 4, "a value"),
    '{"a": "half\n"}': (1, 7, "a value"),
    "{} {}": (1, 4, "nothing more"),
    '{"a": 01}': (1, 8, ", or }"),
    "{'a': 1}": (1, 2, "a name in double quotes or }"),
    '{"a": "\\x"}': (1, 7, "a value"),
}
SEEDS = [
    '{"a": [1, -2.5e+3, true, null, {"b": "c\\n\\u00e9"}], "d": {}, "e": []}',
    '[[], {}, [{"x": [0]}], "\\"", 1e5, false]',
    ' \t\r\n "text" ',
]


def test_a_fault_is_told_at_its_place() -> None:
    found = ran_javascript(FAULTS, list(PLACES), PAGE)
    told = {
        text: (fault["line"], fault["column"], fault["expected"])
        for text, (_, fault) in zip(PLACES, found, strict=True)
    }
    assert told == PLACES


@pytest.mark.parametrize("seed", range(3))
def test_there_is_a_fault_exactly_where_the_parser_finds_one(seed: int) -> None:
    chance = random.Random(seed)
    texts = list(SEEDS)
    for _ in range(3_000):
        text = list(chance.choice(SEEDS))
        for _ in range(chance.randint(0, 3)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 2)] = chance.choice(
                ['"', "{", "}", "[", "]", ",", ":", "1", "-", "\\", "n", "\n", "\x01", " "]
            )
        texts.append("".join(text))
    found = ran_javascript(FAULTS, texts, PAGE)
    wrong = [text for text, (is_json, fault) in zip(texts, found, strict=True) if is_json != (fault is None)]
    assert wrong == []
    assert 100 < sum(is_json for is_json, _ in found) < len(texts) - 100
