"""Fewer liars than a quorum: what is believed is what an honest endpoint said, or lies between two of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.rpc import JsonRpc
from node.chain.writes.agreed import DisagreementError, agreed, at_least, at_most, is_agreed
from node.chain.writes.sightings import Sightings
from node.chain.writes.witnesses import Witnesses
from node.errors import StartupRefusedError

NUMBERS = st.integers(min_value=0, max_value=2**256 - 1)
ATTEMPT = "0x" + "11" * 32


@st.composite
def parties(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[list[Any], list[Any], int]:
    """What honest endpoints say, what liars say, and a quorum that the liars alone are not and the honest are."""
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


def receipt(block: int, status: int, topic: int) -> dict[str, Any]:
    log = {"address": "0xAb", "topics": [hex(topic)], "data": "0x"}
    shown = {"blockHash": hex(block), "blockNumber": "0x1", "transactionIndex": "0x0", "status": hex(status)}
    return {"transactionHash": ATTEMPT, "logs": [log], **shown}


RECEIPTS = st.builds(receipt, st.integers(10, 12), st.integers(0, 1), st.integers(10, 11)) | st.none()


@given(parties(RECEIPTS))
async def test_the_receipt_that_is_believed_an_honest_endpoint_has_seen(
    said: tuple[Sequence[Mapping[str, Any] | None], Sequence[Mapping[str, Any] | None], int],
) -> None:
    honest, liars, quorum = said
    sightings = await sightings_of([*honest, *liars])
    believed = sightings.believed(quorum)
    assert believed is None or believed in honest


async def sightings_of(answers: Sequence[Any]) -> Sightings:
    """Each answer from an endpoint of its own."""
    sightings = Sightings()
    async with aiohttp.ClientSession() as session:
        for number, answer in enumerate(answers):
            (endpoint,) = JsonRpc(session, [f"http://127.0.0.1:{number + 1}"]).endpoints
            sightings.note(endpoint, ATTEMPT, answer)
    return sightings


CHANGES: list[dict[str, Any]] = [
    {"blockHash": "0xd"},
    {"blockNumber": "0x2"},
    {"transactionIndex": "0x1"},
    {"status": "0x0"},
    {"logs": []},
    {"logs": None},
    {"logs": ["0xa"]},
    {"logs": [{"address": "0xac", "topics": ["0xa"], "data": "0x"}]},
    {"logs": [{"address": "0xab", "topics": ["0xb"], "data": "0x"}]},
    {"logs": [{"address": "0xab", "topics": ["0xa"], "data": "0x00"}]},
    {"transactionHash": "0x" + "22" * 32},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
async def test_receipts_that_differ_in_what_is_read_of_them_are_not_the_same(change: dict[str, Any]) -> None:
    assert (await sightings_of([receipt(10, 1, 10), receipt(10, 1, 10) | change])).believed(2) is None


async def test_clients_differ_in_case_and_in_what_else_they_tell() -> None:
    other = receipt(10, 1, 10) | {"blockHash": "0xA", "effectiveGasPrice": "0x1"}
    assert (await sightings_of([receipt(10, 1, 10), other])).believed(2) is not None


async def test_who_has_another_receipt_than_a_quorum_is_named_and_who_has_none_is_not() -> None:
    sightings = Sightings()
    async with aiohttp.ClientSession() as session:
        endpoints = JsonRpc(session, [f"http://127.0.0.1:{port}" for port in range(1, 6)]).endpoints
        forged = receipt(12, 1, 10)
        answers = [receipt(10, 1, 10), None, forged, receipt(10, 1, 10)]
        for endpoint, answer in zip(endpoints, answers, strict=False):
            sightings.note(endpoint, ATTEMPT, answer)
    believed = sightings.believed(2)
    assert believed is not None
    assert sightings.contradicting(believed) == [endpoints[2]]


async def test_the_last_word_of_an_endpoint_counts() -> None:
    sightings = Sightings()
    async with aiohttp.ClientSession() as session:
        one, two = JsonRpc(session, ["http://127.0.0.1:1", "http://127.0.0.1:2"]).endpoints
        sightings.note(one, ATTEMPT, receipt(10, 1, 10))
        sightings.note(one, ATTEMPT, None)
        sightings.note(two, ATTEMPT, receipt(10, 1, 10))
    assert sightings.believed(2) is None


@pytest.mark.parametrize("quorum", [0, 3])
async def test_a_quorum_that_cannot_be_had_is_refused_at_the_start(quorum: int) -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(StartupRefusedError, match="rpc_quorum"):
            Witnesses(JsonRpc(session, ["http://127.0.0.1:1", "http://127.0.0.1:2"]), quorum)
