"""Host calls of one action. A few are worked on at a time, and others wait without cost."""

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
"""Maximum calls of an action worked on at a time, so that one cannot fill the node's queues."""
ANSWER_BACKLOG_BYTES: Final = 8 * 1024 * 1024
"""Maximum unread replies of a worker. Above it no further call of its actions begins."""
_CALL_VALUES_MAX: Final = 20_000
"""Maximum JSON values in one call. More are refused, since building them blocks the event loop."""
_FETCH: Final = "fetch"
_ABORT: Final = "fetchAbort"
_NODE_FAULT: Final = HostCallError("NodeFault", "The node failed while it answered this call. Try again.")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A waiting call as text. Its arguments are parsed for a check, and again when it begins."""

    id: int
    fetch: object
    body: bytes


class Calls:
    """Runs calls in the order they came. A fault of the node becomes an error inside the action.

    The work counts as `host_time`. `calls_max` limits the action's calls in all.
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
        """Runs one call, now or later. Returns False if the action has made too many.

        Raises FrameError if it is no call.
        """
        self._made += 1
        # Count before parsing, so that a flood costs one comparison a call.
        if self._made > self._calls_max:
            return False
        # The head is enough to refuse it, so the body is never parsed.
        too_long = oversized_call(body)
        if too_long is not None:
            self._worker.answer(self._fiber, _too_long(too_long))
            return True
        try:
            call = parse_call(body, _CALL_VALUES_MAX)
        except CrowdedCallError as crowded:
            self._worker.answer(self._fiber, _too_long(crowded.call_id))
            return True
        # An honest worker keeps further calls back until there is room.
        self._unanswered_bytes += len(body)
        self._unanswered_calls += 1
        if self._unanswered_bytes > WAITING_CALL_BYTES and self._unanswered_calls > 1:
            raise FrameError("more calls than may wait")
        if call.name == _ABORT:
            # Not in line, since it may end requests that are.
            self._withdraw(_fetch_of(call))
            self._begin(call, len(body))
        elif self._waiting or self._working >= PENDING_CALLS_MAX:
            self._waiting.append(_Waiting(call.id, _fetch_of(call), body))
        else:
            self._begin(call, len(body))
        return True

    def stop(self) -> None:
        """Sends no further reply."""
        self._waiting.clear()
        self._tasks.cancel()

    async def end(self) -> None:
        """Stops, and waits until nothing is worked on."""
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
        """Replies to a request that is aborted while it waits; it is never made."""
        for place, waiting in enumerate(self._waiting):
            if fetch is not None and waiting.fetch == fetch:
                del self._waiting[place]
                aborted = answer_text(
                    waiting.id, False, {"name": "AbortError", "message": "The operation was aborted."}
                )
                self._answer(aborted, len(waiting.body))
                return

    async def _work(self, call: HostCall, count: int) -> None:
        try:
            # Back-pressure: an action that does not read its replies gets no further ones.
            await self._worker.few_unsent(ANSWER_BACKLOG_BYTES)
            if self._host_time.must_wait:
                await self._host_time.turn()
            self._answer(await self._host_time.counted(self._ask(call)), count)
        finally:
            # A call cancelled before it begins is not counted down; then none waits.
            self._working -= 1
            while self._waiting and self._working < PENDING_CALLS_MAX:
                body = self._waiting.popleft().body
                self._begin(parse_call(body, _CALL_VALUES_MAX), len(body))

    async def _ask(self, call: HostCall) -> str:
        try:
            return answer_text(call.id, True, await self._host.call(call.name, call.arguments))
        except HostCallError as error:
            fault = error
        # No traceback reaches the action, as it could contain addresses or parts of keys.
        except Exception as error:  # noqa: BLE001 - becomes an error in the action
            _log.error("host_call_failed", exc_info=error)
            fault = _NODE_FAULT
        return answer_text(call.id, False, {"name": fault.name, "message": fault.message})


def _fetch_of(call: HostCall) -> object:
    """Returns the number of the request that a call makes or aborts, else None."""
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
