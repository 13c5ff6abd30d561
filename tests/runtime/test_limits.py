"""Token buckets and gates with a clock that stands still: gifts, refusals, and memory."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.runtime.limits import Gate, Held, LimitReachedError, TokenBuckets
from tests.support.clock import FakeClock

Step: TypeAlias = tuple[float, Callable[[TokenBuckets], object], object]
"""Seconds that pass, what is then done, and what it returns: of a refusal its Retry-After."""


def taken(buckets: TokenBuckets, client: str, times: int) -> int:
    count = 0
    for _ in range(times):
        try:
            buckets.take(client)
        except LimitReachedError:
            continue
        count += 1
    return count


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = FakeClock()
    buckets = TokenBuckets("tries", 30, 60.0, clock, 10)
    assert taken(buckets, "a", 40) == 30
    with pytest.raises(LimitReachedError) as refusal:
        buckets.check("a")
    assert (refusal.value.message, refusal.value.fix) == (
        "Too many tries.",
        "Wait 2 seconds, then send the request again.",
    )
    assert (refusal.value.details, refusal.value.retry_after_s) == ({}, 2)
    clock.advance(2)
    assert taken(buckets, "a", 5) == 1
    assert taken(buckets, "b", 5) == 5
    clock.advance(3600)
    assert taken(buckets, "a", 40) == 30


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(0, 40)), max_size=30))
def test_never_more_than_burst_and_rate_allow(steps: list[tuple[float, int]]) -> None:
    clock = FakeClock(0.0)
    buckets = TokenBuckets("tries", 30, 60.0, clock, 10)
    total = 0
    for pause_s, tries in steps:
        clock.advance(pause_s)
        total += taken(buckets, "a", tries)
        assert total <= 30 + clock.now * 0.5 + 1e-6


def test_a_part_of_what_is_asked_for_is_taken_where_there_is_no_more() -> None:
    clock = FakeClock()
    buckets = TokenBuckets("seconds", 60.0, 3600.0, clock, 10)
    assert [buckets.take_up_to("a", 40.5) for _ in range(3)] == [40.5, 19.5, 0.0]
    assert buckets.take_up_to("b", 100.0) == 60.0
    clock.advance(1800)
    assert buckets.take_up_to("a", 100.0) == 30.0
    clock.advance(36_000)
    assert buckets.take_up_to("a", 100.0) == 60.0
    assert TokenBuckets("seconds", 0, 3600.0, clock, 10).take_up_to("a", 1.0) == 0.0


def test_memory_is_bounded_and_the_busiest_are_remembered() -> None:
    buckets = TokenBuckets("tries", 2, 60.0, FakeClock(), 3)
    assert taken(buckets, "attacker", 3) == 2
    for number in range(1000):
        buckets.take(f"client {number}")
        buckets.spend("attacker")
        assert not buckets.may_take("attacker"), f"after {number} others"
    assert len(buckets.full_at) == 3


def outcome(done: Callable[[], object]) -> object:
    try:
        return done()
    except LimitReachedError as error:
        return error.retry_after_s


@pytest.mark.parametrize(
    ("burst", "steps"),
    [
        pytest.param(
            3,
            [
                (0, lambda each: each.spend("a", 13), None),
                (0, lambda each: each.check("a"), 220),
                (199, lambda each: each.may_take("a"), False),
                (21, lambda each: each.take("a"), None),
                (0, lambda each: each.may_take("a"), False),
            ],
            id="what is overdrawn is paid back before the next",
        ),
        pytest.param(
            3,
            [
                (0, lambda each: each.spend("a", 5), None),
                (0, lambda each: each.check("a", may_owe=True), None),
                (0, lambda each: each.spend("a"), None),
                (0, lambda each: each.check("a", may_owe=True), 80),
                (20, lambda each: each.check("a", may_owe=True), None),
                (0, lambda each: each.check("a"), 60),
            ],
            id="a whole bucket may be owed by what was let in together",
        ),
        pytest.param(
            3,
            [
                (0, lambda each: each.spend("a", 3), None),
                (0, lambda each: each.give_back("a", 2), None),
                (0, lambda each: [each.may_take("a") for _ in range(3)], [True, True, False]),
                (0, lambda each: each.give_back("a", 100), None),
                (0, lambda each: [each.may_take("a") for _ in range(4)], [True, True, True, False]),
                (0, lambda each: each.give_back("never seen", 5), None),
                (0, lambda each: len(each.full_at), 1),
            ],
            id="what is given back is there again, and no more than a bucket",
        ),
        pytest.param(
            7,
            [(0, lambda each: [each.may_take("a") for _ in range(8)], [True] * 7 + [False])] * 1
            + [(60, lambda each: [each.may_take("a") for _ in range(8)], [True] * 7 + [False])] * 3,
            id="a burst that no period divides is given whole",
        ),
        pytest.param(
            6,
            [
                (0, lambda each: each.spend("a", 6), None),
                (0, lambda each: each.wait_s("a", 0), 0.0),
                (0, lambda each: each.wait_s("a"), 10.0),
                (0, lambda each: each.wait_s("a", 2), 20.0),
                (4, lambda each: each.wait_s("a"), 6.0),
                (0, lambda each: each.wait_s("b", 6), 0.0),
                (0, lambda each: list(each.full_at), ["a"]),
            ],
            id="how long until tokens are there",
        ),
    ],
)
def test_what_buckets_give(burst: int, steps: list[Step]) -> None:
    clock = FakeClock()
    buckets = TokenBuckets("tries", burst, 60.0, clock, 10)
    for pause_s, done, expected in steps:
        clock.advance(pause_s)
        got = outcome(partial(done, buckets))
        assert got == (pytest.approx(expected) if isinstance(expected, float) else expected)


def test_a_refusal_names_its_setting() -> None:
    buckets = TokenBuckets("tries", 1, 60.0, FakeClock(), limit="tries_per_minute")
    buckets.take("a")
    with pytest.raises(LimitReachedError) as refusal:
        buckets.take("a")
    assert refusal.value.details == {"limit": "tries_per_minute"}


def test_memory_is_bounded_where_every_client_owes() -> None:
    buckets = TokenBuckets("tries", 2, 60.0, FakeClock(), 10)
    for number in range(1000):
        buckets.spend(number, 100)
    assert len(buckets.full_at) == 10


@pytest.mark.parametrize("clients", [("a", "b"), ("a", "a")])
def test_a_gate_bounds_all_together(clients: tuple[str, str]) -> None:
    gate = Gate("Too many.", 5)
    for client in clients:
        gate.take(client, 2)
    with pytest.raises(LimitReachedError) as refusal:
        gate.take("a", 2)
    assert (refusal.value.message, refusal.value.fix) == ("Too many.", "Send the request again in a moment.")
    assert (refusal.value.retry_after_s, refusal.value.details, gate.held) == (1, {}, 4)
    gate.take("c")
    for client in (*clients, "c"):
        gate.give_back(client, 1 if client == "c" else 2)
    assert vars(gate) == vars(Gate("Too many.", 5)), "nothing is left of clients that hold nothing"


def test_what_all_together_have_not_left_is_no_loss_of_a_clients_share() -> None:
    """A refusal that took from the client's share would shut it out until the node restarts."""
    gate = Gate("Too many.", 10, 8)
    gate.take("greedy", 8)
    for _ in range(20):
        with pytest.raises(LimitReachedError):
            gate.take("other", 3)
    gate.take("other", 2)
    gate.give_back("other", 2)
    gate.give_back("greedy", 8)
    with pytest.raises(LimitReachedError):
        gate.take("other", 9)
    gate.take("other", 8)
    gate.take("greedy", 2)
    with pytest.raises(LimitReachedError):
        gate.take("greedy")


