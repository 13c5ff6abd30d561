"""Text in the measured file, against every reader: YAML's grammar, and docker compose's variables."""

import hashlib
import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from compose.deployment import block_lines, doubled, inlinable, parse_image, quoted, undoubled
from compose.difference import tree_text
from compose.errors import ComposeError
from svc_verifier.compose.app_compose import _PINNED
from svc_verifier.compose.tree import Fields, Scalar, parse_compose
from tests.support.measured_files import as_docker_compose_reads

AWKWARD = st.text(alphabet="\n\t $ {}a#:-|>&*!%@`'\"[],?\u00e4\u20ac\U0001f600", max_size=60)
ANY = st.one_of(st.text(max_size=80), AWKWARD)
FORGED = {"a": "forged", "A": "forged"}


@settings(max_examples=400, deadline=None)
@given(ANY)
def test_a_block_is_read_as_what_was_written_or_refused(text: str) -> None:
    try:
        body = inlinable(text, "it", 10_000)
    except ComposeError:
        return
    document = "\n".join(["k:", "  - |", *block_lines(body, 4), "after: here", ""])
    loaded = yaml.safe_load(document)
    assert as_docker_compose_reads(loaded["k"][0], FORGED) == body
    assert loaded["after"] == "here"
    tree = parse_compose(document)
    (items,) = tree.all("k")
    assert not isinstance(items, Fields | Scalar)
    (scalar,) = items.items
    assert isinstance(scalar, Scalar)
    assert undoubled(scalar.text) == body == text.rstrip() + "\n"


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp", "Cn", "Co"]), max_size=60))
def test_a_quoted_value_is_read_as_what_was_written(text: str) -> None:
    loaded = yaml.safe_load(f"- {quoted(text)}\n")
    assert as_docker_compose_reads(loaded[0], FORGED) == text


@settings(max_examples=400, deadline=None)
@given(ANY)
def test_a_variable_is_never_taken_for_text(text: str) -> None:
    assert undoubled(doubled(text)) == text
    taken = undoubled(text)
    if taken is not None:
        assert as_docker_compose_reads(text, FORGED) == taken


@pytest.mark.exhaustive
@settings(max_examples=400, deadline=None)
@given(st.one_of(st.from_regex(r"[a-z0-9./:@_-]{1,40}@sha256:[0-9a-f]{62,66}", fullmatch=True), st.text(max_size=90)))
def test_what_is_taken_for_an_image_is_one_to_the_verifier_too(text: str) -> None:
    try:
        image = parse_image(text)
    except ComposeError:
        return
    assert _PINNED.fullmatch(text)
    assert text.isascii()
    assert text.endswith(image.digest.hex())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None)
@given(JSON, JSON)
def test_parts_of_equal_text_are_equal(one: object, other: object) -> None:
    same = repr(_sorted(one)) == repr(_sorted(other))
    assert (tree_text(one) == tree_text(other)) is same
    assert tree_text(one).isprintable()


def test_what_is_too_long_to_read_ends_in_its_whole_hash() -> None:
    shown = tree_text("a" * 1_000)
    assert shown.endswith(f"(sha256 {hashlib.sha256(json.dumps('a' * 1_000).encode()).hexdigest()})")


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return sorted((key, _sorted(part)) for key, part in value.items()), "mapping"
    return [_sorted(part) for part in value] if isinstance(value, list) else value
