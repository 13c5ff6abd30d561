"""The calls of one action to the node: so many are worked on at a time, further ones wait in line and hold nothing up."""

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from typing import Final

import structlog

from node.engine.answers import answer_text
from node.engine.child_process import ChildProcess
from node.engine.frames import HostCall, oversized_call, parse_call
from node.engine.limits import EngineLimits
from node.engine.port import HostCallError, HostCalls
from node.errors import ErrorCode, NodeError
from node.processor_time import ClientTime

_FETCH: Final = "fetch"
_ABORT: Final = "fetchAbort"
_CHAIN_UNAVAILABLE: Final = HostCallError(
    "ChainUnavailable",
    "The node could not read from the chain what decides this call, or the chain's endpoints could not compute it. "
    "Try again in a few seconds; if it stays so, give the key fewer groups.",
)
_NODE_FAULT: Final = HostCallError("NodeFault", "The node failed while it answered this call. Try again.")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A call in line. Its text has been read once; what it holds is built again when its turn comes."""

    id: int
    fetch: object
    body: bytes


class Calls:
    """Answers calls in the order they came. A call that the node fails to answer is an error inside the action.

    The work of answering is counted as `host_time`.
    """

    def __init__(self, child: ChildProcess, host: HostCalls, limits: EngineLimits, host_time: ClientTime) -> None:
        self._child = child
        self._host = host
        self._limits = limits
        self._host_time = host_time
        self._tasks: set[asyncio.Task[None]] = set()
        self._replies: set[asyncio.Task[None]] = set()
        self._made = 0
        self._waiting: deque[_Waiting] = deque()
        self._waiting_bytes = 0
        self._left_line = asyncio.Event()
        self._unsent_bytes = 0
        self._sent = asyncio.Event()

    async def take(self, body: bytes) -> bool:
        """Answer one call, now or when its turn comes; False when it is one more than an action may make.

        Returns at once, unless the line is full. Raises FrameError for what is no call.
        """
        self._made += 1
        if self._made > self._limits.host_calls:
            return False
        too_long = oversized_call(body)
        if too_long is not None:
            self._send_later(_too_long(too_long))
            return True
        call = parse_call(body, self._limits.host_call_values)
        if call.name == _ABORT:
            # Not behind the requests that it may end.
            self._withdraw(_fetch_of(call))
            self._begin(call)
        elif self._waiting or len(self._tasks) >= self._limits.pending_host_calls:
            self._waiting.append(_Waiting(call.id, _fetch_of(call), body))
            self._waiting_bytes += len(body)
            del call
            await self._line_has_room()
        else:
            self._begin(call)
        return True

    async def end(self) -> None:
        """Leave every call unanswered from now on."""
        self._waiting.clear()
        tasks = [*self._tasks, *self._replies]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, call: HostCall) -> None:
        task = asyncio.create_task(self._answer(call))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        while self._waiting and len(self._tasks) < self._limits.pending_host_calls:
            self._begin(parse_call(self._leave_line(0).body, self._limits.host_call_values))

    def _leave_line(self, place: int) -> _Waiting:
        waiting = self._waiting[place]
        del self._waiting[place]
        self._waiting_bytes -= len(waiting.body)
        self._left_line.set()
        return waiting

    async def _line_has_room(self) -> None:
        while self._waiting_bytes > self._limits.waiting_call_bytes:
            self._left_line.clear()
            await self._left_line.wait()

    def _withdraw(self, fetch: object) -> None:
        """A request that is ended before its turn is never made."""
        for place, waiting in enumerate(self._waiting):
            if fetch is not None and waiting.fetch == fetch:
                self._send_later(_aborted(self._leave_line(place).id))
                return

    async def _answer(self, call: HostCall) -> None:
        await self._few_unsent()
        await self._host_time.turn()
        self._send_later(await self._host_time.counted(self._ask(call)))

    async def _ask(self, call: HostCall) -> str:
        try:
            return answer_text(call.id, True, await self._host.call(call.name, call.arguments))
        except Exception as error:  # noqa: BLE001 - the action lives on whatever a call of it raises, and is charged
            fault = _inside_action(error)
            return answer_text(call.id, False, {"name": fault.name, "message": fault.message})

    def _send_later(self, answer: str) -> None:
        """Not as part of the call: a child that asks on without reading must not keep its other calls in line."""
        self._unsent_bytes += len(answer)
        task = asyncio.create_task(self._send(answer))
        self._replies.add(task)
        task.add_done_callback(self._replies.discard)

    async def _send(self, answer: str) -> None:
        """Where the child is gone, its end says so."""
        try:
            with contextlib.suppress(OSError):
                await self._child.send("A", answer)
        finally:
            self._unsent_bytes -= len(answer)
            self._sent.set()

    async def _few_unsent(self) -> None:
        """Wait until the child has read enough of its answers that another may be fetched for it."""
        while self._unsent_bytes > self._limits.answer_backlog_bytes:
            self._sent.clear()
            await self._sent.wait()


def _fetch_of(call: HostCall) -> object:
    """The number by which the action knows a request of its own; None for other calls."""
    match call.arguments:
        case [{"call": int() as number}] if call.name in {_FETCH, _ABORT}:
            return number
        case _:
            return None


def _too_long(call_id: int) -> str:
    return answer_text(
        call_id, False, {"name": "BadRequest", "message": "The request is larger than any this function takes."}
    )


def _aborted(call_id: int) -> str:
    return answer_text(call_id, False, {"name": "AbortError", "message": "The operation was aborted."})


def _inside_action(error: Exception) -> HostCallError:
    """The error that the action sees. A NodeError's own message is for HTTP clients: it may say that nothing was charged."""
    if isinstance(error, HostCallError):
        return error
    if isinstance(error, NodeError) and error.code is not ErrorCode.INTERNAL_ERROR:
        return _CHAIN_UNAVAILABLE if error.code is ErrorCode.CHAIN_UNAVAILABLE else _NODE_FAULT
    _log.error("host_call_failed", exc_info=error)
    return _NODE_FAULT
