"""What is remembered of changes and forks, against remembering all of them: never less, and no more while there is room."""

from hypothesis import given
from hypothesis import strategies as st

from node.chain.authorisations.cache import Changes, Reorganisations
from node.runtime.clock import Clock, ElapsedClock
from tests.support.clock import FakeClock

KEPT_S = 50.0
STEPS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 20)), max_size=20)
"""(account, block, seconds until then)"""
ROOMY = 100


@given(STEPS, st.sampled_from([1, 2, ROOMY]), st.integers(0, 5), st.integers(0, 100))
def test_last_changes(steps: list[tuple[int, int, int]], room: int, account: int, later: int) -> None:
    changes, now = Changes(room, KEPT_S), 0
    told: list[tuple[int, int, int]] = []
    for changed, block, seconds in steps:
        now += seconds
        changes.note(changed, block, now)
        told.append((changed, block, now))
    now += later
    of_account = [(block, at) for changed, block, at in told if changed == account]
    recent = max((block for block, at in of_account if at >= now - KEPT_S), default=0)
    ever = max((block for block, _ in of_account), default=0)
    assert changes.last(account, now) >= recent
    if room == ROOMY:
        assert changes.last(account, now) <= ever


@given(STEPS, st.sampled_from([1, 2, 3, ROOMY]), st.integers(0, 30), st.integers(0, 100), st.integers(0, 50))
def test_forks(steps: list[tuple[int, int, int]], room: int, block: int, later: int, age: int) -> None:
    """Of a reading of at most the age for which news is kept."""
    forks, now = Reorganisations(room, KEPT_S), 0
    told: list[tuple[int, int]] = []
    for _, fork, seconds in steps:
        now += seconds
        forks.note(fork, now)
        told.append((fork, now))
    began = now + later - age
    void = any(fork < block and began <= at for fork, at in told)
    if void and began >= now - KEPT_S:
        assert forks.void(block, began)
    if room == ROOMY:
        assert forks.void(block, began) <= void


def test_two_forks_become_the_deeper_and_the_later_of_both() -> None:
    shallow_first, deep_first = Reorganisations(2, KEPT_S), Reorganisations(2, KEPT_S)
    for second, forks in enumerate([(9, 3), (3, 10), (10, 20)], start=1):
        shallow_first.note(forks[0], second)
        deep_first.note(forks[1], second)
    assert shallow_first.void(5, 1.5), "the fork at 3 was told afterwards"
    assert deep_first.void(11, 1.5), "the fork at 10 was told afterwards"


def test_news_that_is_forgotten_takes_no_room() -> None:
    changes, forks = Changes(10**6, KEPT_S), Reorganisations(10**6, KEPT_S)
    for second in range(1000):
        changes.note(second, 1, second)
        forks.note(second, second)
    assert len(changes._last) <= KEPT_S + 1
    assert len(forks._forks) <= KEPT_S + 1


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 50)), max_size=20))
def test_elapsed_time_is_behind_neither_clock(steps: list[tuple[int, int]]) -> None:
    clock, monotonic = FakeClock(), FakeClock(3.0)
    elapsed = ElapsedClock(Clock(monotonic=monotonic, unix=clock))
    last = 0.0
    for by_clock, by_monotonic in steps:
        clock.advance(by_clock)
        monotonic.advance(by_monotonic)
        now = elapsed()
        assert now - last >= max(0, by_clock, by_monotonic) - 1e-6
        last = now
    assert last >= clock() - FakeClock()() - 1e-6
