"""The zygote in service: replaced when it dies, and before it grows old; there is at most one more being started."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine

import structlog

from node.engine.limits import WorkerLimits
from node.engine.zygote_process import ZygoteError, ZygoteProcess

_log = structlog.get_logger(__name__)


class Zygotes:
    """Keeps one zygote ready. `start` makes one, `clock` counts seconds; made inside a running event loop."""

    def __init__(
        self,
        start: Callable[[], Awaitable[ZygoteProcess]],
        age_max_s: float,
        limits: WorkerLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._start = start
        self._age_max_s = age_max_s
        self._limits = limits
        self._clock = clock
        self._current: ZygoteProcess | None = None
        self._born = 0.0
        self._starting: asyncio.Task[None] | None = None
        self._attempts = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def current(self) -> ZygoteProcess | None:
        """The one in service, which may have died since."""
        return self._current

    async def get(self) -> ZygoteProcess:
        """One that lives, as far as is known; waits for a start that is under way. Raises ZygoteError when it fails."""
        while self._current is None or not self._current.alive:
            await asyncio.shield(self._renew())
        if self._worn(self._current):
            _ = self._renew()
        return self._current

    async def close(self) -> None:
        """End it, and wait for every one that was replaced."""
        if self._starting is not None:
            self._starting.cancel()
        if self._current is not None:
            self._current.kill()
            await self._current.close(self._limits.start_timeout_s)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _worn(self, zygote: ZygoteProcess) -> bool:
        too_old = self._clock() - self._born >= self._age_max_s
        return too_old or zygote.forks >= self._limits.zygote_forks_max

    def _renew(self) -> "asyncio.Task[None]":
        if self._starting is None:
            self._starting = self._in_background(self._replace())
        return self._starting

    async def _replace(self) -> None:
        """One attempt, shared by everybody who waits; the later, the more there were that came to nothing."""
        try:
            await asyncio.sleep(self._delay_s())
            self._attempts += 1
            fresh = await self._start()
        except (ZygoteError, TimeoutError) as error:
            reason = str(error) or repr(error)
            _log.error("zygote_not_started", reason=reason, attempts=self._attempts)
            raise ZygoteError(reason) from error
        finally:
            self._starting = None
        old, self._current, self._born = self._current, fresh, self._clock()
        _log.info("zygote_started", measures=fresh.measures)
        if old is not None:
            _ = self._in_background(old.close(self._limits.start_timeout_s))

    def _delay_s(self) -> float:
        longest = self._limits.zygote_restart_delay_max_s
        if self._current is not None and self._clock() - self._born >= longest:
            self._attempts = 0
        if self._attempts == 0:
            return 0.0
        return min(self._limits.zygote_restart_delay_s * 2.0 ** min(self._attempts - 1, 30), longest)

    def _in_background(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Who waited has it; of a replacement ahead of time nobody has to know.
            task.exception()
