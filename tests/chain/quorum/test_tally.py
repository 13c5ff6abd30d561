"""Counting votes, for any votes: fewer liars than a quorum decide nothing, and an honest quorum always decides."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.quorum.client import DisagreementError, Tally, agreed, at_least, at_most, is_agreed, quorum_size
from node.chain.quorum.round import NOT_COMPUTED, Answer, NotComputed, Returned, Reverted

CALLS = 3
NUMBERS = st.integers(min_value=0, max_value=2**256 - 1)


def returned(value: int) -> Answer:
    return Returned(bytes([value]), (value,))


TRUTH: tuple[Answer, ...] = (returned(1), Reverted(b"\x02\x02\x02\x02"), returned(3))
ANSWERS = st.sampled_from([*TRUTH, returned(0), Reverted(b"\x00\x00\x00\x00"), NOT_COMPUTED])
ANY_VOTE = st.tuples(*[ANSWERS] * CALLS)
Voter = TypeVar("Voter", bound=Hashable)


def tally(votes: Mapping[Voter, tuple[Answer, ...]], quorum: int) -> Tally[Voter, Answer]:
    return Tally(votes, quorum, CALLS, NOT_COMPUTED)


@st.composite
def electorates(draw: st.DrawFn) -> tuple[int, int]:
    """How many providers there are, and how many are a quorum: a majority or more."""
    count = draw(st.integers(1, 7))
    return count, draw(st.integers(count // 2 + 1, count))


@given(electorates(), st.data())
def test_fewer_liars_than_a_quorum_never_get_their_answer(electorate: tuple[int, int], data: st.DataObject) -> None:
    count, quorum = electorate
    liars = data.draw(st.integers(0, quorum - 1))
    unable = st.tuples(*[st.sampled_from([truth, NOT_COMPUTED]) for truth in TRUTH])
    honest = data.draw(st.lists(st.just(TRUTH) | unable, max_size=count - liars))
    votes = dict(enumerate([*honest, *(data.draw(ANY_VOTE) for _ in range(liars))]))
    found = tally(votes, quorum).agreed
    if found is not None:
        for given_answer, truth in zip(found, TRUTH, strict=True):
            assert given_answer in {truth, NOT_COMPUTED}


@given(electorates(), st.data())
def test_an_honest_quorum_is_agreement_whatever_the_others_say(
    electorate: tuple[int, int], data: st.DataObject
) -> None:
    count, quorum = electorate
    honest = data.draw(st.integers(quorum, count))
    votes = dict(enumerate([TRUTH] * honest + [data.draw(ANY_VOTE) for _ in range(count - honest)]))
    assert tally(votes, quorum).agreed == TRUTH
    assert tally(votes, quorum).missing == 0
    assert tally(votes, 2).contradicting(TRUTH) <= set(range(honest, count))


@given(electorates(), st.dictionaries(st.integers(0, 6), ANY_VOTE, max_size=7))
def test_no_more_votes_are_asked_for_exactly_when_each_call_has_its_quorum(
    electorate: tuple[int, int], votes: dict[int, tuple[Answer, ...]]
) -> None:
    _, quorum = electorate
    missing = tally(votes, quorum).missing
    assert 0 <= missing <= quorum
    if missing == 0:
        assert tally(votes, quorum).agreed is not None
    same = {**votes, **{100 + index: TRUTH for index in range(quorum)}}
    assert tally(same, quorum).missing == 0


def test_without_calls_the_voters_are_counted() -> None:
    votes: dict[str, tuple[Answer, ...]] = {"a": ()}
    counted = Tally(votes, 2, parts=0)
    assert (counted.missing, counted.agreed) == (1, None)
    votes["b"] = ()
    assert (counted.missing, counted.agreed) == (0, ())


def test_what_only_some_could_compute_is_not_computed_and_contradicts_nobody() -> None:
    unable: tuple[Answer, ...] = (NotComputed(), TRUTH[1], TRUTH[2])
    votes = {"able": TRUTH, "unable": unable}
    assert tally(votes, 2).agreed == unable
    assert tally(votes, 2).contradicting(unable) == set()
    assert not tally(votes, 2).is_divided
    liar = (returned(9), *TRUTH[1:])
    assert tally({"able": TRUTH, "liar": liar}, 2).agreed is None
    assert tally({"able": TRUTH, "liar": liar}, 2).is_divided


def test_the_default_quorum_is_a_majority() -> None:
    assert [quorum_size(0, count) for count in range(1, 6)] == [1, 2, 2, 3, 3]


# --- one answer each --------------------------------------------------------------------------------------------------


@st.composite
def parties(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[list[Any], list[Any], int]:
    """What honest providers say, what liars say, and a quorum that the liars alone are not and the honest are."""
    honest = draw(st.lists(values, min_size=1, max_size=6))
    liars = draw(st.lists(values, max_size=len(honest) - 1))
    quorum = draw(st.integers(min_value=len(liars) + 1, max_value=len(honest)))
    return honest, liars, quorum


@given(parties(NUMBERS))
def test_no_number_is_taken_to_be_reached_that_no_honest_endpoint_reaches(
    said: tuple[list[int], list[int], int],
) -> None:
    honest, liars, quorum = said
    assert at_least([*honest, *liars], quorum) <= max(honest)
    assert at_most([*honest, *liars], quorum) >= min(honest)


@given(parties(NUMBERS))
def test_when_the_honest_say_the_same_and_all_answer_it_is_that(said: tuple[list[int], list[int], int]) -> None:
    honest, liars, quorum = said
    numbers = [*([honest[0]] * len(honest)), *liars]
    assert at_least(numbers, quorum) == honest[0] == at_most(numbers, quorum)
    assert agreed(numbers, quorum) == honest[0]


@given(parties(st.sampled_from("abc")))
def test_what_is_agreed_on_an_honest_endpoint_said(said: tuple[list[str], list[str], int]) -> None:
    honest, liars, quorum = said
    if is_agreed([*honest, *liars], quorum):
        assert agreed([*honest, *liars], quorum) in honest
    else:
        with pytest.raises(DisagreementError):
            agreed([*honest, *liars], quorum)
