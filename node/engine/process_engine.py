"""The engine of one process per action, forked from a zygote (design A of engine.md)."""

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from node.engine.child_process import ChildProcess
from node.engine.limits import EngineLimits
from node.engine.pool import ChildPool
from node.engine.port import ActionJob, ActionOutcome, HostCalls, StopReason
from node.engine.session import Session
from node.engine.spawn import Spawner
from node.errors import ErrorCode, NodeError


class ProcessEngine:
    """An `Engine`. Use as an async context manager: on leaving it no process is left.

    `clock` counts seconds and decides `duration_ms` alone; limits run on the event loop's time.
    """

    def __init__(
        self,
        limits: EngineLimits | None = None,
        *,
        spawner: Spawner | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits or EngineLimits()
        self._spawner = spawner or Spawner(self._limits)
        self._pool = ChildPool(self._spawner.spawn, self._limits.idle_children)
        self._clock = clock
        self._running = 0

    async def __aenter__(self) -> Self:
        """Start the idle children. Raises NodeError `runner_unavailable` when the sandbox cannot be set up here."""
        try:
            await self._pool.fill()
        except NodeError:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def check(self) -> None:
        """Pass when a child can be had. Raises NodeError `runner_unavailable`."""
        await self._pool.probe()

    @property
    def isolation(self) -> tuple[str, ...]:
        """Optional measures in force beside limits, no new privileges and the call filter: namespaces, `landlock`."""
        return self._spawner.measures

    @property
    def running(self) -> int:
        """Actions running now."""
        return self._running

    async def run(
        self, job: ActionJob, host: HostCalls, stop: "asyncio.Future[StopReason]", dispatched: Callable[[], None]
    ) -> ActionOutcome:
        """Run one action in a child of its own; see `Engine.run`. Raises `too_many_requests` at the node's limit."""
        if self._running >= self._limits.concurrent_max:
            raise NodeError(ErrorCode.TOO_MANY_REQUESTS, "The node runs as many actions as it can.", retry_after_s=1)
        self._running += 1
        try:
            child = await self._pool.take()
            dispatched()
            return await self._run_in(child, job, host, stop)
        finally:
            self._running -= 1

    async def _run_in(
        self, child: ChildProcess, job: ActionJob, host: HostCalls, stop: "asyncio.Future[StopReason]"
    ) -> ActionOutcome:
        started = self._clock()
        session = Session(child, host, self._limits)
        try:
            response, error = await session.run(job, stop)
        finally:
            await self._pool.discard(child)
        return ActionOutcome(response, session.logs.text, error, (self._clock() - started) * 1000)

    async def _close(self) -> None:
        await self._pool.close()
        await self._spawner.close()
