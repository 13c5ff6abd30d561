"""The engine. Workers of one program are forked from a zygote and run each action (ADR 22)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Final, Self

from node.engine.admission.admission import Admission
from node.engine.errors import ActionProcessLostError, EngineStoppingError, EngineUnavailableError
from node.engine.frames import json_text
from node.engine.port import ActionJob, ActionOutcome, HostCalls, StopReason
from node.engine.session import Session
from node.engine.worker_process import Loss, Worker
from node.engine.workers import Workers
from node.engine.zygotes import Spawner
from node.errors import DomainError
from node.runtime.processor_time import ProcessorShares
from node.settings.execution import ActionSettings

_SWEEP_S: Final = 0.1
"""Interval of sweeps over workers, which set priorities and end the unneeded ones."""


class ProcessEngine:
    """An `Engine`. Its async context manager ends all processes at exit.

    `clock` is monotonic seconds for `duration_ms` only. Limits use the event loop's time.
    """

    def __init__(
        self,
        settings: ActionSettings | None = None,
        *,
        spawner: Spawner | None = None,
        admission: Admission | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings or ActionSettings()
        self._spawner = spawner or Spawner(self._settings)
        self._admission = admission or Admission(self._settings)
        self._gate, self._guard = self._admission.gate, self._admission.guard
        self._workers = Workers(self._start_worker, self._admission, self._settings)
        self._guard.give_back = self._workers.give_back_idle
        self._admission.metrics.watch_workers(lambda: self._workers.counts)
        self._clock = clock
        self._shares = ProcessorShares()
        self._swept_at = 0.0

    async def __aenter__(self) -> Self:
        """Starts the spare workers. Raises EngineUnavailableError if the sandbox fails here."""
        try:
            # At startup, so that a node whose sandbox does not work does not start.
            await self._workers.fill()
        except DomainError:
            await self._close()
            raise
        self._admission.start(self._sweep)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def check(self) -> None:
        """Checks that a worker can be started. Raises EngineUnavailableError."""
        await self._workers.probe()

    @property
    def isolation(self) -> tuple[str, ...]:
        """Optional measures in force, which are namespaces and `landlock`."""
        return self._spawner.measures

    @property
    def strain(self) -> str | None:
        """Health problem for the operator; None if there is none."""
        return self._admission.health_problem

    @property
    def running(self) -> int:
        """Number of actions that were admitted and have not ended."""
        return self._gate.running

    @property
    def waiting(self) -> int:
        """Number of actions that wait to be admitted."""
        return self._gate.waiting

    async def run(
        self,
        job: ActionJob,
        host: HostCalls,
        stop: "asyncio.Future[StopReason]",
        dispatched: Callable[[], None],
        commit: Callable[[], Awaitable[None]] | None = None,
    ) -> ActionOutcome:
        """Runs one action in a worker of its program, once it is admitted; see `Engine.run`."""
        # Admission first, so that a waiting action has no process.
        place = await self._gate.enter(job.account)
        try:
            if self._shares.must_wait(job.account):
                await self._shares.turn(job.account)
            if commit is not None:
                await commit()
            worker = self._workers.at_hand((job.account, job.cid)) or await self._bind(job)
            # No await may come between the two, since the worker is free only now.
            dispatched()
            started = self._clock()
            session = Session(worker, host, self._settings, self._shares, partial(self._gate.to_background, place))
            ending = await session.run(job, stop)
            ran_s = self._clock() - started
        finally:
            self._gate.leave(place)
        if isinstance(ending, Loss):
            raise self._lost(ending)
        response, error = ending
        return ActionOutcome(response, session.logs.text, error, ran_s * 1000)

    async def _bind(self, job: ActionJob) -> Worker:
        """Returns a new worker for a program. Raises EngineUnavailableError."""
        share = self._shares.of(job.account)
        await share.turn()
        began_s = time.thread_time()
        program = json_text(job.code).encode()
        share.spend(time.thread_time() - began_s)
        return await self._workers.bind((job.account, job.cid), program, share)

    async def _start_worker(self) -> Worker:
        worker = await self._spawner.spawn()
        # Before its first action, to tell inherited memory from that of actions.
        self._guard.watch(worker)
        return worker

    def _sweep(self) -> None:
        """Sets every worker's priority and ends unneeded workers."""
        now = time.monotonic()
        if now - self._swept_at >= _SWEEP_S:
            self._swept_at = now
            self._admission.priorities.look(self._workers.bound)
            self._workers.sweep()

    def _lost(self, loss: Loss) -> EngineUnavailableError:
        if loss is Loss.MEMORY:
            return self._admission.short_of_memory()
        if loss is Loss.CLOSED:
            return EngineStoppingError()
        return ActionProcessLostError()

    async def _close(self) -> None:
        # Stop the sweep first, or it would measure workers that are being ended.
        await self._admission.close()
        await self._workers.close()
        await self._spawner.close()
