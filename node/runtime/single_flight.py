"""Runs the same work once at a time, shared by all callers."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs coroutines by key, at most one of each key at a time. A run is not cancelled with a caller that waits for it."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[Result]] = {}

    async def run(
        self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]], acceptable: Callable[[Result], bool]
    ) -> Result:
        """Return the result of a run that began after this call, or of the one under way if it is `acceptable`.

        Raises what that run raised.
        """
        running = self._running.get(key)
        if running is not None:
            result = await asyncio.shield(running)
            if acceptable(result):
                return result
        # A run that is under way now began after the first one ended, and so after this call.
        running = self._running.get(key) or self._begin(key, begin)
        return await asyncio.shield(running)

    async def stop(self) -> None:
        """Cancel every run and wait for its end."""
        running = tuple(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _begin(self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]]) -> asyncio.Task[Result]:
        async def run() -> Result:
            try:
                return await begin()
            finally:
                # Not in a done callback: a waiter is woken before callbacks added later run, and must not find it here.
                del self._running[key]

        task = self._running[key] = asyncio.create_task(run())
        task.add_done_callback(_mark_exception_retrieved)
        return task


def _mark_exception_retrieved(task: asyncio.Task[Result]) -> None:
    """Keep asyncio from reporting the error of a run whose callers were all cancelled."""
    if not task.cancelled():
        task.exception()
