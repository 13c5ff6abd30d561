"""Work shared by all callers: one run at a time by key, and a cached value."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs coroutines, at most one for each key at a time. A cancelled caller cancels no run."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[Result]] = {}

    async def run(
        self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]], acceptable: Callable[[Result], bool]
    ) -> Result:
        """Returns the result of a run that began after this call, or an earlier `acceptable` one.

        Raises the error of that run.
        """
        running = self._running.get(key)
        if running is not None:
            # Shielded, since other callers may wait for this run after this caller is cancelled.
            result = await asyncio.shield(running)
            if acceptable(result):
                return result
        # A run under way now began after the first one ended, so after this call.
        running = self._running.get(key) or self._begin(key, begin)
        return await asyncio.shield(running)

    async def stop(self) -> None:
        """Cancels every run and waits for its end."""
        running = tuple(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _begin(self, key: Hashable, begin: Callable[[], Coroutine[None, None, Result]]) -> asyncio.Task[Result]:
        async def run() -> Result:
            try:
                return await begin()
            finally:
                # A done callback comes too late: a waiter wakes before it and would find the run.
                del self._running[key]

        task = self._running[key] = asyncio.create_task(run())
        task.add_done_callback(_mark_exception_retrieved)
        return task


def _mark_exception_retrieved(task: asyncio.Task[Result]) -> None:
    """Prevents asyncio from logging a run's error after all its callers were cancelled."""
    if not task.cancelled():
        task.exception()


Value = TypeVar("Value")

_ONLY: None = None


class TtlCache(Generic[Value]):
    """Caches the result of `fetch` for `max_age_s` seconds. `monotonic` is a clock in seconds.

    Callers that come during a fetch wait for it. Cancelling a caller does not cancel the fetch. An
    error of the kinds `errors` is cached for `error_max_age_s` seconds; other errors are not.
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
        """The value fetched last, of any age; None before the first."""
        return None if self._fetched is None else self._fetched[1]

    def age_s(self) -> float | None:
        """Returns the age of the value fetched last; None before the first."""
        return None if self._fetched is None else self._monotonic() - self._fetched[0]

    async def get(self) -> Value:
        """Returns the cached value, raises the cached error, or fetches and raises its errors."""
        now = self._monotonic()
        if self._fetched is not None and now - self._fetched[0] < self._max_age_s:
            return self._fetched[1]
        if self._failed is not None and now - self._failed[0] < self._error_max_age_s:
            raise self._failed[1].with_traceback(None)  # or each raise would lengthen the traceback
        return await self._flight.run(_ONLY, self._refresh, lambda _: True)

    async def close(self) -> None:
        """Cancels the fetch under way."""
        await self._flight.stop()

    async def _refresh(self) -> Value:
        # The age counts from before the fetch, since the source may change while it is read.
        began_at = self._monotonic()
        try:
            value = await self._fetch()
        except self._errors as error:
            self._failed = (self._monotonic(), error)
            raise
        self._fetched, self._failed = (began_at, value), None
        return value
