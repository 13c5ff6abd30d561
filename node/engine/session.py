"""One action's conversation with its child: what it sends is counted and checked, what it asks is answered."""

import asyncio
from functools import partial
from typing import Final

from pydantic import JsonValue

from node.engine.answers import json_text
from node.engine.calls import Calls
from node.engine.child_process import ChildProcess, Frame, OversizedFrameError
from node.engine.frames import (
    FrameError,
    Kind,
    LongLogError,
    ManyValuesError,
    ResponseError,
    parse_error,
    parse_log,
    parse_response,
)
from node.engine.limits import EngineLimits
from node.engine.logs import Logs
from node.engine.port import ActionError, ActionJob, HostCalls, StopReason
from node.engine.stops import STOP_OF_OVERSIZED, STOP_OF_SIGNAL, broken, stopped
from node.errors import NodeError
from node.interruption import Interruption
from node.processor_time import ProcessorShares

_FRAMES_BETWEEN_PAUSES: Final = 32

Ending = tuple[JsonValue, ActionError | None]
"""The response and the error of an action; one of them is None."""


class _StoppedError(Exception):
    """Something outside the action ended it."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Session:
    """Runs one job in one child. The child's end is the caller's business. `account` is whose share its work takes."""

    def __init__(
        self, child: ChildProcess, host: HostCalls, limits: EngineLimits, shares: ProcessorShares, account: int
    ) -> None:
        self.logs = Logs(limits.log_bytes, limits.log_lines)
        self._child = child
        self._limits = limits
        self._host_time_left_s = limits.host_time_s
        self._host_time = shares.of(account, self._note_host_time)
        self._calls = Calls(child, host, limits, self._host_time)
        self._interruption = Interruption()

    async def run(self, job: ActionJob, stop: "asyncio.Future[StopReason]") -> Ending:
        """How the action ended, within the wall time. Raises the NodeError that `fail` was given."""
        loop = asyncio.get_running_loop()
        too_late = loop.call_later(self._limits.action_timeout_s, self._stop, StopReason.TIMEOUT)
        stop.add_done_callback(self._told_to_stop)
        try:
            with self._interruption:
                return await self._converse(job)
        except _StoppedError as error:
            return None, stopped(error.reason, self._limits)
        finally:
            too_late.cancel()
            stop.remove_done_callback(self._told_to_stop)
            await self._calls.end()

    def fail(self, error: NodeError) -> None:
        """End it now, as the node's own fault."""
        self._interruption.end(error)

    def _stop(self, reason: StopReason) -> None:
        self._interruption.end(_StoppedError(reason))

    def _note_host_time(self, processor_s: float) -> None:
        self._host_time_left_s -= processor_s
        if self._host_time_left_s < 0:
            self._stop(StopReason.HOST_TIME_LIMIT)

    def _told_to_stop(self, stop: "asyncio.Future[StopReason]") -> None:
        self._stop(stop.result())

    async def _converse(self, job: ActionJob) -> Ending:
        try:
            await self._host_time.turn()
            await self._host_time.counted(self._send(job))
            return await self._listen()
        except OversizedFrameError as error:
            return None, self._oversized(error.kind)
        except (FrameError, OSError):
            return None, broken()

    async def _send(self, job: ActionJob) -> None:
        message = {"code": job.code, "params": dict(job.params), "headers": dict(job.headers)}
        await self._child.send("J", json_text(message))

    async def _listen(self) -> Ending:
        received = 0
        while True:
            frame = await self._child.receive()
            if frame is None:
                return None, await self._died()
            await self._host_time.turn()
            ending = await self._host_time.counted(self._take(frame))
            if ending is not None:
                return ending
            received += 1
            if received % _FRAMES_BETWEEN_PAUSES == 0:
                # A buffered flood is read without ever waiting: others must have their turn.
                await asyncio.sleep(0)

    async def _take(self, frame: Frame) -> Ending | None:
        match frame.kind:
            case Kind.LOG:
                return self._log(frame.body)
            case Kind.CALL:
                return await self._call(frame.body)
            case Kind.DONE:
                return await self._done(frame.body)
            case Kind.ERROR:
                return None, parse_error(frame.body)
            case Kind.OUT_OF_MEMORY:
                return self._stopped(StopReason.OUT_OF_MEMORY)
            case _:
                return None, broken()

    def _log(self, body: bytes) -> Ending | None:
        try:
            fits = self.logs.add(parse_log(body, self._limits.log_bytes))
        except LongLogError:
            fits = False
        return None if fits else self._stopped(StopReason.LOG_LIMIT)

    async def _done(self, body: bytes) -> Ending:
        if len(body) > self._limits.response_bytes:
            return self._stopped(StopReason.RESPONSE_LIMIT)
        depth, values = self._limits.response_depth, self._limits.response_values
        try:
            if len(body) > self._limits.response_inline_bytes:
                return await self._host_time.in_thread(partial(parse_response, body, depth, values)), None
            return parse_response(body, depth, values), None
        except ManyValuesError:
            return self._stopped(StopReason.RESPONSE_LIMIT)
        except ResponseError as error:
            return None, ActionError("NotJson", str(error), "")

    async def _call(self, body: bytes) -> Ending | None:
        if await self._calls.take(body):
            return None
        return None, broken(f"it made more than {self._limits.host_calls} calls to the node")

    async def _died(self) -> ActionError:
        signal_number = await self._child.exit_signal()
        reason = STOP_OF_SIGNAL.get(signal_number) if signal_number else None
        return broken("it ended by itself") if reason is None else stopped(reason, self._limits)

    def _oversized(self, kind: Kind) -> ActionError:
        reason = STOP_OF_OVERSIZED.get(kind)
        return broken("a message was too long") if reason is None else stopped(reason, self._limits)

    def _stopped(self, reason: StopReason) -> Ending:
        return None, stopped(reason, self._limits)
