"""The block to read at: reported by providers, as high as a quorum of them is, and moved by no liar out of where honest ones are."""

from hypothesis import given
from hypothesis import strategies as st

from node.chain.port import Head
from node.chain.quorum.round import candidate_heads, height_of, may_rise
from tests.chain.quorum.test_tally import electorates


def head(number: int, fork: int = 0) -> Head:
    return Head(number, f"0x{number:062x}{fork:02x}", f"0x{number - 1 if number else 0:062x}{fork:02x}", number * 12)


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
