"""Work that all callers share: one run at a time, and a cached value that is fetched once for all."""

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
            # Shielded: whoever else waits for this run must not lose it with this caller.
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


Value = TypeVar("Value")

_ONLY: None = None


class TtlCache(Generic[Value]):
    """Caches what `fetch` returns for `max_age_s` seconds. `monotonic` is a clock in seconds.

    Callers that come during a fetch wait for it. A caller that is cancelled does not cancel the fetch. An error of
    kind `errors` is raised again for `error_max_age_s` seconds; no other error is cached.
    """

    def __init__(
        self,
        fetch: Callable[[], Coroutine[None, None, Value]],
        max_age_s: float,
        monotonic: Callable[[], float],
        *,
        errors: type[Exception] | tuple[type[Exception], ...] = (),
        error_max_age_s: float = 0.0,
    ) -> None:
        self._fetch = fetch
        self._max_age_s = max_age_s
        self._monotonic = monotonic
        self._errors = errors
        self._error_max_age_s = error_max_age_s
        self._flight: SingleFlight[Value] = SingleFlight()
        self._fetched: tuple[float, Value] | None = None
        self._failed: tuple[float, Exception] | None = None

    @property
    def latest(self) -> Value | None:
        """The value fetched last, however old; None before the first."""
        return None if self._fetched is None else self._fetched[1]

    def age_s(self) -> float | None:
        """Returns the age of the value fetched last; None before the first."""
        return None if self._fetched is None else self._monotonic() - self._fetched[0]

    async def get(self) -> Value:
        """Return the cached value or raise the cached error; fetch when there is neither. Raises what `fetch` raises."""
        now = self._monotonic()
        if self._fetched is not None and now - self._fetched[0] < self._max_age_s:
            return self._fetched[1]
        if self._failed is not None and now - self._failed[0] < self._error_max_age_s:
            raise self._failed[1].with_traceback(None)  # Raised often: each time would add to its traceback.
        return await self._flight.run(_ONLY, self._refresh, lambda _: True)

    async def close(self) -> None:
        """Cancel the fetch under way."""
        await self._flight.stop()

    async def _refresh(self) -> Value:
        # The age counts from before the fetch: the source may change while it is read.
        began_at = self._monotonic()
        try:
            value = await self._fetch()
        except self._errors as error:
            self._failed = (self._monotonic(), error)
            raise
        self._fetched, self._failed = (began_at, value), None
        return value
