"""A process whose parent is this one: killed by pidfd, reaped as soon as it ends."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable


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