def test_a_client_that_is_full_for_long_is_told_to_wait_for_long() -> None:
    clock = FakeClock()
    gate = Gate("Too many.", most_of_one=1, fix="Wait.", retry_after_max_s=60, clock=clock)
    with gate.place("a"):
        for pause_s, expected in ((0, 1), (7.2, 8), (900, 60)):
            clock.advance(pause_s)
            assert outcome(lambda: gate.place("a")) == expected
        with gate.place("b"):
            assert gate.held == 2
    with gate.place("a"):
        assert outcome(lambda: gate.place("a")) == 1
    assert gate.held == 0


def test_a_place_that_is_given_up_is_anothers_until_it_is_taken_again() -> None:
    gate = Gate("Too many.", 1)
    with gate:
        with gate.given_up():
            assert gate.held == 0
            with gate:
                pass
        assert gate.held == 1
        with pytest.raises(LimitReachedError):
            gate.take("another")
    with pytest.raises(LimitReachedError), gate, gate.given_up():
        gate.take("another")
    assert gate.held == 1, "the other's alone"
    gate.give_back("another")

    def fail() -> None:
        gate.take("another")
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError), gate, gate.given_up():
        fail()
    assert gate.held == 1, "what the client did wrong is the better answer"


@pytest.mark.parametrize(
    ("free", "sizes", "counted"),
    [
        (0, [6, 4, 4, 0, 10], [6, 4, 4, 0, 10]),
        (5, [3, 5, 6, 5, 15, 2], [0, 0, 1, 0, 10, 0]),
    ],
)
def test_what_is_held_beyond_the_free_part_is_counted(free: int, sizes: list[int], counted: list[int]) -> None:
    gate = Gate("Too many.", 10)
    with Held(gate, "a", free) as held:
        seen = []
        for size in sizes:
            held.resize(size)
            assert held.count == size
            seen.append(gate.held)
    assert (seen, gate.held) == (counted, 0)


def test_what_was_refused_more_gives_back_what_it_has() -> None:
    gate = Gate("Too many.", 10)
    first, second = Held(gate, "a"), Held(gate, "a")
    first.add(6)
    for _ in range(5):
        with pytest.raises(LimitReachedError):
            second.add(5)
    second.add(4)
    second.release()
    first.release()
    first.release()
    second.add(10)
    with pytest.raises(LimitReachedError):
        second.add(1)
