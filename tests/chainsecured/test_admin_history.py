"""From events to admins: whatever is told beside the truth, left out or made up, no admin comes of it that was none."""

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.chain.abi import account_config_abi
from node.chain.admins import AdminEvents, NamedAdmin, linked
from node.chain.rpc.answers import MalformedLogsError
from node.values import u256_hex
from tests.support.contract import address_of

ACCOUNT = 0xACC0
CONTRACT = address_of("the contract")
EVENTS = AdminEvents.of(account_config_abi(), CONTRACT)
ADMINS = [address_of(f"admin {number}").lower() for number in range(6)]
TRUE, FALSE = "0x" + "00" * 31 + "01", "0x" + "00" * 32


def history(admins: Sequence[str]) -> list[NamedAdmin]:
    """Events of an account with these admins, the first one first."""
    before = [None, *admins]
    return [NamedAdmin(admin, previous) for admin, previous in zip(admins, before, strict=False)]


def topic(address: str) -> str:
    return "0x" + "00" * 12 + address[2:].lower()


def log(kind: str, *addresses: str, data: str = "0x", **changed: JsonValue) -> JsonValue:
    topics: list[JsonValue] = [kind, u256_hex(ACCOUNT), *map(topic, addresses)]
    return {"address": CONTRACT.lower(), "topics": topics, "data": data, **changed}


@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_whole_history_is_linked_in_any_order(count: int, order: random.Random) -> None:
    events = history(ADMINS[:count])
    order.shuffle(events)
    assert linked(ADMINS[count - 1], events, 100) == ADMINS[:count][::-1]


@given(st.integers(1, 6), st.data())
def test_a_log_left_out_leaves_no_history(count: int, data: st.DataObject) -> None:
    events = history(ADMINS[:count])
    events.pop(data.draw(st.integers(0, count - 1)))
    assert linked(ADMINS[count - 1], events, 100) is None


NAMED = st.builds(NamedAdmin, st.sampled_from(ADMINS), st.none() | st.sampled_from(ADMINS))


@given(st.lists(NAMED, max_size=12), st.sampled_from(ADMINS), st.integers(1, 6))
def test_made_up_events_lead_to_an_end_link_by_link(events: list[NamedAdmin], present: str, most: int) -> None:
    admins = linked(present, events, most)
    if admins is not None:
        assert admins[0] == present
        assert len(admins) <= most
        for admin, previous in itertools.pairwise(admins):
            assert NamedAdmin(admin, previous) in events


def test_made_up_events_that_go_round_in_a_circle_are_no_history() -> None:
    first, second = ADMINS[:2]
    assert linked(first, [NamedAdmin(first, second), NamedAdmin(second, first)], 100) is None


def test_only_the_latest_admins_count_where_there_were_too_many() -> None:
    assert linked(ADMINS[5], history(ADMINS), 3) == [ADMINS[5], ADMINS[4], ADMINS[3]]


def test_each_event_is_read_for_what_it_says() -> None:
    first, second, third = ADMINS[:3]
    answer: list[JsonValue] = [
        log(EVENTS.created, first, data=FALSE),
        log(EVENTS.converted, second),
        log(EVENTS.transferred, second, third),
        log(EVENTS.created, ADMINS[4], data=TRUE),
    ]
    assert EVENTS.named(answer, ACCOUNT) == [
        NamedAdmin(first, None),
        NamedAdmin(second, None),
        NamedAdmin(third, second),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        [None],
        [log(EVENTS.converted, ADMINS[0], address=address_of("another contract"))],
        [log(EVENTS.converted, ADMINS[0], address=None)],
        [log(EVENTS.converted, ADMINS[0], removed=True)],
        [log(EVENTS.converted)],
        [log(EVENTS.transferred, ADMINS[0])],
        [log(EVENTS.converted, ADMINS[0], topics=[EVENTS.converted, u256_hex(ACCOUNT + 1), topic(ADMINS[0])])],
        [log(EVENTS.converted, ADMINS[0], topics=[EVENTS.converted, u256_hex(ACCOUNT), "0x" + "01" * 32])],
        [log(EVENTS.converted, ADMINS[0], topics=[EVENTS.converted, u256_hex(ACCOUNT), topic(ADMINS[0]) + "00"])],
        [log("0x" + "77" * 32, ADMINS[0])],
        [log(EVENTS.converted, ADMINS[0], topics="none")],
    ],
)
def test_what_was_not_asked_for_is_no_answer(answer: JsonValue) -> None:
    with pytest.raises(MalformedLogsError):
        EVENTS.named(answer, ACCOUNT)


def test_the_filter_asks_for_one_account_only() -> None:
    asked = EVENTS.filter(ACCOUNT, 5, 16)
    kinds = [EVENTS.created, EVENTS.converted, EVENTS.transferred]
    assert asked["topics"] == [kinds, u256_hex(ACCOUNT)]
    assert (asked["fromBlock"], asked["toBlock"]) == ("0x5", "0x10")
