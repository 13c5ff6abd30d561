"""A block that is ended from outside raises what it was ended with; a task that is cancelled stays cancelled."""

import asyncio

import pytest

from node.runtime.cancel_scope import CancelScope


class EndedError(Exception):
    """What the block is ended with."""


async def waiting(interruption: CancelScope, inside: asyncio.Event) -> None:
    with interruption:
        inside.set()
        await asyncio.get_running_loop().create_future()


async def test_what_waits_inside_is_ended_with_the_first_error_and_the_task_goes_on() -> None:
    interruption, inside = CancelScope(), asyncio.Event()

    async def recovering() -> int:
        with pytest.raises(EndedError, match="first"):
            await waiting(interruption, inside)
        await asyncio.sleep(0)  # a cancellation that was left over would come here
        return asyncio.current_task().cancelling()  # type: ignore[union-attr]  # inside a task there is one

    task = asyncio.create_task(recovering())
    await inside.wait()
    interruption.end(EndedError("first"))
    interruption.end(EndedError("second"))
    assert await task == 0


async def test_one_that_was_ended_before_never_begins() -> None:
    interruption, inside = CancelScope(), asyncio.Event()
    interruption.end(EndedError())
    with pytest.raises(EndedError):
        await waiting(interruption, inside)
    assert not inside.is_set()


async def test_one_that_ended_by_itself_is_left_alone() -> None:
    interruption = CancelScope()
    with interruption:
        await asyncio.sleep(0)
    interruption.end(EndedError())
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_ended_from_inside_it_raises_and_cancels_no_later_wait() -> None:
    interruption = CancelScope()
    with pytest.raises(EndedError), interruption:
        interruption.end(EndedError())
    await asyncio.sleep(0)
    await asyncio.sleep(0)


@pytest.mark.parametrize("cancelled_first", [True, False])
async def test_a_task_that_is_cancelled_too_stays_cancelled(cancelled_first: bool) -> None:
    interruption, inside = CancelScope(), asyncio.Event()
    task = asyncio.create_task(waiting(interruption, inside))
    await inside.wait()
    if cancelled_first:
        task.cancel()
    interruption.end(EndedError())
    if not cancelled_first:
        asyncio.get_running_loop().call_soon(task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_one_block_ends_inside_another() -> None:
    outer, inner, inside = CancelScope(), CancelScope(), asyncio.Event()

    async def nested() -> str:
        try:
            with outer:
                try:
                    await waiting(inner, inside)
                except EndedError:
                    return "inner"
        except EndedError:
            return "outer"
        return "neither"

    task = asyncio.create_task(nested())
    await inside.wait()
    outer.end(EndedError())
    assert await task == "outer"


async def test_an_error_of_the_blocks_own_is_not_replaced() -> None:
    interruption = CancelScope()

    async def failing() -> None:
        with interruption:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                raise ValueError("its own")

    task = asyncio.create_task(failing())
    await asyncio.sleep(0)
    interruption.end(EndedError())
    with pytest.raises(ValueError, match="its own"):
        await task
