"""The node's side of a worker process: its life, the actions in it by their fibers, and how they end with it."""

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
    """Watches over one child process of this one, from inside a running event loop."""

    def __init__(self, pid: int) -> None:
        """Raises OSError when there is no such child of ours; as long as nobody reaped it its number is its own."""
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        self.pid = pid
        # A pidfd names this very process for good; its number may be given to another one after it is reaped.
        self._pidfd = os.pidfd_open(pid)
        self._loop = asyncio.get_running_loop()
        self._exit: asyncio.Future[int | None] = self._loop.create_future()
        self._loop.add_reader(self._pidfd, self._reap)

    @property
    def alive(self) -> bool:
        """True until the event loop has seen it end."""
        return not self._exit.done()

    @property
    def ended_by(self) -> int | None:
        """The signal that ended it; None when it ended by itself, or has not ended yet."""
        return self._exit.result() if self._exit.done() else None

    def kill(self) -> None:
        """End it now, whatever it does; nothing happens when it has ended."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    async def exit_signal(self) -> int | None:
        """Wait for its end: the number of the signal that ended it, None when it ended by itself."""
        return await asyncio.shield(self._exit)

    def when_gone(self, call: Callable[[], object]) -> None:
        """Have `call` called, soon, once it has been reaped."""
        self._exit.add_done_callback(lambda _: call())

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        ended_by = None
        # Where the node was started with SIGCHLD ignored, the kernel reaps, and nobody knows how it ended.
        with contextlib.suppress(ChildProcessError):
            end = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED)
            if end is not None and end.si_code != os.CLD_EXITED:
                ended_by = end.si_status
        os.close(self._pidfd)
        self._exit.set_result(ended_by)


END_TIMEOUT_S: Final = 2.0
"""From telling a worker to end an action to its word that it did; slices of a worker are 10 ms."""
_ENDS: Final = frozenset({Kind.DONE, Kind.ERROR, Kind.OUT_OF_MEMORY, Kind.CRASHED, Kind.SHED})
_SAYS: Final = frozenset({Kind.LOG, Kind.CALL})


class Loss(Enum):
    """Why a fiber ended without a word of its own."""

    CRASHED = auto()
    """Its worker ended, or made no sense, and no other fiber can have been the reason."""
    WORKER_LOST = auto()
    """The same where others were in the worker: none of them is to blame for sure."""
    MEMORY = auto()
    """The node's memory ran short, and the worker was ended for it, or the kernel did that."""
    CLOSED = auto()
    """The engine is being closed."""


class Action(Protocol):
    """Action of a worker, in a fiber of its own."""

    def take(self, kind: Kind, body: bytes) -> None:
        """A log line or a call. Raises FrameError for what no action can send."""
        ...

    def take_oversized(self, kind: Kind) -> None:
        """A frame longer than the limit has come; the fiber is being ended."""
        ...

    def ended(self, kind: Kind, body: bytes) -> None:
        """The fiber has ended with this last frame."""
        ...

    def broke(self) -> None:
        """The action sent no frame that an action can send; the fiber is being ended."""
        ...

    def gone(self, loss: Loss) -> None:
        """Nothing is left of the fiber: the action was ended, or was lost for this reason."""
        ...


class Observer(Protocol):
    """Owner of workers."""

    def fiber_began(self, worker: "Worker") -> None:
        """An action has begun in the worker."""
        ...

    def fiber_ended(self, worker: "Worker") -> None:
        """An action of the worker has ended."""
        ...

    def worker_gone(self, worker: "Worker") -> None:
        """The worker's process has been reaped."""
        ...


