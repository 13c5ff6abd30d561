"""Shares of the event loop's processor time: who waits for one costs nobody anything."""

import asyncio

import pytest

from node.runtime import processor_time
from node.runtime.processor_time import ClientTime, ProcessorShares

MANY = 200


async def waiting(client: ClientTime, order: list[int]) -> list[asyncio.Task[None]]:
    """Pieces of a client whose share is used up, each of which notes its number when its turn has come."""

    async def piece(number: int) -> None:
        await client.turn()
        order.append(number)

    client.spend(0.01)
    tasks = [asyncio.create_task(piece(number)) for number in range(MANY)]
    await asyncio.sleep(0)
    return tasks


async def test_pieces_of_a_client_take_turns_in_order_and_only_the_next_watches_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Were all of them to wake for each piece, a thousand connections of one address would fill the event loop."""
    monkeypatch.setattr(processor_time, "BURST_S", 1e-9)
    monkeypatch.setattr(processor_time, "TURN_S", 0.0002)
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return asyncio.get_running_loop().time()

    order: list[int] = []
    await asyncio.gather(*await waiting(ProcessorShares(clock).of("a client"), order))
    assert order == list(range(MANY))
    assert looks < 20 * MANY


async def test_who_stops_waiting_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "BURST_S", 1e-9)
    monkeypatch.setattr(processor_time, "TURN_S", 0.0)
    shares, order = ProcessorShares(), list[int]()
    client = shares.of("a client")
    tasks = await waiting(client, order)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == list(range(1, MANY, 2))
    assert not client.must_wait
