"""Task sets: cancelling without waiting, and tasks that are begun by the end of others. Threads of cancelled callers."""

import asyncio
import contextlib
import gc
import threading
import weakref
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from node.runtime.processor_time import ProcessorShares
from node.runtime.tasks import TaskSet, in_thread


async def test_cancelled_tasks_end_later_and_may_clean_up() -> None:
    tasks, cleaned = TaskSet("test"), list[int]()

    async def work(number: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(number)

    for number in range(3):
        tasks.start(work(number))
    await asyncio.sleep(0)
    tasks.cancel()
    assert (len(tasks), cleaned) == (3, [])
    await tasks.drain()
    assert (len(tasks), sorted(cleaned)) == (0, [0, 1, 2])


async def test_a_callback_at_the_end_of_a_task_no_longer_counts_it() -> None:
    tasks, seen = TaskSet("test"), list[int]()

    async def work() -> None:
        await asyncio.sleep(0)

    tasks.begin(work()).add_done_callback(lambda _: seen.append(len(tasks)))
    await tasks.drain()
    assert seen == [0]


class Work:
    """Work of a thread, which goes on until it `may_end`."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.has_ended = False

    def __call__(self) -> str:
        self.begun.set()
        assert self.may_end.wait(20)
        self.has_ended = True
        return "done"


@pytest.fixture
async def one_thread() -> AsyncIterator[None]:
    with ThreadPoolExecutor(1) as executor:
        asyncio.get_running_loop().set_default_executor(executor)
        yield


async def begun(work: Work) -> None:
    """Wait in a thread of the test's own: the loop has but one."""
    with ThreadPoolExecutor(1) as executor:
        await asyncio.get_running_loop().run_in_executor(executor, work.begun.wait, 20)


@pytest.mark.usefixtures("one_thread")
async def test_a_cancelled_caller_waits_until_its_thread_has_ended() -> None:
    work = Work()
    caller = asyncio.create_task(in_thread(work))
    await begun(work)
    for _ in range(3):
        caller.cancel()
        await asyncio.sleep(0)
    assert not caller.done()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert work.has_ended


@pytest.mark.usefixtures("one_thread")
async def test_work_of_a_cancelled_caller_is_left_out_where_no_thread_has_begun_it() -> None:
    first, second = Work(), Work()
    calls = [asyncio.create_task(in_thread(work)) for work in (first, second)]
    await begun(first)
    calls[1].cancel()
    # Only now does it learn of it: the thread must not be quicker.
    await asyncio.sleep(0)
    first.may_end.set()
    assert await calls[0] == "done"
    with pytest.raises(asyncio.CancelledError):
        await calls[1]
    assert not second.begun.is_set()


async def test_the_processor_time_of_a_client_that_has_gone_is_counted() -> None:
    work, spent = Work(), list[float]()
    caller = asyncio.create_task(ProcessorShares().of("a client", spent.append).in_thread(work))
    await begun(work)
    caller.cancel()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert spent[0] > 0


async def test_work_that_fails_in_a_thread_is_freed_at_once() -> None:
    """A reference circle with a body of 10 MiB would stay until the collector runs."""

    class Failing:
        def __call__(self) -> None:
            raise ValueError

    async def fail() -> "weakref.ref[Failing]":
        work = Failing()
        with contextlib.suppress(ValueError):
            await in_thread(work)
        return weakref.ref(work)

    gc.disable()
    try:
        seen = await fail()
        # The executor's thread lets go of its last piece of work when it takes the next.
        await in_thread(int)
        assert seen() is None
    finally:
        gc.enable()
