"""Large bodies are parsed in pieces: with the same value, or the same refusal, as in one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.api import calls
from node.api.calls import parse_strict_json

PARTS = (
    b'"',
    b"\\",
    b"a",
    b"xyz12345",
    b"\x01",
    b"\n",
    "é".encode(),
    "😀".encode(),
    b"\xff",
    b"\\ud800",
    b"\\n",
    b",[",
    b" ",
)
bodies = st.builds(b"".join, st.lists(st.sampled_from(PARTS), max_size=14))
strings = bodies.map(lambda body: b'"' + body.replace(b"\\", b"").replace(b'"', b"") + b'"')


def outcome(body: bytes) -> object:
    try:
        return parse_strict_json(body)
    except ValueError as error:
        return type(error), str(error)


@given(bodies | strings | bodies.map(lambda body: b'"' + body + b'"'))
def test_pieces_change_nothing(body: bytes) -> None:
    whole = outcome(body)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(calls, "_PIECE_BYTES", 8)
        assert outcome(body) == whole


def test_a_long_text_is_its_own_value() -> None:
    text = "héllo, [world] " * 10_000
    assert parse_strict_json(json.dumps(text, ensure_ascii=False).encode()) == text