class Worker:
    """A worker process. Ready and unbound at first; bound for life to one program of one account by `bind`."""

    def __init__(self, process: OwnProcess, ours: socket.socket) -> None:
        self.pid = process.pid
        self.account = 0
        self.cid = ""
        self.retired = False
        """No further action is to be begun in it; it ends with its last."""
        self.busy = False
        """The worker has lately used a processor for itself, so a further action had better go elsewhere. Set by `Priorities`."""
        self.lowered = False
        """The worker has the lowest priority. Set by `Priorities`."""
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
        """True until it is reaped."""
        return self._process.alive

    @property
    def usable(self) -> bool:
        """True while it can take an action."""
        return not self.retired and self._loss is None and len(self._fibers) < FIBERS_MAX and self._process.alive

    @property
    def fibers(self) -> int:
        """Actions in it, those that are being ended included."""
        return len(self._fibers)

    def oldest_fiber_s(self, now: float) -> float:
        """Age of the action that runs for longest, in seconds."""
        return now - min(self._began_at.values(), default=now)

    async def few_unsent(self, bytes_max: int) -> None:
        """Wait until it has read enough that at most so much waits for it."""
        await self._socket.few_unsent(bytes_max)

    @property
    def is_shedding(self) -> bool:
        """True from the order to end the action that holds most memory until one of its actions has ended."""
        return self._is_shedding

    @property
    def is_ending(self) -> bool:
        """True while it is ending an action, or is being ended."""
        return bool(self._ending) or self._is_shedding or self._loss is not None

    def bind(self, account: int, cid: str, program: bytes, share: ClientTime) -> None:
        """Give it its program, the JSON text of a source. `share` is the account's part of the node's processor time."""
        self.account, self.cid = account, cid
        self._share = share
        self._socket.send(Kind.PROCESS, 0, program)

    def observe(self, observer: Observer) -> None:
        """Notify this observer of its actions' ends and its own."""
        self._observer = observer

    def begin(self, action: Action, job: bytes) -> int:
        """Begin an action in a fiber of its own, whose number is returned."""
        self.runs += 1
        fiber = self.runs
        self._fibers[fiber] = action
        self.last_began_at = self._began_at[fiber] = time.monotonic()
        self._socket.send(Kind.JOB, fiber, job)
        if self._observer is not None:
            self._observer.fiber_began(self)
        return fiber

    def answer(self, fiber: int, text: str) -> None:
        """Answer a call of a fiber; nothing happens when it has ended."""
        if fiber in self._fibers and fiber not in self._ending:
            self._socket.send(Kind.ANSWER, fiber, text.encode())

    def end(self, fiber: int) -> None:
        """End an action now: its `gone` is called when nothing is left of it."""
        if fiber not in self._fibers or fiber in self._ending or self._loss is not None:
            return
        # A worker that was taken over may never confirm; then all of it is killed.
        self._ending[fiber] = self._loop.call_later(END_TIMEOUT_S, self._lose, Loss.WORKER_LOST)
        self._socket.send_ahead(Kind.KILL, fiber, is_last=True)
        self._hurry()
        if self._waiting is not None:
            # Its confirmation is read, whatever the account's share.
            self._waiting.cancel()
            self._waiting = None
            self._loop.call_soon(self._socket.resume)

    def shed(self) -> None:
        """End the action that holds most memory."""
        self._hurry()
        self._is_shedding = True
        self._socket.send_ahead(Kind.SHED, 0)

    def kill(self, loss: Loss = Loss.CLOSED) -> None:
        """End it now, and all actions in it."""
        if self._loss is None:
            self._loss = loss
        if self._fibers:
            self._hurry()
        # Before the socket is closed: a worker that reads the end of it would end by itself, slowly.
        self._process.kill()
        self._socket.close()

    def kill_for_memory(self) -> None:
        """End it, and all actions in it, since the node's memory is short."""
        self.kill(Loss.MEMORY)

    async def exit_signal(self) -> int | None:
        """Wait until nothing is left of it."""
        return await self._process.exit_signal()

    def must_wait(self) -> bool:
        """See `FrameHandler.must_wait`: the account's share of the node's processor time is used up."""
        # An end must be confirmed in time, whatever the account has used.
        if self._ending or self._share is None or not self._share.must_wait:
            return False
        if self._waiting is None:
            # One task waits for the worker, however many of its frames do.
            self._waiting = self._loop.create_task(self._wait_for_share(self._share))
        return True

    def take(self, kind: Kind, fiber: int, body: bytes) -> None:
        """See `FrameHandler.take`. Raises FrameError for what a worker cannot say."""
        action = self._fibers.get(fiber)
        if action is None:
            raise FrameError("no such fiber is open")
        # What a fiber still says while it is being ended is not heard: how it ends is decided.
        ending = fiber in self._ending
        if kind in _ENDS:
            if not ending:
                self._forget(fiber)
                # A trap may follow an attempt to break out, so no further action shares this process.
                self.retired = self.retired or kind is Kind.CRASHED
                action.ended(kind, body)
                self._notify_fiber_ended()
        # The confirmation: the instance is gone, and nothing more of the fiber comes.
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
                # Others' actions in it are of the same account and program, and go on; it gets no
                # further ones.
                self.retired = True
                action.broke()
                self.end(fiber)

    def take_oversized(self, kind: Kind, fiber: int) -> None:
        """See `FrameHandler.take_oversized`. Raises FrameError."""
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
        """See `FrameHandler.broken`: an honest worker cannot get here, so nothing more of it is believed."""
        self._lose(Loss.WORKER_LOST)

    def disconnected(self) -> None:
        """See `FrameHandler.disconnected`: it ends, or is ended when it does not."""
        self._socket.close()
        self.retired = True
        # A closed socket is no end: a process that was taken over could go on computing.
        stays = self._loop.call_later(END_TIMEOUT_S, self._lose, Loss.WORKER_LOST)
        self._process.when_gone(stays.cancel)

    def _hurry(self) -> None:
        """Beside others' load, what the lowest priority has takes seconds to end anything, itself included."""
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
        """Kill it for a fault of its own."""
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
        # Emptied first: callbacks may ask for `fibers` and must see none.
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
        """Return the cause of an end that the node did not request."""
        # Only the kernel sends SIGKILL beside the node: the machine lacked memory, whatever the actions held.
        if self._process.ended_by == signal.SIGKILL:
            return Loss.MEMORY
        return Loss.CRASHED if len(self._fibers) == 1 else Loss.WORKER_LOST
