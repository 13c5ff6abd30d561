"""An action in its worker. Counts and checks all its messages, and decides its outcome."""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from pydantic import JsonValue

from node.engine.calls import Calls
from node.engine.frames import (
    FrameError,
    Kind,
    LongLogError,
    ManyValuesError,
    ResponseError,
    json_text,
    parse_error,
    parse_log,
    parse_response,
)
from node.engine.port import ActionError, ActionJob, HostCalls, StopReason
from node.engine.protocol import RESPONSE_VALUES_MAX
from node.engine.worker_process import Loss, Worker
from node.runtime.processor_time import ClientTime, ProcessorShares
from node.settings.execution import ActionSettings

Ending = tuple[JsonValue, ActionError | None]
"""The response and the error of an action; one of them is None."""
_RESPONSE_INLINE_BYTES: Final = 64 * 1024
"""Responses above this size are parsed in a thread, so that others do not wait for it."""
_RESPONSE_DEPTH_MAX: Final = 100
"""Maximum nesting in the response, beyond which some JSON readers fail."""
_COSTLY_BYTES: Final = 1024
"""Size of endings and jobs below which measuring costs as much as the work."""
_REASON_OF_OVERSIZED: Final[Mapping[Kind, StopReason]] = {
    Kind.DONE: StopReason.RESPONSE_LIMIT,
    Kind.LOG: StopReason.LOG_LIMIT,
}
"""Limit that is broken by a frame longer than any may be."""


class Session:
    """An action in its worker, from its job to the end of its fiber. Implements `Action`.

    Each call to the node calls `began_call`. The first event that ends the action decides.
    """

    def __init__(
        self,
        worker: Worker,
        host: HostCalls,
        settings: ActionSettings,
        shares: ProcessorShares,
        began_call: Callable[[], None],
    ) -> None:
        self.logs = Logs(settings.action_log_bytes, settings.action_log_lines)
        self._worker = worker
        self._host = host
        self._settings = settings
        self._shares = shares
        self._began_call = began_call
        self._host_time: ClientTime | None = None
        self._host_time_left_s = settings.action_host_time_s
        self._calls: Calls | None = None
        self._fiber = 0
        self._last: tuple[Kind, bytes] | None = None
        self._ended_by: ActionError | Loss | None = None
        """First reason to end it; None while its own last message decides."""
        self._is_gone = False
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, job: ActionJob, stop: "asyncio.Future[StopReason]") -> Ending | Loss:
        """Runs the action within its wall time. Nothing is left of it when this returns."""
        timeout = asyncio.get_running_loop().call_later(
            min(self._settings.action_timeout_s, job.max_seconds or self._settings.action_timeout_s),
            lambda: self._end(_stopped(StopReason.TIMEOUT, self._settings, job.max_seconds)),
        )
        # Both before the job is sent, so that the action can always be ended.
        stop.add_done_callback(self._stopped_by_caller)
        try:
            self._begin(job)
            await self._gone
            return await self._ending()
        except asyncio.CancelledError:
            # The caller is gone. Its reservation and place are released only when nothing runs any
            # more. If this is cancelled too, the worker still ends the fiber.
            if not self._is_gone:
                self._gone = asyncio.get_running_loop().create_future()
                self._end_fiber()
                await self._gone
            raise
        finally:
            timeout.cancel()
            stop.remove_done_callback(self._stopped_by_caller)
            if self._calls is not None:
                # A call in progress may still use a key, so wait before the settlement.
                await self._calls.end()

    def take(self, kind: Kind, body: bytes) -> None:
        """Takes a message. See `Action.take`. Raises FrameError."""
        began_s = time.thread_time()
        try:
            if kind is Kind.LOG:
                self._log(body)
            else:
                self._call(body)
        finally:
            self._time().spend(time.thread_time() - began_s)

    def take_oversized(self, kind: Kind) -> None:
        """Ends the action. See `Action.take_oversized`."""
        reason = _REASON_OF_OVERSIZED.get(kind)
        self._end(_broken("a message was too long") if reason is None else _stopped(reason, self._settings))

    def ended(self, kind: Kind, body: bytes) -> None:
        """Takes the last message. See `Action.ended`."""
        if kind is Kind.SHED:
            # Keep the first reason, so that a last frame does not replace a time-out.
            self._ended_by = self._ended_by or Loss.MEMORY
        elif kind is Kind.OUT_OF_MEMORY:
            self._ended_by = self._ended_by or _stopped(StopReason.OUT_OF_MEMORY, self._settings)
        elif kind is Kind.CRASHED:
            self._ended_by = self._ended_by or _broken()
        else:
            self._last = kind, body
        self._note_gone()

    def broke(self) -> None:
        """Ends the action. See `Action.broke`."""
        self._end(_broken())

    def gone(self, loss: Loss) -> None:
        """Notes the loss. See `Action.gone`."""
        self._ended_by = self._ended_by or (_broken("it ended by itself") if loss is Loss.CRASHED else loss)
        self._note_gone()

    def _begin(self, job: ActionJob) -> None:
        began_s = time.perf_counter()
        text = json_text({"params": job.params, "headers": job.headers}).encode()
        self._fiber = self._worker.begin(self, text)
        if len(text) >= _COSTLY_BYTES:
            self._time().spend(time.perf_counter() - began_s)

    async def _ending(self) -> Ending | Loss:
        """Returns the outcome. Parses the response here, as the worker runs other actions."""
        if self._last is None or self._ended_by is not None:
            ended_by = self._ended_by or Loss.WORKER_LOST
            return ended_by if isinstance(ended_by, Loss) else (None, ended_by)
        kind, body = self._last
        if self._host_time is None and len(body) < _COSTLY_BYTES:
            return self._parsed(kind, body)
        # Parse a large response at the expense of its account.
        await self._time().turn()
        if len(body) > _RESPONSE_INLINE_BYTES:
            return await self._time().in_thread(partial(self._parsed, kind, body))
        began_s = time.thread_time()
        try:
            return self._parsed(kind, body)
        finally:
            self._time().spend(time.thread_time() - began_s)

    def _parsed(self, kind: Kind, body: bytes) -> Ending:
        try:
            if kind is Kind.ERROR:
                return None, parse_error(body)
            # Check first, since a frame may be longer than a response.
            if len(body) > self._settings.action_response_bytes:
                return None, _stopped(StopReason.RESPONSE_LIMIT, self._settings)
            return parse_response(body, _RESPONSE_DEPTH_MAX, RESPONSE_VALUES_MAX), None
        except ManyValuesError:
            return None, _stopped(StopReason.RESPONSE_LIMIT, self._settings)
        except ResponseError as error:
            return None, ActionError("NotJson", str(error), "")
        except FrameError:
            # The prelude writes no such frame, so the action has left its bounds.
            self._worker.retired = True
            return None, _broken()

    def _time(self) -> ClientTime:
        if self._host_time is None:
            self._host_time = self._shares.of(self._worker.account, self._note_host_time)
        return self._host_time

    def _note_host_time(self, processor_s: float) -> None:
        self._host_time_left_s -= processor_s
        # A host call costs the action no time of its own, so limit its cost to the node.
        if self._host_time_left_s < 0:
            self._stop(StopReason.HOST_TIME_LIMIT)

    def _log(self, body: bytes) -> None:
        try:
            fits = self.logs.add(parse_log(body, self._settings.action_log_bytes))
        except LongLogError:
            fits = False
        if not fits:
            self._stop(StopReason.LOG_LIMIT)

    def _call(self, body: bytes) -> None:
        calls_max = self._settings.action_host_calls
        if self._calls is None:
            self._calls = Calls(self._worker, self._fiber, self._host, calls_max, self._time())
        self._began_call()
        if not self._calls.take(body):
            self._end(_broken(f"it made more than {calls_max} calls to the node"))

    def _stopped_by_caller(self, stop: "asyncio.Future[StopReason]") -> None:
        if not stop.cancelled():
            self._stop(stop.result())

    def _stop(self, reason: StopReason) -> None:
        self._end(_stopped(reason, self._settings))

    def _end(self, error: ActionError) -> None:
        """Ends it with this error, unless it has ended before."""
        if self._ended_by is None and not self._is_gone:
            self._ended_by = error
            self._end_fiber()

    def _note_gone(self) -> None:
        self._is_gone = True
        self._stop_calls()
        if not self._gone.done():
            self._gone.set_result(None)

    def _end_fiber(self) -> None:
        # Calls first, since one that is finished would let a further call begin.
        self._stop_calls()
        self._worker.end(self._fiber)

    def _stop_calls(self) -> None:
        if self._calls is not None:
            self._calls.stop()


