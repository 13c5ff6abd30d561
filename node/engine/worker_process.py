"""The node's side of a worker process, with the actions in its fibers and their ends."""

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Protocol

from node.engine.admission.priority import restore
from node.engine.frames import FrameError, Kind
from node.engine.protocol import FIBERS_MAX, FRAME_BYTES_MAX
from node.engine.worker_socket import WorkerSocket
from node.runtime.processor_time import ClientTime


class OwnProcess:
    """Watches a child process of this one, inside a running event loop."""

    def __init__(self, pid: int) -> None:
        """Raises OSError if it is no child of ours. Until it is reaped, its number is its own."""
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        self.pid = pid
        # A pidfd stays this process's; its number may be reused after it is reaped.
        self._pidfd = os.pidfd_open(pid)
        self._loop = asyncio.get_running_loop()
        self._exit: asyncio.Future[int | None] = self._loop.create_future()
        self._loop.add_reader(self._pidfd, self._reap)

    @property
    def alive(self) -> bool:
        """Whether the event loop has not yet seen it end."""
        return not self._exit.done()

    @property
    def ended_by(self) -> int | None:
        """The signal that ended it; None if it exited, or has not ended yet."""
        return self._exit.result() if self._exit.done() else None

    def kill(self) -> None:
        """Ends it now. Does nothing if it has ended."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    async def exit_signal(self) -> int | None:
        """Waits for its end. Returns the number of the signal that ended it, None if it exited."""
        return await asyncio.shield(self._exit)

    def when_gone(self, call: Callable[[], object]) -> None:
        """Calls `call` soon after it has been reaped."""
        self._exit.add_done_callback(lambda _: call())

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        ended_by = None
        # If SIGCHLD is ignored the kernel reaps, and the exit status is lost.
        with contextlib.suppress(ChildProcessError):
            end = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED)
            if end is not None and end.si_code != os.CLD_EXITED:
                ended_by = end.si_status
        os.close(self._pidfd)
        self._exit.set_result(ended_by)


END_TIMEOUT_S: Final = 2.0
"""Maximum time for a worker to confirm an action's end; its slices are 10 ms."""
_ENDS: Final = frozenset({Kind.DONE, Kind.ERROR, Kind.OUT_OF_MEMORY, Kind.CRASHED, Kind.SHED})
_SAYS: Final = frozenset({Kind.LOG, Kind.CALL})


class Loss(Enum):
    """Reason why a fiber ended without a last frame."""

    CRASHED = auto()
    """Its worker ended or broke the protocol, and had no other fiber."""
    WORKER_LOST = auto()
    """The same in a worker with other fibers, so that the cause is unknown."""
    MEMORY = auto()
    """The node's memory ran short, and the node or the kernel killed the worker."""
    CLOSED = auto()
    """The engine is being closed."""


class Action(Protocol):
    """Action of a worker, in a fiber of its own."""

    def take(self, kind: Kind, body: bytes) -> None:
        """Takes a log line or a call. Raises FrameError for an invalid one."""
        ...

    def take_oversized(self, kind: Kind) -> None:
        """Notes a frame longer than the limit; the fiber is being ended."""
        ...

    def ended(self, kind: Kind, body: bytes) -> None:
        """Notes the fiber's last frame."""
        ...

    def broke(self) -> None:
        """Notes an invalid frame; the fiber is being ended."""
        ...

    def gone(self, loss: Loss) -> None:
        """Notes that nothing is left of the fiber, with the reason."""
        ...


class Observer(Protocol):
    """Owner of workers."""

    def fiber_began(self, worker: "Worker") -> None:
        """Notes that an action has begun in the worker."""
        ...

    def fiber_ended(self, worker: "Worker") -> None:
        """Notes that an action of the worker has ended."""
        ...

    def worker_gone(self, worker: "Worker") -> None:
        """Notes that the worker's process has been reaped."""
        ...


