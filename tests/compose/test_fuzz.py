"""Files of an enemy: whatever they hold, they are read, or refused with a reason; nothing else happens."""

import json
import tomllib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from compose.check import Accepted, check
from compose.difference import differences
from compose.errors import ComposeError
from compose.measured import Measured, read_measured
from tests.support.measured_files import measured, with_sidecars

HARMLESS = {("form", "order, blanks or comments"), ("setting", "comments")}
BASES = (measured(), measured(with_sidecars()))
SPLICE = st.sampled_from(
    [
        *(
            "$",
            "${A:-b}",
            "$$",
            "&a ",
            "*a",
            "<<: *a",
            "!!int ",
            "- ",
            ": ",
            "#",
            "|",
            ">",
            "'",
            '"',
            "{",
            "}",
            "[",
            "]",
        ),
        *(
            "\n",
            "\n  ",
            "\t",
            "\u2028",
            "\x85",
            "\u202e",
            "\ufeff",
            "\x00",
            "---\n",
            "...\n",
            "%YAML 1.1\n",
            "null",
            "~",
        ),
        *(
            "0x10",
            "1_000",
            "12:30",
            "yes",
            "services:\n",
            "  node:\n",
            "privileged: true\n",
            "${",
            "\U0001f600",
            "\ud800",
        ),
    ]
)


def read_or_refused(raw: bytes) -> Measured | None:
    said = ""
    try:
        return read_measured(raw)
    except ComposeError as error:
        said = error.message
    assert said.isprintable()
    return None


def judge(file: Measured) -> None:
    for finding in check(file, Accepted()):
        assert finding.text.isprintable()
    for base in BASES:
        for one, other in ((base, file), (file, base)):
            found = differences(one, other)
            assert bool(found) is (one.raw != other.raw)
            for change in found:
                assert all(text is None or text.isprintable() for text in (change.name, change.before, change.after))


@pytest.mark.exhaustive
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BASES), st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 12), SPLICE), max_size=4))
def test_a_docker_compose_file_that_was_tampered_with(base: Measured, edits: list[tuple[int, int, str]]) -> None:
    text = base.app.docker_compose_file or ""
    for place, length, splice in edits:
        start = place % len(text)
        text = text[:start] + splice + text[start + length :]
    file = read_or_refused(json.dumps(base.members | {"docker_compose_file": text}).encode())
    if file is not None:
        judge(file)


@pytest.mark.exhaustive
@settings(max_examples=600, deadline=None)
@given(st.sampled_from(BASES), st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 2), SPLICE), max_size=2))
def test_what_is_said_to_be_another_form_alone_means_the_same_to_another_reader(
    base: Measured, edits: list[tuple[int, int, str]]
) -> None:
    text = base.app.docker_compose_file or ""
    for place, length, splice in edits:
        start = place % len(text)
        text = text[:start] + splice + text[start + length :]
    file = read_or_refused(json.dumps(base.members | {"docker_compose_file": text}).encode())
    if file is None or {(each.area, each.name) for each in differences(base, file)} - HARMLESS:
        return
    old, new = (yaml.safe_load(each.app.docker_compose_file or "") for each in (base, file))
    taken = [tomllib.loads(each["services"]["node"]["command"].pop()) for each in (old, new)]
    assert taken[0] == taken[1]
    assert old == new


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BASES), st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 12), st.binary(max_size=4))))
def test_an_app_compose_that_was_tampered_with(base: Measured, edits: list[tuple[int, int, bytes]]) -> None:
    raw = base.raw
    for place, length, splice in edits[:4]:
        start = place % len(raw)
        raw = raw[:start] + splice + raw[start + length :]
    file = read_or_refused(raw)
    if file is not None:
        judge(file)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.exhaustive
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BASES), st.dictionaries(st.sampled_from(sorted(BASES[0].members)), VALUES, max_size=3))
def test_members_of_any_kind(base: Measured, members: dict[str, object]) -> None:
    file = read_or_refused(json.dumps(base.members | members).encode())
    if file is not None:
        judge(file)
