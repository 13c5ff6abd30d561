"""Turns among accounts, by thousands of made-up crowds: each is served, none gains by numbers, nothing is left."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.runtime.limits import FairPlaces, FairQueue

accounts = st.integers(0, 5)
crowds = st.lists(accounts, max_size=60)


def everybody(_: int) -> bool:
    return True


def crowd(joining: list[int]) -> FairQueue[int]:
    turns: FairQueue[int] = FairQueue()
    for ticket, account in enumerate(joining):
        turns.join(account, ticket)
    return turns


def drained(turns: FairQueue[int]) -> list[tuple[int, int]]:
    order = []
    while (turn := turns.next(everybody)) is not None:
        order.append(turn)
    return order


@given(crowds)
def test_everybody_has_one_turn_and_an_accounts_own_come_in_their_order(joining: list[int]) -> None:
    order = drained(crowd(joining))
    assert sorted(ticket for _, ticket in order) == list(range(len(joining)))
    for account in set(joining):
        own = [ticket for of, ticket in order if of == account]
        assert own == [ticket for ticket, of in enumerate(joining) if of == account]


@given(crowds)
def test_while_two_accounts_wait_neither_is_more_than_one_turn_ahead(joining: list[int]) -> None:
    left, had = Counter(joining), Counter[int]()
    for account, _ in drained(crowd(joining)):
        had[account] += 1
        waiting = [each for each in left if had[each] < left[each]]
        assert all(had[account] - had[each] <= 1 for each in waiting)


@given(crowds, accounts, st.lists(accounts, max_size=60))
def test_nobody_starves_however_many_come_meanwhile(before: list[int], account: int, after: list[int]) -> None:
    """With new waiters, of old and new accounts, joining at every turn, one waits for each account ahead of it once."""
    turns = crowd([each for each in before if each != account])
    ahead = len(set(before) - {account})
    turns.join(account, -1)
    waited = 0
    for number in range(ahead + 1):
        for position, each in enumerate(after):
            turns.join(each if each != account else 100 + number, 1000 + number * 100 + position)
        turn = turns.next(everybody)
        assert turn is not None
        if turn[1] == -1:
            break
        waited += 1
    assert waited <= ahead


@given(st.lists(st.tuples(st.sampled_from(["join", "leave", "next"]), accounts, st.integers(0, 20)), max_size=80))
def test_whoever_leaves_is_forgotten(steps: list[tuple[str, int, int]]) -> None:
    turns: FairQueue[int] = FairQueue()
    waiting: set[tuple[int, int]] = set()
    for what, account, ticket in steps:
        if what == "join" and (account, ticket) not in waiting:
            turns.join(account, ticket)
            waiting.add((account, ticket))
        elif what == "leave":
            turns.leave(account, ticket)
            waiting.discard((account, ticket))
        elif what == "next":
            turn = turns.next(everybody)
            assert (turn in waiting) if waiting else turn is None
            waiting.discard(turn or (-1, -1))
        assert len(turns) == len(waiting)
    assert set(drained(turns)) == waiting
    assert turns.__dict__ == FairQueue().__dict__


@given(crowds, st.sets(accounts))
def test_who_may_not_is_passed_over_and_keeps_its_place(joining: list[int], barred: set[int]) -> None:
    turns = crowd(joining)
    order = []
    while (turn := turns.next(lambda account: account not in barred)) is not None:
        order.append(turn)
    assert {account for account, _ in order} == set(joining) - barred
    assert len(turns) == sum(account in barred for account in joining)


def test_a_ticket_waits_once() -> None:
    turns = crowd([1])
    with pytest.raises(ValueError, match="waits already"):
        turns.join(1, 0)


def places(most: int, most_of_one: int) -> FairPlaces[int]:
    """Places without anything of their own: each is its account's number."""
    return FairPlaces(most, most_of_one, lambda account: account)


async def test_places_are_kept_though_waiters_give_up() -> None:
    slots = places(2, 1)
    assert await slots.take(1, slots.free) == 1
    for account in (1, 3):
        gave_up = asyncio.create_task(slots.take(account, slots.free))
        await asyncio.sleep(0)
        gave_up.cancel()
        await asyncio.gather(gave_up, return_exceptions=True)
        if account == 1:
            await slots.take(2, slots.free)
    slots.free(1)
    slots.free(2)
    for account in (1, 2):
        await asyncio.wait_for(slots.take(account, slots.free), 5)
    assert not slots.queue


async def test_a_place_given_to_a_waiter_that_gives_up_in_that_moment_is_handed_on() -> None:
    slots = places(1, 1)
    await slots.take(1, slots.free)
    gave_up = asyncio.create_task(slots.take(2, slots.free))
    await asyncio.sleep(0)
    # In one turn of the loop: served, and cancelled before it has run.
    slots.free(1)
    gave_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gave_up
    await asyncio.wait_for(slots.take(3, slots.free), 5)


async def test_accounts_that_wait_are_served_one_after_the_other() -> None:
    slots, order = places(1, 1), list[int]()
    await slots.take(9, slots.free)

    async def one(account: int) -> None:
        await slots.take(account, slots.free)
        order.append(account)
        slots.free(account)

    waiting = [asyncio.create_task(one(account)) for account in (1, 1, 1, 2, 3)]
    await asyncio.sleep(0)
    slots.free(9)
    await asyncio.gather(*waiting)
    assert order == [1, 2, 3, 1, 1]


async def test_what_else_is_short_closes_the_places_until_they_are_served_again() -> None:
    is_open = False
    slots = FairPlaces(5, 2, str, lambda: is_open)
    waiting = [
        asyncio.create_task(slots.take(account, lambda place: slots.free(int(place)))) for account in (1, 1, 1, 2)
    ]
    await asyncio.sleep(0)
    assert (len(slots.queue), slots.may_have(3)) == (4, False)
    is_open = True
    slots.serve()
    assert [await task for task in (waiting[0], waiting[1], waiting[3])] == ["1", "1", "2"]
    assert (len(slots.queue), slots.may_have(1), slots.may_have(3)) == (1, False, True)
    slots.free(1)
    assert await waiting[2] == "1"
