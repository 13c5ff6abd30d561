"""Runs the watcher until the end, whatever happens to it, and shows its state in /health and to Prometheus."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from typing import NoReturn, Protocol

import structlog
from prometheus_client import CollectorRegistry, Gauge

from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.watcher import LookResult, SyncProgress
from node.errors import NodeError
from node.runtime.backoff import Backoff

_log = structlog.get_logger(__name__)


class Watcher(Protocol):
    """Looks step by step."""

    @property
    def progress(self) -> SyncProgress:
        """The last settled block and the head that was seen."""
        ...

    async def look(self) -> LookResult:
        """Look once. Raises NodeError."""
        ...


class DepositRunner:
    """Runs a watcher while its context is open. `clock` is monotonic seconds."""

    def __init__(
        self, watcher: Watcher, limits: TokenLimits, clock: Callable[[], float], registry: CollectorRegistry
    ) -> None:
        self._watcher = watcher
        self._limits = limits
        self._clock = clock
        self._backoff = Backoff(limits.token_backoff_min_s, limits.token_backoff_max_s)
        self._woken = asyncio.Event()
        self._well_at = clock()
        self._catching_up = False
        self._why: str | None = None
        self._show(registry)

    def wake(self) -> None:
        """There may be a new head: look now, unless the last look failed."""
        self._woken.set()

    def problem(self) -> str | None:
        """The reason why deposits are not being credited; None while they are. Holds no URL."""
        lag_s = self._clock() - self._well_at
        if lag_s <= self._limits.token_stalled_after_s:
            return None
        if self._why is None and self._catching_up:
            return "token deposits are being caught up with; some are credited later"
        why = self._why or "the chain has not answered yet"
        return f"token deposits have not been looked for in {lag_s:.0f} s and wait: {why}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Begin to watch; on leaving, the task has ended."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> NoReturn:
        while True:
            self._woken.clear()
            try:
                progress = await self._watcher.look()
            except NodeError as error:
                await self._failed(error.message)
            except Exception as error:  # noqa: BLE001 - whatever it is, deposits are looked for again
                await self._failed(type(error).__name__)
            else:
                await self._looked(progress)

    async def _failed(self, why: str) -> None:
        if self._why is None:
            _log.warning("deposits_not_read", why=why)
        self._why = why
        await asyncio.sleep(self._backoff.failed())

    async def _looked(self, progress: LookResult) -> None:
        if self._why is not None:
            _log.info("deposits_read_again")
        self._why = None
        self._backoff.succeeded()
        self._catching_up = progress is LookResult.MORE
        await asyncio.sleep(self._limits.token_wake_min_s)
        if progress is LookResult.MORE:
            return
        self._well_at = self._clock()
        # Not asyncio.wait_for: in Python 3.11 it swallows a cancellation that comes with a wake.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.token_poll_s):
                await self._woken.wait()

    def _show(self, registry: CollectorRegistry) -> None:
        """To Prometheus; what is not known yet is NaN."""
        lag = Gauge("svc_token_deposits_lag_seconds", "Since deposits were last read to the head.", registry=registry)
        lag.set_function(lambda: self._clock() - self._well_at)
        settled = Gauge(
            "svc_token_deposits_settled_block", "The last block whose deposits are final.", registry=registry
        )
        settled.set_function(lambda: _number(self._watcher.progress.settled_number))
        head = Gauge("svc_token_deposits_head_block", "The head deposits were last read up to.", registry=registry)
        head.set_function(lambda: _number(self._watcher.progress.head_number))


def _number(number: int | None) -> float:
    return math.nan if number is None else number
