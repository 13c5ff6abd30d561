"""Receipts that providers give: fewer liars than a quorum make none of them believed, and are named."""

from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.rpc import JsonRpc
from node.chain.rpc.receipts import Receipt, read_receipt
from node.chain.writes.model import ReceiptVotes
from tests.chain.quorum.test_tally import parties

ATTEMPT = "0x" + "11" * 32


def word(number: int) -> str:
    return f"0x{number:064x}"


def receipt(block: int, status: int, topic: int) -> dict[str, Any]:
    log = {"address": "0x" + "Ab" * 20, "topics": [word(topic)], "data": "0x"}
    shown = {"blockHash": word(block), "blockNumber": "0x1", "transactionIndex": "0x0", "status": hex(status)}
    return {"transactionHash": ATTEMPT, "logs": [log], **shown}


def read(shown: Any) -> Receipt | None:
    """The receipt that counts in what a provider at block 2 shows."""
    seen = read_receipt(shown, ATTEMPT, 2)
    return seen if isinstance(seen, Receipt) else None


RECEIPTS = st.builds(receipt, st.integers(10, 12), st.integers(0, 1), st.integers(10, 11)) | st.none()


@given(parties(RECEIPTS))
async def test_the_receipt_that_is_believed_an_honest_endpoint_has_seen(
    said: tuple[Sequence[Mapping[str, Any] | None], Sequence[Mapping[str, Any] | None], int],
) -> None:
    honest, liars, quorum = said
    votes = await votes_of([*honest, *liars])
    believed = votes.agreed(quorum)
    assert believed is None or believed in map(read, honest)


async def votes_of(answers: Sequence[Any]) -> ReceiptVotes:
    """Each answer from a provider of its own."""
    votes = ReceiptVotes()
    async with aiohttp.ClientSession() as session:
        for number, answer in enumerate(answers):
            (provider,) = JsonRpc(session, [f"http://127.0.0.1:{number + 1}"]).providers
            votes.note(provider, ATTEMPT, answer, 2)
    return votes


CHANGES: list[dict[str, Any]] = [
    {"blockHash": word(13)},
    {"blockNumber": "0x2"},
    {"transactionIndex": "0x1"},
    {"status": "0x0"},
    {"logs": []},
    {"logs": None},
    {"logs": ["0xa"]},
    {"logs": [{"address": "0x" + "ac" * 20, "topics": [word(10)], "data": "0x"}]},
    {"logs": [{"address": "0x" + "ab" * 20, "topics": [word(11)], "data": "0x"}]},
    {"logs": [{"address": "0x" + "ab" * 20, "topics": [word(10)], "data": "0x00"}]},
    {"transactionHash": "0x" + "22" * 32},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
async def test_receipts_that_differ_in_what_is_read_of_them_are_not_the_same(change: dict[str, Any]) -> None:
    assert (await votes_of([receipt(10, 1, 10), receipt(10, 1, 10) | change])).agreed(2) is None


async def test_clients_differ_in_case_and_in_what_else_they_tell() -> None:
    other = receipt(10, 1, 10) | {"blockHash": "0x" + word(10)[2:].upper(), "effectiveGasPrice": "0x1"}
    assert (await votes_of([receipt(10, 1, 10), other])).agreed(2) is not None


async def test_who_has_another_receipt_than_a_quorum_is_named_and_who_has_none_is_not() -> None:
    votes = ReceiptVotes()
    async with aiohttp.ClientSession() as session:
        providers = JsonRpc(session, [f"http://127.0.0.1:{port}" for port in range(1, 6)]).providers
        forged = receipt(12, 1, 10)
        answers = [receipt(10, 1, 10), None, forged, receipt(10, 1, 10)]
        for provider, answer in zip(providers, answers, strict=False):
            votes.note(provider, ATTEMPT, answer, 2)
    believed = votes.agreed(2)
    assert believed is not None
    assert votes.contradicting(believed) == [providers[2]]


async def test_the_last_word_of_an_endpoint_counts() -> None:
    votes = ReceiptVotes()
    async with aiohttp.ClientSession() as session:
        one, two = JsonRpc(session, ["http://127.0.0.1:1", "http://127.0.0.1:2"]).providers
        votes.note(one, ATTEMPT, receipt(10, 1, 10), 2)
        votes.note(one, ATTEMPT, None, 2)
        votes.note(two, ATTEMPT, receipt(10, 1, 10), 2)
    assert votes.agreed(2) is None


async def test_who_shows_an_incomplete_receipt_abstains_and_is_told_until_it_shows_another() -> None:
    votes = ReceiptVotes()
    async with aiohttp.ClientSession() as session:
        one, two, three = JsonRpc(session, [f"http://127.0.0.1:{port}" for port in range(1, 4)]).providers
        votes.note(one, ATTEMPT, receipt(10, 1, 10) | {"status": None}, 2)
        votes.note(two, ATTEMPT, receipt(10, 1, 10), 0)
        assert votes.incomplete == {"127.0.0.1:1": "status", "127.0.0.1:2": "blockNumber"}
        assert votes.agreed(1) is None
        votes.note(two, ATTEMPT, receipt(10, 1, 10), 1)
        votes.note(three, ATTEMPT, receipt(10, 1, 10), 1)
    believed = votes.agreed(2)
    assert believed == read(receipt(10, 1, 10))
    assert believed is not None
    assert votes.contradicting(believed) == []
    assert votes.incomplete == {"127.0.0.1:1": "status"}


@pytest.mark.parametrize(
    ("answers", "quorum", "believed"),
    [
        pytest.param([None, "mine"], 1, True, id="a quorum of one, the other has none"),
        pytest.param([None, None, "mine", "mine"], 2, True, id="as many have none"),
        pytest.param([None, None, "mine"], 2, False, id="more have none"),
        pytest.param(["mine", "forged", None], 2, False, id="one forges it"),
        pytest.param(["forged", "mine", "mine"], 2, True, id="one forges it, first"),
    ],
)
async def test_having_no_receipt_neither_makes_nor_hides_one(
    answers: Sequence[str | None], quorum: int, believed: bool
) -> None:
    given_receipts = {"mine": receipt(10, 1, 10), "forged": receipt(12, 1, 10), None: None}
    votes = await votes_of([given_receipts[answer] for answer in answers])
    assert votes.agreed(quorum) == (read(receipt(10, 1, 10)) if believed else None)