class Worker:
    """A worker process. `bind` binds it permanently to one program of one account."""

    def __init__(self, process: OwnProcess, ours: socket.socket) -> None:
        self.pid = process.pid
        self.account = 0
        self.cid = ""
        self.retired = False
        """Takes no further action, and ends with its last."""
        self.busy = False
        """Whether it has recently used a processor, so that others are preferred (`Priorities`)."""
        self.lowered = False
        """Whether it has the lowest priority. Set by `Priorities`."""
        self.bound_at = 0.0
        self.runs = 0
        self.last_began_at = 0.0
        self._process = process
        self._fibers: dict[int, Action] = {}
        self._began_at: dict[int, float] = {}
        self._ending: dict[int, asyncio.TimerHandle] = {}
        self._observer: Observer | None = None
        self._share: ClientTime | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._loss: Loss | None = None
        self._is_shedding = False
        self._loop = asyncio.get_running_loop()
        self._socket = WorkerSocket(ours, FRAME_BYTES_MAX, self)
        process.when_gone(self._gone)

    @property
    def alive(self) -> bool:
        """Whether it has not been reaped."""
        return self._process.alive

    @property
    def usable(self) -> bool:
        """Whether it can take an action."""
        return not self.retired and self._loss is None and len(self._fibers) < FIBERS_MAX and self._process.alive

    @property
    def fibers(self) -> int:
        """Number of its actions, also of those that are being ended."""
        return len(self._fibers)

    def oldest_fiber_s(self, now: float) -> float:
        """Returns the age of its oldest action, in seconds."""
        return now - min(self._began_at.values(), default=now)

    async def few_unsent(self, bytes_max: int) -> None:
        """Waits until at most `bytes_max` are unread by it."""
        await self._socket.few_unsent(bytes_max)

    @property
    def is_shedding(self) -> bool:
        """Whether it was told to end its largest action, and none has ended since."""
        return self._is_shedding

    @property
    def is_ending(self) -> bool:
        """Whether it is ending an action, or is being killed."""
        return bool(self._ending) or self._is_shedding or self._loss is not None

    def bind(self, account: int, cid: str, program: bytes, share: ClientTime) -> None:
        """Sends its program, a source's JSON. `share` is the account's share of the node's time."""
        self.account, self.cid = account, cid
        self._share = share
        self._socket.send(Kind.PROCESS, 0, program)

    def observe(self, observer: Observer) -> None:
        """Notifies this observer of the ends of its actions and of itself."""
        self._observer = observer

    def begin(self, action: Action, job: bytes) -> int:
        """Begins an action in a new fiber. Returns its number."""
        self.runs += 1
        fiber = self.runs
        self._fibers[fiber] = action
        self.last_began_at = self._began_at[fiber] = time.monotonic()
        self._socket.send(Kind.JOB, fiber, job)
        if self._observer is not None:
            self._observer.fiber_began(self)
        return fiber

    def answer(self, fiber: int, text: str) -> None:
        """Replies to a call of a fiber. Does nothing if it has ended."""
        if fiber in self._fibers and fiber not in self._ending:
            self._socket.send(Kind.ANSWER, fiber, text.encode())

    def end(self, fiber: int) -> None:
        """Ends an action now. Its `gone` is called when nothing is left of it."""
        if fiber not in self._fibers or fiber in self._ending or self._loss is not None:
            return
        # A compromised worker may never confirm, and is then killed.
        self._ending[fiber] = self._loop.call_later(END_TIMEOUT_S, self._lose, Loss.WORKER_LOST)
        self._socket.send_ahead(Kind.KILL, fiber, is_last=True)
        self._hurry()
        if self._waiting is not None:
            # Read its confirmation, whatever the account's share.
            self._waiting.cancel()
            self._waiting = None
            self._loop.call_soon(self._socket.resume)

    def shed(self) -> None:
        """Ends the action that holds most memory."""
        self._hurry()
        self._is_shedding = True
        self._socket.send_ahead(Kind.SHED, 0)

    def kill(self, loss: Loss = Loss.CLOSED) -> None:
        """Ends it now, with all its actions."""
        if self._loss is None:
            self._loss = loss
        if self._fibers:
            self._hurry()
        # Before the socket is closed, at whose end it would exit slowly.
        self._process.kill()
        self._socket.close()

    def kill_for_memory(self) -> None:
        """Ends it with all its actions, since the node's memory is short."""
        self.kill(Loss.MEMORY)

    async def exit_signal(self) -> int | None:
        """Waits until nothing is left of it."""
        return await self._process.exit_signal()

    def must_wait(self) -> bool:
        """Returns whether the account's share is used up. See `FrameHandler.must_wait`."""
        # An end must be confirmed in time, whatever the account has used.
        if self._ending or self._share is None or not self._share.must_wait:
            return False
        if self._waiting is None:
            # One task waits for the worker, for all its frames.
            self._waiting = self._loop.create_task(self._wait_for_share(self._share))
        return True

    def take(self, kind: Kind, fiber: int, body: bytes) -> None:
        """Takes a frame. See `FrameHandler.take`. Raises FrameError for an invalid one."""
        action = self._fibers.get(fiber)
        if action is None:
            raise FrameError("no such fiber is open")
        # While a fiber is being ended its messages are ignored, as its end is decided.
        ending = fiber in self._ending
        if kind in _ENDS:
            if not ending:
                self._forget(fiber)
                # A trap may follow an attempted break-out, so the process is not used again.
                self.retired = self.retired or kind is Kind.CRASHED
                action.ended(kind, body)
                self._notify_fiber_ended()
        # The confirmation that the instance is gone and no more frames follow.
        elif kind is Kind.KILL and ending:
            self._forget(fiber)
            action.gone(Loss.CRASHED)
            self._notify_fiber_ended()
        elif kind not in _SAYS:
            raise FrameError("a worker says no such thing")
        elif not ending:
            try:
                action.take(kind, body)
            except FrameError:
                # Its other actions have the same account and program and continue; it gets no
                # further ones.
                self.retired = True
                action.broke()
                self.end(fiber)

    def take_oversized(self, kind: Kind, fiber: int) -> None:
        """Takes an oversized frame. See `FrameHandler.take_oversized`. Raises FrameError."""
        action = self._fibers.get(fiber)
        if action is None or kind not in _ENDS | _SAYS:
            raise FrameError("no such fiber is open")
        if fiber in self._ending:
            return
        action.take_oversized(kind)
        if kind in _ENDS:
            self._forget(fiber)
            action.gone(Loss.CRASHED)
            self._notify_fiber_ended()
        else:
            self.end(fiber)

    def broken(self) -> None:
        """Kills a dishonest worker. See `FrameHandler.broken`."""
        self._lose(Loss.WORKER_LOST)

    def disconnected(self) -> None:
        """Ends the worker. See `FrameHandler.disconnected`."""
        self._socket.close()
        self.retired = True
        # A closed socket is no end, since a compromised process could go on computing.
        stays = self._loop.call_later(END_TIMEOUT_S, self._lose, Loss.WORKER_LOST)
        self._process.when_gone(stays.cancel)

    def _hurry(self) -> None:
        """Restores the priority, since ending at the lowest takes seconds on a busy machine."""
        if self.lowered and self._process.alive:
            self.lowered = not restore(self.pid)

    def _forget(self, fiber: int) -> None:
        del self._fibers[fiber], self._began_at[fiber]
        self._is_shedding = False
        timer = self._ending.pop(fiber, None)
        if timer is not None:
            timer.cancel()

    def _notify_fiber_ended(self) -> None:
        if self._observer is not None:
            self._observer.fiber_ended(self)

    def _lose(self, loss: Loss) -> None:
        """Kills it for its own fault."""
        if loss is Loss.WORKER_LOST and len(self._fibers) == 1:
            loss = Loss.CRASHED
        self.kill(loss)

    async def _wait_for_share(self, share: ClientTime) -> None:
        await share.turn()
        self._waiting = None
        self._socket.resume()

    def _gone(self) -> None:
        self._socket.close()
        self.retired = True
        if self._waiting is not None:
            self._waiting.cancel()
        loss = self._loss or self._own_end()
        # Empty it first, since callbacks may read `fibers` and must see none.
        actions, self._fibers = self._fibers, {}
        self._began_at.clear()
        for timer in self._ending.values():
            timer.cancel()
        self._ending.clear()
        for action in actions.values():
            action.gone(loss)
        if self._observer is not None:
            self._observer.worker_gone(self)

    def _own_end(self) -> Loss:
        """Returns the cause of an end that the node did not request."""
        # Only the kernel also sends SIGKILL, when the machine lacks memory.
        if self._process.ended_by == signal.SIGKILL:
            return Loss.MEMORY
        return Loss.CRASHED if len(self._fibers) == 1 else Loss.WORKER_LOST
