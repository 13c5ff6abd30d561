"""URL against the suites of web-platform-tests. What does not pass stands here, and in docs/actions.md."""

import json
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.language.twin import in_action
from tests.support.suites import cases_of, needs_suites, suite

pytestmark = [pytest.mark.asyncio(loop_scope="module"), needs_suites]

PARTS: Final = 16
_LONG_LABEL: Final = 63
UNASSIGNED: Final = "Cn"

HOSTS: Final = """function main({ urls }) {
  return urls.map((url) => { try { return new URL(url).hostname; } catch (e) { if (!(e instanceof TypeError)) throw e; return null; } });
}"""
MEMBERS: Final = (
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
)
PARSED: Final = """function main({ cases, members }) {
  return cases.map(([input, base]) => {
    try { const url = base === null ? new URL(input) : new URL(input, base); return Object.fromEntries(members.map((m) => [m, url[m]])); }
    catch (e) { if (!(e instanceof TypeError)) throw e; return null; }
  });
}"""
SET: Final = """function main({ cases }) {
  return cases.map(([name, href, value, expected]) => {
    const url = new URL(href);
    url[name] = value;
    return Object.fromEntries(Object.keys(expected).map((m) => [m, url[m]]));
  });
}"""


@pytest.mark.parametrize("part", range(PARTS))
async def test_every_code_point(engine: ProcessEngine, part: int) -> None:
    """The same host, or none where the interpreter's Unicode is older than the suite's."""
    expected = dict(list(suite("wpt-url/every-code-point").items())[part::PARTS])
    urls: list[JsonValue] = [f"http://a{chr(int(point))}b.x/" for point in expected]
    seen = await _answers(engine, HOSTS, {"urls": urls})
    pairs = dict(zip(map(int, expected), zip(seen, expected.values(), strict=True), strict=True))
    different = {point: pair for point, pair in pairs.items() if pair[0] != pair[1]}
    assert {p: pair for p, pair in different.items() if pair[0] is not None} == {}
    assert {p: pair for p, pair in different.items() if unicodedata.category(chr(p)) != UNASSIGNED} == {}


async def test_urltestdata(engine: ProcessEngine) -> None:
    cases = cases_of("wpt-url/urltestdata")
    given: list[JsonValue] = [[case["input"], case["base"]] for case in cases]
    seen = await _answers(engine, PARSED, {"cases": given, "members": list(MEMBERS)})
    for case, found in zip(cases, seen, strict=True):
        if case.get("failure"):
            assert found is None, case
        else:
            assert isinstance(found, dict), case
            assert {name: found[name] for name in MEMBERS if name in case} == {n: case[n] for n in MEMBERS if n in case}


async def test_setters(engine: ProcessEngine) -> None:
    cases = [
        (name, each) for name, listed in suite("wpt-url/setters_tests").items() if name != "comment" for each in listed
    ]
    given: list[JsonValue] = [[name, case["href"], case["new_value"], case["expected"]] for name, case in cases]
    for case, found in zip(cases, await _answers(engine, SET, {"cases": given}), strict=True):
        assert found == case[1]["expected"], case


@pytest.mark.parametrize("name", ["toascii", "IdnaTestV2"])
async def test_hosts(engine: ProcessEngine, name: str) -> None:
    cases = [case for case in cases_of(f"wpt-url/{name}") if case["input"] != ""]
    urls: list[JsonValue] = [f"https://{case['input']}/x" for case in cases]
    seen = await _answers(engine, HOSTS, {"urls": urls})
    different = [(case, found) for case, found in zip(cases, seen, strict=True) if found != case["output"]]
    assert [(case, found) for case, found in different if not _is_refused_on_purpose(case, found)] == []


def _is_refused_on_purpose(case: dict[str, Any], found: JsonValue) -> bool:
    """No host, and a long label or a character that this Unicode does not have."""
    is_long = any(len(label) > _LONG_LABEL for label in case["output"].split("."))
    return found is None and (is_long or any(unicodedata.category(each) == UNASSIGNED for each in case["input"]))


async def _answers(engine: ProcessEngine, code: str, params: dict[str, JsonValue]) -> Sequence[JsonValue]:
    """Returns the result of `main`. Params are sent as JSON, since some have lone surrogates."""
    parsing = f"{code.replace('function main(', 'function tested(')}\nfunction main({{ text }}) {{ return tested(JSON.parse(text)); }}"
    answer = await in_action(engine, parsing, {"text": json.dumps(params)})
    assert isinstance(answer, list)
    assert answer
    return answer
