"""When endpoints agree, for any votes: fewer liars than a quorum decide nothing, and an honest quorum always decides."""

from hypothesis import given
from hypothesis import strategies as st

from node.chain.port import Head
from node.chain.quorum.agreement import (
    agreed_answers,
    candidate_heads,
    contradicting,
    divided,
    height_of,
    may_rise,
    missing_votes,
)
from node.chain.quorum.answers import NOT_COMPUTED, Answer, NotComputed, Returned, Reverted
from node.chain.quorum.limits import QuorumLimits

CALLS = 3


def head(number: int, fork: int = 0) -> Head:
    return Head(number, f"0x{number:062x}{fork:02x}", f"0x{number - 1 if number else 0:062x}{fork:02x}", number * 12)


def returned(value: int) -> Answer:
    return Returned(bytes([value]), (value,))


TRUTH: tuple[Answer, ...] = (returned(1), Reverted(b"\x02\x02\x02\x02"), returned(3))
ANSWERS = st.sampled_from([*TRUTH, returned(0), Reverted(b"\x00\x00\x00\x00"), NOT_COMPUTED])
ANY_VOTE = st.tuples(*[ANSWERS] * CALLS)


@st.composite
def electorates(draw: st.DrawFn) -> tuple[int, int]:
    """How many endpoints there are, and how many are a quorum: a majority or more."""
    count = draw(st.integers(1, 7))
    return count, draw(st.integers(count // 2 + 1, count))


@given(electorates(), st.data())
def test_fewer_liars_than_a_quorum_never_get_their_answer(electorate: tuple[int, int], data: st.DataObject) -> None:
    count, quorum = electorate
    liars = data.draw(st.integers(0, quorum - 1))
    unable = st.tuples(*[st.sampled_from([truth, NOT_COMPUTED]) for truth in TRUTH])
    honest = data.draw(st.lists(st.just(TRUTH) | unable, max_size=count - liars))
    votes = dict(enumerate([*honest, *(data.draw(ANY_VOTE) for _ in range(liars))]))
    agreed = agreed_answers(votes, CALLS, quorum)
    if agreed is not None:
        for given_answer, truth in zip(agreed, TRUTH, strict=True):
            assert given_answer in {truth, NOT_COMPUTED}


@given(electorates(), st.data())
def test_an_honest_quorum_is_agreement_whatever_the_others_say(
    electorate: tuple[int, int], data: st.DataObject
) -> None:
    count, quorum = electorate
    honest = data.draw(st.integers(quorum, count))
    votes = dict(enumerate([TRUTH] * honest + [data.draw(ANY_VOTE) for _ in range(count - honest)]))
    assert agreed_answers(votes, CALLS, quorum) == TRUTH
    assert missing_votes(votes, CALLS, quorum) == 0
    assert contradicting(votes, TRUTH) <= set(range(honest, count))


@given(electorates(), st.dictionaries(st.integers(0, 6), ANY_VOTE, max_size=7))
def test_no_more_votes_are_asked_for_exactly_when_each_call_has_its_quorum(
    electorate: tuple[int, int], votes: dict[int, tuple[Answer, ...]]
) -> None:
    _, quorum = electorate
    missing = missing_votes(votes, CALLS, quorum)
    assert 0 <= missing <= quorum
    if missing == 0:
        assert agreed_answers(votes, CALLS, quorum) is not None
    same = {**votes, **{100 + index: TRUTH for index in range(quorum)}}
    assert missing_votes(same, CALLS, quorum) == 0


def test_without_calls_the_voters_are_counted() -> None:
    votes: dict[str, tuple[Answer, ...]] = {"a": ()}
    assert (missing_votes(votes, 0, 2), agreed_answers(votes, 0, 2)) == (1, None)
    votes["b"] = ()
    assert (missing_votes(votes, 0, 2), agreed_answers(votes, 0, 2)) == (0, ())


def test_what_only_some_could_compute_is_not_computed_and_contradicts_nobody() -> None:
    unable: tuple[Answer, ...] = (NotComputed(), TRUTH[1], TRUTH[2])
    votes = {"able": TRUTH, "unable": unable}
    assert agreed_answers(votes, CALLS, 2) == unable
    assert contradicting(votes, unable) == set()
    assert not divided(votes, CALLS)
    liar = (returned(9), *TRUTH[1:])
    assert agreed_answers({"able": TRUTH, "liar": liar}, CALLS, 2) is None
    assert divided({"able": TRUTH, "liar": liar}, CALLS)


def test_the_default_quorum_is_a_majority() -> None:
    assert [QuorumLimits().size_of(count) for count in range(1, 6)] == [1, 2, 2, 3, 3]


# --- heads --------------------------------------------------------------------------------------------------------

HEADS = st.builds(head, st.integers(0, 20) | st.just(10**9), st.integers(0, 2))


@given(electorates(), st.data())
def test_with_every_head_fresh_the_height_is_one_that_honest_endpoints_have(
    electorate: tuple[int, int], data: st.DataObject
) -> None:
    count, quorum = electorate
    liars = data.draw(st.integers(0, min(quorum - 1, count - quorum)))
    honest = [head(data.draw(st.integers(5, 12))) for _ in range(count - liars)]
    fresh = dict(enumerate([*honest, *(data.draw(HEADS) for _ in range(liars))]))
    found = candidate_heads(fresh, {}, quorum, 0, None)
    numbers = sorted(each.number for each in honest)
    assert numbers[0] <= found[0].number <= numbers[-1], "the liars moved the height out of where honest heads are"
    assert found[0].number >= numbers[len(honest) - quorum], "lower than what an honest quorum has reached"


@given(
    electorates(),
    st.dictionaries(st.integers(0, 6), HEADS, max_size=7),
    st.dictionaries(st.integers(0, 6), HEADS, max_size=7),
    st.integers(0, 20),
    st.none() | HEADS,
)
def test_candidates_are_reported_heads_in_falling_order_at_the_floor_or_above(
    electorate: tuple[int, int], fresh: dict[int, Head], known: dict[int, Head], floor: int, agreed: Head | None
) -> None:
    _, quorum = electorate
    found = candidate_heads(fresh, known, quorum, floor, agreed)
    heads = {**known, **fresh}
    height = height_of(list(heads.values()), quorum)
    assert len(set(found)) == len(found)
    assert [each.number for each in found] == sorted((each.number for each in found), reverse=True)
    for each in found:
        assert height is not None
        assert floor <= each.number <= height
        assert each in fresh.values() or (each.number == height and each in heads.values())


def test_a_block_that_is_known_from_before_alone_is_not_followed_downwards() -> None:
    fresh, known = {"a": head(50), "b": head(50, fork=1)}, {"gone": head(20)}
    assert {each.number for each in candidate_heads(fresh, known, 2, 0, None)} == {50}


def test_the_last_known_head_of_a_silent_endpoint_keeps_a_frozen_one_from_pulling_the_height_down() -> None:
    fresh, known = {"frozen": head(3), "honest": head(51)}, {"silent": head(50)}
    assert candidate_heads(fresh, known, 2, 0, None)[0] == head(50)


def test_an_endpoint_gone_for_hours_does_not_matter_beside_a_quorum() -> None:
    fresh, known = {"a": head(5000), "b": head(5000)}, {"gone": head(20)}
    assert candidate_heads(fresh, known, 2, 0, None) == (head(5000),)


def test_of_two_blocks_at_one_height_that_with_more_fresh_voices_comes_first_then_the_agreed_one() -> None:
    assert candidate_heads({1: head(9, 1), 2: head(9), 3: head(9)}, {}, 2, 0, head(9, 1))[0] == head(9)
    for agreed in (head(9), head(9, 1)):
        assert candidate_heads({1: head(9, 1), 2: head(9)}, {}, 2, 0, agreed)[0] == agreed


@given(electorates(), st.lists(HEADS, max_size=7), st.lists(HEADS, max_size=3))
def test_the_height_rises_with_more_heads_only_when_it_was_said_that_it_may(
    electorate: tuple[int, int], asked: list[Head], more: list[Head]
) -> None:
    _, quorum = electorate
    assumed = height_of(asked, quorum)
    if not may_rise(asked, len(more), quorum, assumed):
        assert height_of([*asked, *more], quorum) == assumed
