"""One value that is fetched once however many ask for it, and reused for a while."""

from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

from node.runtime.single_flight import SingleFlight

Value = TypeVar("Value")

_ONLY: None = None


class TtlCache(Generic[Value]):
    """Caches what `fetch` returns for `max_age_s` seconds. `monotonic` is a clock in seconds.

    Callers that come during a fetch wait for it. A caller that is cancelled does not cancel the fetch.
    """

    def __init__(
        self, fetch: Callable[[], Coroutine[None, None, Value]], max_age_s: float, monotonic: Callable[[], float]
    ) -> None:
        self._fetch = fetch
        self._max_age_s = max_age_s
        self._monotonic = monotonic
        self._flight: SingleFlight[Value] = SingleFlight()
        self._fetched: tuple[float, Value] | None = None

    @property
    def latest(self) -> Value | None:
        """The value fetched last, however old; None before the first."""
        return None if self._fetched is None else self._fetched[1]

    async def get(self) -> Value:
        """Return the cached value, or fetch it. Raises what `fetch` raises; an error is not cached."""
        if self._fetched is not None and self._monotonic() - self._fetched[0] < self._max_age_s:
            return self._fetched[1]
        return await self._flight.run(_ONLY, self._refresh, lambda _: True)

    async def _refresh(self) -> Value:
        value = await self._fetch()
        self._fetched = (self._monotonic(), value)
        return value
