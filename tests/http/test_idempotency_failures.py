"""Who is judged gone: a silence that was looked at for a whole lease, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from node.http.idempotency_claims import FailureDetector

LEASE_S = 15.0
GAP_S = 10.0


def detector() -> FailureDetector:
    return FailureDetector(LEASE_S, GAP_S)


def test_a_silence_of_a_lease_is_the_end() -> None:
    watched = detector()
    assert [watched.observe({"a": 7}, now) for now in (0, 5, 10, 14.9)] == [[], [], [], []]
    assert watched.observe({"a": 7}, 15) == ["a"]


def test_a_beat_begins_the_lease_anew() -> None:
    watched = detector()
    for now in (0, 5, 10):
        assert watched.observe({"a": 7}, now) == []
    assert watched.observe({"a": 8}, 15) == []
    assert watched.observe({"a": 8}, 25) == []
    assert watched.observe({"a": 8}, 30) == ["a"]


def test_whoever_could_not_look_begins_anew() -> None:
    watched = detector()
    for now in (0, 8, 18.1, 28):
        assert watched.observe({"a": 7}, now) == [], "the gap before 18.1 may have kept the other from beating as well"
    assert watched.observe({"a": 7}, 33.1) == ["a"]


def test_who_vanishes_and_comes_back_is_seen_for_the_first_time() -> None:
    watched = detector()
    watched.observe({"a": 7}, 0)
    watched.observe({}, 8)
    assert watched.observe({"a": 7}, 16) == []


@given(st.lists(st.tuples(st.floats(0.1, 30), st.booleans()), max_size=40))
def test_nobody_who_beats_within_a_lease_is_judged_gone(looks: list[tuple[float, bool]]) -> None:
    watched, now, beat, beaten_at = detector(), 0.0, 0, 0.0
    for pause_s, beats in looks:
        now += pause_s
        if beats:
            beat, beaten_at = beat + 1, now
        gone = watched.observe({"a": beat}, now)
        assert not gone or now - beaten_at >= LEASE_S
