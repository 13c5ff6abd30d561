"""Log answers and log ranges by themselves, over anything a provider may say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.authorisations.cache import Changes
from node.chain.listener.follower import Checkpoint, Checkpoints, newest_common
from node.chain.listener.queries import changes_of
from node.chain.rpc.answers import LogRange, MalformedLogsError
from node.runtime.clock import Backoff
from tests.support.loop_meter import takes_at_most

ADDRESS = "0x" + "ab" * 20
TOPIC = "0x" + "01" * 32
MASTER = 0x1234
LOG: dict[str, Any] = {
    "address": "0x" + "AB" * 20,
    "topics": [TOPIC, f"0x{MASTER:064x}"],
    "data": "0x",
    "blockNumber": "0x10",
    "removed": False,
}


def changes(logs: Any) -> dict[int, int]:
    return dict(changes_of(logs, ADDRESS, {TOPIC}, 0x10, 0x20))


def test_the_last_block_of_an_account_counts() -> None:
    other = LOG | {"topics": [TOPIC, "0x" + "00" * 32, "0x" + "00" * 32]}
    assert changes([LOG, LOG | {"blockNumber": "0x20"}, LOG | {"blockNumber": "0x11"}, other]) == {
        MASTER: 0x20,
        0: 0x10,
    }
    assert changes([]) == {}
    assert changes([{name: value for name, value in LOG.items() if name != "removed"}]) == {MASTER: 0x10}


def test_accounts_that_an_endpoint_chose_to_have_one_hash_are_told_apart_quickly() -> None:
    """Python's hash of an `int` is its remainder by 2^61-1: a dict of these numbers takes seconds."""
    masters = [(2**61 - 1) * each for each in range(1, 10_001)]
    logs: Any = [LOG | {"topics": [TOPIC, f"0x{master:064x}"]} for master in masters]
    known = Changes(max_accounts=len(masters), kept_s=60)
    with takes_at_most(1.0):
        for master, number in changes_of(logs, ADDRESS, {TOPIC}, 0x10, 0x20):
            known.note(master, number, 0.0)
    assert known.last(masters[0], 0.0) == 0x10


@pytest.mark.parametrize(
    "wrong",
    [
        {"address": "0x" + "ac" * 20},
        {"address": None},
        {"topics": None},
        {"topics": []},
        {"topics": [TOPIC]},
        {"topics": [TOPIC, f"0x{MASTER:x}"]},
        {"topics": [TOPIC, 7]},
        {"topics": [TOPIC, f"0x{MASTER:064x}"] * 3},
        {"topics": ["0x" + "02" * 32, f"0x{MASTER:064x}"]},
        {"topics": [[TOPIC], f"0x{MASTER:064x}"]},
        {"blockNumber": "0xf"},
        {"blockNumber": "0x21"},
        {"blockNumber": 16},
        {"blockNumber": None},
        {"removed": True},
        {"removed": "false"},
    ],
)
def test_a_log_that_was_not_asked_for_makes_the_answer_void(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedLogsError):
        changes([LOG, LOG | wrong])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from([ADDRESS, TOPIC, "0x10"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*LOG]), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
def test_anything_is_either_changes_within_the_range_or_refused(answer: Any) -> None:
    try:
        found = changes(answer)
    except MalformedLogsError:
        return
    assert all(0x10 <= number <= 0x20 for number in found.values())


@given(st.integers(1, 5000), st.lists(st.booleans(), max_size=200))
def test_a_range_stays_between_one_block_and_the_most(most: int, answers: list[bool]) -> None:
    ranges = LogRange(most)
    for refused in answers:
        before = ranges.blocks
        if refused:
            assert ranges.refused() == (before > 1)
            assert ranges.blocks == max(1, before // 2)
        else:
            ranges.read(before)
            assert ranges.blocks in {before, min(most, before * 2)}
        assert 1 <= ranges.blocks <= most


def test_a_range_grows_again_slowly_and_only_by_full_ones() -> None:
    ranges = LogRange(2000)
    ranges.refused()
    for _ in range(50):
        ranges.read(999)
    assert ranges.blocks == 1000
    for _ in range(7):
        ranges.read(1000)
    assert ranges.blocks == 1000
    ranges.read(1000)
    assert ranges.blocks == 2000


def test_pauses_double_to_the_cap_and_begin_anew() -> None:
    backoff = Backoff(1, 5)
    assert [backoff.failed() for _ in range(5)] == [1, 2, 4, 5, 5]
    backoff.succeeded()
    assert backoff.failed() == 1


@given(st.integers(1, 8), st.lists(st.integers(0, 40), max_size=30), st.integers(0, 40))
def test_a_trail_is_bounded_rises_and_finds_the_newest_common_block(most: int, numbers: list[int], fork: int) -> None:
    trail = Checkpoints(most)
    for number in numbers:
        trail.move_to(Checkpoint(number, f"old {number}"))
    kept = trail.below(40)
    assert len(kept) <= most
    assert [each.number for each in kept] == sorted({each.number for each in kept}, reverse=True)
    assert trail.cursor == (kept[0] if kept else None)
    common = newest_common(kept, lambda number: f"old {number}" if number <= fork else f"new {number}")
    assert common == next((each for each in kept if each.number <= fork), None)
    if common is not None:
        trail.back_to(common)
        assert trail.cursor == common
