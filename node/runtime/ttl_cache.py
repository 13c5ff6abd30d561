"""Caches a value that is fetched once for all callers, and reused for a while."""

from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

from node.runtime.single_flight import SingleFlight

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
