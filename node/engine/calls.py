"""Host calls of one action: worked on a few at a time; further ones wait in line and hold nothing else up."""

from collections import deque
from dataclasses import dataclass
from typing import Final

import structlog

from node.engine.frames import CrowdedCallError, FrameError, HostCall, answer_text, oversized_call, parse_call
from node.engine.port import HostCallError, HostCalls
from node.engine.protocol import WAITING_CALL_BYTES
from node.engine.worker_process import Worker
from node.runtime.processor_time import ClientTime
from node.runtime.tasks import TaskSet

PENDING_CALLS_MAX: Final = 16
"""Calls of one action worked on at a time; further ones wait. More would let one action fill the node's queues."""
ANSWER_BACKLOG_BYTES: Final = 8 * 1024 * 1024
"""Answers that a worker has not read. With more, no further call of its actions is begun."""
_CALL_VALUES_MAX: Final = 20_000
"""JSON values in one call. An action that sends more is ended, since building them holds up everybody else."""
_FETCH: Final = "fetch"
_ABORT: Final = "fetchAbort"
_NODE_FAULT: Final = HostCallError("NodeFault", "The node failed while it answered this call. Try again.")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A call in line, as text: its arguments, parsed once to be checked, are built again when it is begun."""

    id: int
    fetch: object
    body: bytes


class Calls:
    """Answers calls in the order they came. A call that the node fails to answer becomes an error inside the action.

    The work of answering is counted as `host_time`. `calls_max` bounds the calls of the action together.
    """

    def __init__(self, worker: Worker, fiber: int, host: HostCalls, calls_max: int, host_time: ClientTime) -> None:
        self._worker = worker
        self._fiber = fiber
        self._host = host
        self._calls_max = calls_max
        self._host_time = host_time
        self._tasks = TaskSet("host_calls")
        self._working = 0
        self._made = 0
        self._waiting: deque[_Waiting] = deque()
        self._unanswered_calls = 0
        self._unanswered_bytes = 0

    def take(self, body: bytes) -> bool:
        """Answer one call, now or later. Return False when the action has made more than it may.

        Raises FrameError for what is no call.
        """
        self._made += 1
        # Counted before parsing: a flood costs one comparison for each call.
        if self._made > self._calls_max:
            return False
        # Refused by its head alone: the body is never parsed.
        too_long = oversized_call(body)
        if too_long is not None:
            self._worker.answer(self._fiber, _too_long(too_long))
            return True
        try:
            call = parse_call(body, _CALL_VALUES_MAX)
        except CrowdedCallError as crowded:
            self._worker.answer(self._fiber, _too_long(crowded.call_id))
            return True
        # A worker that was not taken over keeps further calls back until there is room.
        self._unanswered_bytes += len(body)
        self._unanswered_calls += 1
        if self._unanswered_bytes > WAITING_CALL_BYTES and self._unanswered_calls > 1:
            raise FrameError("more calls than may wait")
        if call.name == _ABORT:
            # Not behind the requests that it may end.
            self._withdraw(_fetch_of(call))
            self._begin(call, len(body))
        elif self._waiting or self._working >= PENDING_CALLS_MAX:
            self._waiting.append(_Waiting(call.id, _fetch_of(call), body))
        else:
            self._begin(call, len(body))
        return True

    def stop(self) -> None:
        """Leave every call unanswered from now on."""
        self._waiting.clear()
        self._tasks.cancel()

    async def end(self) -> None:
        """Stop, and wait until nothing is worked on."""
        self._waiting.clear()
        await self._tasks.stop()

    def _answer(self, text: str, count: int) -> None:
        self._unanswered_bytes -= count
        self._unanswered_calls -= 1
        self._worker.answer(self._fiber, text)

    def _begin(self, call: HostCall, count: int) -> None:
        self._working += 1
        self._tasks.start(self._work(call, count))

    def _withdraw(self, fetch: object) -> None:
        """Answer a request that is aborted while it waits; it is never made."""
        for place, waiting in enumerate(self._waiting):
            if fetch is not None and waiting.fetch == fetch:
                del self._waiting[place]
                self._answer(_aborted(waiting.id), len(waiting.body))
                return

    async def _work(self, call: HostCall, count: int) -> None:
        try:
            # Back pressure: an action that does not read its answers gets no further ones made.
            await self._worker.few_unsent(ANSWER_BACKLOG_BYTES)
            if self._host_time.must_wait:
                await self._host_time.turn()
            self._answer(await self._host_time.counted(self._ask(call)), count)
        finally:
            # A call that is cancelled before it begins is not counted down: then the action has ended, and none waits.
            self._working -= 1
            while self._waiting and self._working < PENDING_CALLS_MAX:
                body = self._waiting.popleft().body
                self._begin(parse_call(body, _CALL_VALUES_MAX), len(body))

    async def _ask(self, call: HostCall) -> str:
        try:
            return answer_text(call.id, True, await self._host.call(call.name, call.arguments))
        # No traceback reaches the action: it could hold addresses or parts of keys.
        except Exception as error:  # noqa: BLE001 - the action lives on whatever a call of it raises, and is charged
            fault = _inside_action(error)
            return answer_text(call.id, False, {"name": fault.name, "message": fault.message})


def _fetch_of(call: HostCall) -> object:
    """Return the number of the request that a fetch makes or aborts; None for other calls."""
    match call.arguments:
        case [{"call": int() as number}] if call.name in {_FETCH, _ABORT}:
            return number
        case _:
            return None


def _too_long(call_id: int) -> str:
    return answer_text(
        call_id,
        False,
        {"name": "BadRequest", "message": "The request is larger, or nested deeper, than any this function takes."},
    )


def _aborted(call_id: int) -> str:
    return answer_text(call_id, False, {"name": "AbortError", "message": "The operation was aborted."})


def _inside_action(error: Exception) -> HostCallError:
    """Return the error that the action sees: of an error of the node, only that there was one."""
    if isinstance(error, HostCallError):
        return error
    _log.error("host_call_failed", exc_info=error)
    return _NODE_FAULT
