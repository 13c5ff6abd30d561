"""The queue makes one quote at a time, and every wait ends.

Both hold while other callers ask, are cancelled or fail.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from attest.errors import AttestError, AttestErrorCode
from attest.quote_queue import QuoteQueue
from attest.settings import GuestAgentSettings
from tests.support.quotes import QuotePlatform

TURNS = 1_000
"""Turns of the event loop after which everybody who was begun waits."""


@pytest.fixture
def platform() -> QuotePlatform:
    return QuotePlatform()


@pytest.fixture
async def queue(platform: QuotePlatform) -> AsyncIterator[QuoteQueue]:
    made = QuoteQueue(platform, GuestAgentSettings(quote_places=3), time.monotonic)
    yield made
    await made.close()


def data(number: int) -> bytes:
    return number.to_bytes(64, "big")


async def _waiting(queue: QuoteQueue, count: int) -> None:
    for _ in range(TURNS):
        if queue.waiting == count:
            return
        await asyncio.sleep(0)  # a turn of the loop each, no time
    raise AssertionError(f"{queue.waiting} wait, not {count}")


async def test_quotes_are_made_one_at_a_time_in_order(queue: QuoteQueue, platform: QuotePlatform) -> None:
    quotes = await asyncio.gather(*(queue.quote(data(number)) for number in range(4)))
    assert [quote.report_data for quote in quotes] == [data(number) for number in range(4)] == platform.asked
    assert platform.most_at_once == 1


async def test_beyond_its_places_everybody_is_sent_away_at_once(queue: QuoteQueue, platform: QuotePlatform) -> None:
    platform.hold()
    asking = [asyncio.create_task(queue.quote(data(number))) for number in range(200)]
    await platform.begun(1)
    await _waiting(queue, 3)
    refused = [task for task in asking if task.done()]
    assert len(refused) == 200 - 1 - 3
    for task in refused:
        error = task.exception()
        assert isinstance(error, AttestError)
        assert error.code is AttestErrorCode.BUSY
        # The second that a quote is thought to take, for the one under way and each that waits: sooner would be in vain.
        assert error.retry_after_s == 1 + 3
    platform.release()
    assert (
        len(
            [
                quote
                for quote in await asyncio.gather(*asking, return_exceptions=True)
                if not isinstance(quote, AttestError)
            ]
        )
        == 4
    )
    assert platform.most_at_once == 1


async def test_the_node_itself_passes_everybody_and_is_never_sent_away(
    queue: QuoteQueue, platform: QuotePlatform
) -> None:
    platform.hold()
    clients = [asyncio.create_task(queue.quote(data(number))) for number in range(4)]
    await _waiting(queue, 3)
    own = [asyncio.create_task(queue.own_quote(data(100 + number))) for number in range(5)]
    await _waiting(queue, 8)
    platform.release()
    await asyncio.gather(*clients, *own)
    assert platform.asked == [data(number) for number in (0, 100, 101, 102, 103, 104, 1, 2, 3)]


async def test_a_client_that_leaves_gives_up_its_place_but_not_a_quote_under_way(
    queue: QuoteQueue, platform: QuotePlatform
) -> None:
    platform.hold()
    first, second, third = (asyncio.create_task(queue.quote(data(number))) for number in range(3))
    await _waiting(queue, 2)
    for leaving in (first, second):
        leaving.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert queue.waiting == 1
    assert platform.asked == [data(0)], "the platform still makes the first: no other may be begun"
    platform.release()
    assert (await third).report_data == data(2)
    assert platform.asked == [data(0), data(2)]
    assert platform.most_at_once == 1


async def test_a_client_that_leaves_just_as_its_turn_comes_hands_it_on(
    queue: QuoteQueue, platform: QuotePlatform
) -> None:
    platform.hold()
    first, second, third = (asyncio.create_task(queue.quote(data(number))) for number in range(3))
    await _waiting(queue, 2)
    first.add_done_callback(lambda _: second.cancel())
    platform.release()
    assert (await asyncio.wait_for(third, 5)).report_data == data(2)
    assert (await asyncio.wait_for(queue.quote(data(9)), 5)).report_data == data(9)


@pytest.mark.parametrize("whose", ["a client's", "the node's own"])
async def test_a_turn_that_was_handed_to_one_who_leaves_in_that_moment_is_handed_on(
    queue: QuoteQueue, platform: QuotePlatform, whose: str
) -> None:
    """A caller that is cancelled after its wake-up and before it runs must wake the next one."""
    platform.hold()
    first = asyncio.create_task(queue.quote(data(0)))
    await platform.begun(1)
    second = asyncio.create_task(queue.quote(data(1)) if whose == "a client's" else queue.own_quote(data(1)))
    third = asyncio.create_task(queue.quote(data(2)))
    await _waiting(queue, 2)
    making = queue._making
    assert making is not None
    # Behind the queue's own callback, in the same turn of the loop: the second is woken and has not run.
    making.add_done_callback(lambda _: second.cancel())
    platform.release()
    assert (await asyncio.wait_for(third, 5)).report_data == data(2)
    assert second.cancelled()
    assert (await first).report_data == data(0)
    assert platform.asked == [data(0), data(2)]
    assert (await asyncio.wait_for(queue.quote(data(9)), 5)).report_data == data(9)


async def test_a_failure_is_the_failure_of_one(queue: QuoteQueue, platform: QuotePlatform) -> None:
    platform.hold()
    first, second = (asyncio.create_task(queue.quote(data(number))) for number in range(2))
    await _waiting(queue, 1)
    platform.fail(AttestErrorCode.TIMEOUT)
    platform.release()
    with pytest.raises(AttestError):
        await first
    with pytest.raises(AttestError):
        await second
    platform.failure = None
    assert (await queue.quote(data(5))).report_data == data(5)


async def test_nobody_waits_for_a_turn_without_an_end(
    platform: QuotePlatform, queue: QuoteQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attest.quote_queue.TURN_TIMEOUT_S", 0.01)
    platform.hold()
    first = asyncio.create_task(queue.quote(data(0)))
    await platform.begun(1)
    with pytest.raises(AttestError) as refused:
        async with asyncio.timeout(10):
            await queue.quote(data(1))
    assert refused.value.code is AttestErrorCode.BUSY
    assert queue.waiting == 0
    platform.release()
    await first
