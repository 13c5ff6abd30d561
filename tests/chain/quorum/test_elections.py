"""Whole reads among honest and lying providers, searched by the thousand: what is answered is the honest chain's."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
import structlog
from hypothesis import example, given, settings
from hypothesis import strategies as st

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import Head
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Answer, NotComputed, Returned
from node.errors import DomainError
from tests.chain.quorum.scripted import VIEW, Script, block, scripted_quorum, truth_at
from tests.support.constants import replace_constants

TIP = 20


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch, _constants: None) -> None:
    """After the constants of the other tests here."""
    replace_constants(monkeypatch, "node.chain", BEHIND_TIMEOUT_S=0, BEHIND_POLL_S=0.001)


READS = 3

FORGED_HEADERS = st.builds(
    lambda number, changes: replace(block(number), **changes),
    st.integers(TIP - 3, TIP),
    st.sampled_from([{"timestamp": 10**10}, {"timestamp": 0}, {"number": TIP + 1}, {"number": 10**9}, {"number": TIP}]),
)
"""True hashes under which something else is said to stand: calls at them answer as if nothing were wrong."""

LIES = st.builds(
    Script,
    head=st.builds(block, st.integers(0, TIP + 2) | st.just(10**9), st.integers(0, 2)) | FORGED_HEADERS,
    view=st.sampled_from(["truth", "yes", "other", "unknown", "revert", "bare", "refused", "garbage", "fault"]),
    header=st.sampled_from(["truth", "own", "null", "garbage"]),
    latest=st.sampled_from(["head", "head", "head", "null", "garbage", "fault"]),
    pauses=st.integers(0, 3),
)


def honest(lags: st.SearchStrategy[int]) -> st.SearchStrategy[Script]:
    return st.builds(lambda lag, pauses: Script(block(TIP - lag), pauses=pauses), lags, st.integers(0, 3))


@st.composite
def elections(draw: st.DrawFn, lags: st.SearchStrategy[int]) -> tuple[list[Script], int]:
    """Providers in any order, fewer liars than a quorum among them, and how many are a quorum."""
    count = draw(st.integers(1, 5))
    size = draw(st.integers(count // 2 + 1, count))
    liars = draw(st.integers(0, size - 1))
    scripts = [draw(honest(lags)) for _ in range(count - liars)] + [draw(LIES) for _ in range(liars)]
    return draw(st.permutations(scripts)), size


def true_answer(head: Head) -> Answer:
    return Returned(truth_at(head), ())


async def read_often(quorum: QuorumReader) -> list[tuple[Head, Sequence[Answer]] | DomainError]:
    """Several reads one after another: a liar may be asked first, be doubted later, and leave its head behind."""
    with structlog.testing.capture_logs():
        return [await read_once(quorum) for _ in range(READS)]


async def read_once(quorum: QuorumReader) -> tuple[Head, Sequence[Answer]] | DomainError:
    try:
        return await quorum.read([VIEW])
    except DomainError as error:
        return error


@pytest.mark.exhaustive
@settings(max_examples=500, deadline=None)
@given(elections(lags=st.integers(0, 3)))
def test_an_answer_is_always_that_of_the_honest_chain_at_that_block(election: tuple[list[Script], int]) -> None:
    scripts, size = election
    quorum, _ = scripted_quorum(scripts, size)
    for outcome in asyncio.run(read_often(quorum)):
        if isinstance(outcome, DomainError):
            assert as_node_error(outcome).code is ErrorCode.CHAIN_UNAVAILABLE
        else:
            head, (answer,) = outcome
            assert head == block(head.number), "no honest endpoint has this block, or it has another time there"
            assert head.number <= TIP
            assert answer in {true_answer(head), NotComputed()}


@st.composite
def sound_elections(draw: st.DrawFn) -> tuple[list[Script], int, list[int]]:
    """Elections with a quorum of honest providers, and the heads of these, the highest first."""
    size = draw(st.integers(1, 3))
    truthful = draw(st.lists(honest(st.integers(0, 3)), min_size=size, max_size=size + 1))
    liars = draw(st.lists(LIES, max_size=size - 1))
    heads = sorted((script.head.number for script in truthful), reverse=True)
    return draw(st.permutations([*truthful, *liars])), size, heads


ONE_BEHIND_AND_ASKED_LAST = [Script(block(TIP)), Script(block(TIP)), Script(block(10**9, 1)), Script(block(TIP - 1))]


@pytest.mark.exhaustive
@settings(max_examples=750, deadline=None)
@given(sound_elections())
@example((ONE_BEHIND_AND_ASKED_LAST, 3, [TIP, TIP, TIP - 1]))
def test_an_honest_quorum_always_answers_and_no_liar_can_hold_the_answer_back_in_the_past(
    election: tuple[list[Script], int, list[int]],
) -> None:
    scripts, size, honest_heads = election
    quorum, _ = scripted_quorum(scripts, size)
    for outcome in asyncio.run(read_often(quorum)):
        assert isinstance(outcome, tuple), outcome
        head, answers = outcome
        assert honest_heads[0] >= head.number >= honest_heads[size - 1]
        assert answers == (true_answer(head),)


@settings(max_examples=250, deadline=None)
@given(elections(lags=st.integers(0, 3)), st.integers(TIP - 4, TIP + 1))
def test_no_answer_is_of_a_block_below_the_floor(election: tuple[list[Script], int], floor: int) -> None:
    scripts, size = election
    quorum, _ = scripted_quorum(scripts, size, floor)
    numbers = [outcome[0].number for outcome in asyncio.run(read_often(quorum)) if isinstance(outcome, tuple)]
    assert numbers == sorted(numbers)
    assert all(number >= floor for number in numbers)


@pytest.mark.parametrize("size", [1, 2, 3])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_head_alone_is_agreed_on_likewise(size: int, data: st.DataObject) -> None:
    liars = data.draw(st.lists(LIES, max_size=size - 1))
    scripts = data.draw(st.permutations([*liars, *[Script(block(TIP))] * size]))
    quorum, _ = scripted_quorum(scripts, size)

    async def look() -> Head:
        with structlog.testing.capture_logs():
            return await quorum.look()

    assert asyncio.run(look()) == block(TIP)


async def test_a_head_agreed_on_before_is_vouched_for_by_nobody_who_is_not_asked() -> None:
    """A dead block must not become the head again by one provider's stale word and the silence of the others."""
    stale, moved = Script(block(TIP, 1), header="own"), Script(block(TIP + 1))
    quorum, providers = scripted_quorum([stale, stale], 2)
    assert await quorum.look() == block(TIP, 1)
    providers[1].script = moved
    with structlog.testing.capture_logs(), pytest.raises(DomainError) as refused:
        await quorum.look()
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
    providers[0].script = moved
    assert await quorum.look() == block(TIP + 1)
