"""Task sets: cancelling without waiting, and tasks that are begun by the end of others."""

import asyncio

from node.runtime.tasks import TaskSet


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
