"""Which answers `make soak` takes for right."""

import json

import pytest

from benchmarks.soak.load import KINDS, Tally, as_expected
from benchmarks.wire import Answer

SIGNATURE = "0x" + "ab" * 65
BY_NAME = {kind.name: kind for kind in KINDS}


def answer(response: object = None, error: str | None = None, status: int = 200) -> Answer:
    told = {"response": response, "logs": "", "has_error": error is not None}
    if error is not None:
        told["error"] = {"name": error, "message": "", "stack": ""}
    return Answer(status, json.dumps(told).encode())


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        ("trivial", answer("done")),
        ("host-signed", answer(SIGNATURE)),
        ("loops", answer(error="ActionTimeout")),
        ("out of memory", answer(error="ActionOutOfMemory")),
    ],
)
def test_the_answer_a_kind_must_have_and_no_other(kind: str, right: Answer) -> None:
    assert as_expected(BY_NAME[kind], right)
    others = [answer("other"), answer(error="ActionCrashed"), answer("0x"), Answer(429, right.body), Answer(500, b"")]
    assert not any(as_expected(BY_NAME[kind], other) for other in others)


def test_an_error_where_a_response_belongs_is_counted_and_shown() -> None:
    tally = Tally()
    tally.note(BY_NAME["trivial"], answer("done"))
    assert (tally.unexpected, tally.shown) == (0, [])
    tally.note(BY_NAME["trivial"], answer("done", error="Error"))
    assert tally.unexpected == 1
    assert "trivial: 200" in tally.shown[0]
    assert tally.answered["trivial"] == 2
