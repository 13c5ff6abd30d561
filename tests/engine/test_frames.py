"""The parser of what a worker sends: garbage is a FrameError, and nothing it accepts can trouble a reader further on."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.engine.frames import (
    CrowdedCallError,
    FrameError,
    LongLogError,
    ManyValuesError,
    ResponseError,
    kind_of,
    parse_call,
    parse_error,
    parse_log,
    parse_response,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
PARSERS: list[Callable[[bytes], object]] = [
    lambda body: parse_log(body, 1000),
    lambda body: parse_call(body, 1000),
    parse_error,
    lambda body: parse_response(body, 100, 1000),
    kind_of,
]


@pytest.mark.parametrize("parse", PARSERS)
@given(body=st.binary(min_size=5, max_size=100) | JSON.map(lambda value: json.dumps(value).encode().ljust(5)))
def test_garbage_is_never_another_exception(parse: Callable[[bytes], object], body: bytes) -> None:
    outcome: object
    try:
        outcome = parse(body)
    except (FrameError, ResponseError):
        outcome = None
    assert outcome is None or repr(outcome)


def test_a_call_of_more_values_than_allowed_is_refused_before_it_is_built() -> None:
    body = b'[1,"signMessage",[[' + b",".join([b"1"] * 990) + b"]]]"
    assert parse_call(body, 1000).name == "signMessage"
    with pytest.raises(CrowdedCallError) as crowded:
        parse_call(body, 900)
    assert crowded.value.call_id == 1
    with pytest.raises(FrameError):
        parse_call(body.replace(b"[1", b"[ 1", 1), 900)


@given(JSON)
def test_a_response_is_what_was_sent(value: JsonValue) -> None:
    assert parse_response(json.dumps(value, ensure_ascii=False).encode(), 100, 1000) == value


@given(st.text(st.characters(), max_size=50))
def test_half_pairs_are_replaced_and_everything_else_kept(text: str) -> None:
    # As JSON.stringify does it: escapes for quotes, controls and half pairs, everything else as it is.
    escaped = "".join(
        f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else json.dumps(c, ensure_ascii=False)[1:-1] for c in text
    )
    expected = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    body = f'"{escaped}"'.encode()
    assert parse_log(body, 1000) == expected
    assert parse_response(body, 1, 10) == expected


@pytest.mark.parametrize("text", ["\\ud800", "x\\ud800", "\\\\ud800", "\\\\\\ud800"])
def test_a_backslash_before_letters_is_no_escape(text: str) -> None:
    body = json.dumps(text).encode()
    assert parse_log(body, 1000) == text


def test_a_raised_recursion_limit_does_not_let_a_response_kill_the_process() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.setrecursionlimit(1_000_000)\n"
        "from node.engine.frames import ResponseError, parse_response\n"
        "for body in (b'[' * 4_000_000, b'{\"a\":' * 800_000):\n"
        "    try: parse_response(body, 100, 10_000_000)\n"
        "    except ResponseError: print('refused')\n"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", script, root], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\nrefused\n"


MEBIBYTE = 1 << 20
HEAVY = {
    "half pairs": b'"' + b"\\ud800" * (MEBIBYTE // 6) + b'"',
    "backslashes": b'"' + b"\\" * MEBIBYTE + b'"',
    "backslashes before a half pair": b'"' + b"\\" * MEBIBYTE + b'\\ud800"',
    "plain": b'"' + b"x" * MEBIBYTE + b'"',
    "lists": b"[" + b"[]," * (MEBIBYTE // 3) + b"0]",
    "numbers": b"[" + b"0," * (MEBIBYTE // 2) + b"0]",
    "an error with more": b'{"name":"","message":"","stack":"","x":[' + b"[]," * (MEBIBYTE // 3) + b"0]}",
}


@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY)
def test_no_frame_holds_the_node_up(body: bytes) -> None:
    # Nothing else is served meanwhile. Half pairs took 200 ms, a million lists in an error 600.
    def seconds(parse: Callable[[bytes], object]) -> float:
        began = time.thread_time()
        with contextlib.suppress(FrameError, ResponseError, ManyValuesError, LongLogError):
            parse(body)
        return time.thread_time() - began

    parsers: list[Callable[[bytes], object]] = [
        lambda body: parse_log(body, 100 * 1024),
        lambda body: parse_log(body, MEBIBYTE),
        parse_error,
        lambda body: parse_response(body, 100, 100_000),
    ]
    for parse in parsers:
        assert min(seconds(parse) for _ in range(3)) < 0.15


def test_a_response_of_more_values_than_allowed_is_refused_before_it_is_built() -> None:
    body = b"[" + b",".join([b"[]"] * 990) + b"]"
    assert parse_response(body, 2, 2000) == [[]] * 990
    with pytest.raises(ManyValuesError):
        parse_response(body, 2, 1900)


def test_a_line_that_cannot_be_within_the_logs_is_not_parsed() -> None:
    longest = b'"' + b"\\u0000" * 101 + b'"'
    assert parse_log(longest, 100) == "\0" * 101
    with pytest.raises(LongLogError):
        parse_log(longest[:-1] + b'x"', 100)