class Logs:
    """Logs of one action within limits of bytes and lines. The last line may be cut."""

    def __init__(self, bytes_max: int, lines_max: int) -> None:
        self._lines: list[str] = []
        self._left_bytes = bytes_max
        self._lines_max = lines_max

    def add(self, line: str) -> bool:
        """Adds a line. Returns False if not all of it fitted; nothing may follow then."""
        if len(self._lines) >= self._lines_max:
            return False
        # Count bytes as the client receives them, in UTF-8 with the newline.
        encoded = f"{line}\n".encode()
        self._lines.append(encoded[: self._left_bytes].decode(errors="ignore"))
        self._left_bytes -= len(encoded)
        return self._left_bytes >= 0

    @property
    def text(self) -> str:
        """All lines, each ended by a newline but the last."""
        return "".join(self._lines).removesuffix("\n")


def _stopped(reason: StopReason, settings: ActionSettings, max_seconds: int | None = None) -> ActionError:
    """Returns the error of an action ended from outside; `max_seconds` is the job's."""
    timeout = f"{settings.action_timeout_s:g} seconds"
    if max_seconds is not None and max_seconds <= settings.action_timeout_s:
        timeout = f"{max_seconds} second{'s' * (max_seconds > 1)}, the max_seconds of its request"
    message = {
        StopReason.TIMEOUT: f"The action ran longer than {timeout}.",
        StopReason.OUT_OF_MEMORY: f"The action used more than {settings.action_memory_bytes} bytes of memory.",
        StopReason.LOG_LIMIT: f"The action logged more than {settings.action_log_bytes} bytes, "
        f"or {settings.action_log_lines} lines.",
        StopReason.RESPONSE_LIMIT: f"The action's response is larger than {settings.action_response_bytes} bytes of JSON, "
        f"or holds more than {RESPONSE_VALUES_MAX} values.",
        StopReason.FETCH_LIMIT: "The action made more outbound requests than it may.",
        StopReason.KEY_LIMIT: "The action made more key operations than it may.",
        StopReason.HOST_TIME_LIMIT: "The action's calls and messages took the node more than "
        f"{settings.action_host_time_s:g} seconds of processor time.",
        StopReason.OUT_OF_FUNDS: "The account's credits, or the key's spending cap, ran out while the action ran.",
        StopReason.NOT_AUTHORISED: "While the action ran, its key was removed, expired or lost the permission to run it.",
        StopReason.NODE_STOPPING: "The node is stopping, and has ended the action.",
    }[reason]
    return ActionError(reason.value, message, f"{reason.value}: {message}")


def _broken(why: str = "it sent what no action can") -> ActionError:
    """Returns the error of an action whose process ended or sent invalid messages."""
    message = f"The action's process was ended: {why}."
    return ActionError("ActionCrashed", message, f"ActionCrashed: {message}")
