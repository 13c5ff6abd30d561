"""The engine of one process per action, forked from a zygote (design A of engine.md)."""

import asyncio
import signal
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from node.engine.admission.admission import Admission, Turn
from node.engine.admission.turn_holder import TurnHolder
from node.engine.child_process import ChildProcess
from node.engine.limits import EngineLimits
from node.engine.pool import ChildPool
from node.engine.port import ActionJob, ActionOutcome, HostCalls, StopReason
from node.engine.session import Ending, Session
from node.engine.spawn import Spawner
from node.errors import NodeError
from node.processor_time import ProcessorShares


class ProcessEngine:
    """An `Engine`. Use as an async context manager: on leaving it no process is left.

    `clock` counts seconds and decides `duration_ms` alone; limits run on the event loop's time.
    """

    def __init__(
        self,
        limits: EngineLimits | None = None,
        *,
        spawner: Spawner | None = None,
        admission: Admission | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits or EngineLimits()
        self._spawner = spawner or Spawner(self._limits)
        self._pool = ChildPool(self._spawner.spawn, self._limits.idle_children)
        self._admission = admission or Admission()
        self._clock = clock
        self._shares = ProcessorShares()

    async def __aenter__(self) -> Self:
        """Start the idle children. Raises NodeError `runner_unavailable` when the sandbox cannot be set up here."""
        try:
            await self._pool.fill()
        except NodeError:
            await self._close()
            raise
        self._admission.start()
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
    def strain(self) -> str | None:
        """What keeps actions from being run as they should, for the operator; None when nothing does."""
        return self._admission.strain

    @property
    def running(self) -> int:
        """Actions that have had their turn, and have not ended."""
        return self._admission.gate.running

    @property
    def waiting(self) -> int:
        """Actions that wait for their turn."""
        return self._admission.gate.waiting

    async def run(
        self, job: ActionJob, host: HostCalls, stop: "asyncio.Future[StopReason]", dispatched: Callable[[], None]
    ) -> ActionOutcome:
        """Run one action in a child of its own, when its account's turn has come; see `Engine.run`."""
        async with self._admission.turn(job.account) as turn:
            child = await self._pool.take()
            dispatched()
            return await self._run_in(child, job, TurnHolder(host, turn), stop)

    async def _run_in(
        self, child: ChildProcess, job: ActionJob, host: TurnHolder, stop: "asyncio.Future[StopReason]"
    ) -> ActionOutcome:
        started = self._clock()
        session = Session(child, host, self._limits, self._shares, job.account)
        response, error = await self._converse(session, child, job, host.turn, stop)
        return ActionOutcome(response, session.logs.text, error, (self._clock() - started) * 1000)

    async def _converse(
        self, session: Session, child: ChildProcess, job: ActionJob, turn: Turn, stop: "asyncio.Future[StopReason]"
    ) -> Ending:
        """From the job to the child's end. Raises NodeError `runner_unavailable` when memory ran short."""
        with turn.of_process(child, session.fail):
            try:
                response, error = await session.run(job, stop)
                if error is not None and error.name != StopReason.TIMEOUT and await _ended_by_kernel(child):
                    raise self._admission.short_of_memory()
            finally:
                turn.ends(child)
                await self._pool.discard(child)
        return response, error

    async def _close(self) -> None:
        await self._admission.close()
        await self._pool.close()
        await self._spawner.close()


async def _ended_by_kernel(child: ChildProcess) -> bool:
    """Whether it was killed though nobody here did: that is the machine's lack of memory, whatever the action held."""
    return not child.alive and await child.exit_signal() == signal.SIGKILL
