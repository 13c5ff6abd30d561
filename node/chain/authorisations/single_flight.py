"""One reading at a time of the same thing, shared by all who ask for it."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs coroutines by key; one is not cancelled with whoever waits for it."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[Result]] = {}

    async def run(
        self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]], acceptable: Callable[[Result], bool]
    ) -> Result:
        """The result of a run begun after this call, or, when it is `acceptable`, of the one that was running already.

        Raises what the run raised that this call waited for.
        """
        running = self._running.get(key)
        if running is not None:
            result = await asyncio.shield(running)
            if acceptable(result):
                return result
        # Whatever runs now was begun after the first one ended, and so after this call came.
        running = self._running.get(key) or self._begin(key, begin)
        return await asyncio.shield(running)

    def _begin(self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]]) -> asyncio.Task[Result]:
        async def run() -> Result:
            try:
                return await begin()
            finally:
                # Here and not in a callback: who waits must not find it running when it has ended.
                del self._running[key]

        task = self._running[key] = asyncio.create_task(run())
        return task
