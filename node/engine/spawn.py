"""Workers asked of the zygote: each has one socket as its descriptor 0, nothing else of ours, no environment."""

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from node.engine.errors import ActionProcessNotStartedError
from node.engine.frames import FrameError, Kind
from node.engine.own_process import OwnProcess
from node.engine.worker_process import Worker
from node.engine.zygotes import (
    WORKER_START_TIMEOUT_S,
    ZygoteError,
    ZygoteProcess,
    Zygotes,
    receive_frame,
    zygote_command,
)
from node.settings.execution import ActionSettings

_ATTEMPTS: Final = 10
"""A zygote that dies costs a request up to three: one it had begun, one it had not read, one it can no longer take."""
_log = structlog.get_logger(__name__)


class _LostError(Exception):
    """The socket closed before the worker said anything: the zygote died, or the worker did."""


class Spawner:
    """Forks ready workers from a zygote of its own; made inside a running event loop.

    `monotonic` counts seconds and tells the zygote's age.
    """

    def __init__(
        self,
        settings: ActionSettings,
        command: Callable[[ActionSettings], Sequence[str]] = zygote_command,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._zygotes = Zygotes(list(command(settings)), monotonic)
        self._groups_with_orphans: set[int] = set()

    @property
    def measures(self) -> tuple[str, ...]:
        """The optional measures of isolation in force: namespaces by name, `landlock`."""
        zygote = self._zygotes.current
        return zygote.measures if zygote is not None else ()

    async def spawn(self) -> Worker:
        """A worker that has locked itself in and waits for its program. Raises EngineUnavailableError.

        Not to be cancelled: between its parts nobody else knows of the process.
        """
        for _ in range(_ATTEMPTS):
            try:
                return await self._fork(await self._zygotes.get())
            except _LostError:
                continue
            except (ZygoteError, FrameError, TimeoutError) as error:
                raise _unavailable(str(error) or repr(error)) from error
        raise _unavailable("processes end before they are ready")

    async def close(self) -> None:
        """End the zygote, once every worker is gone."""
        await self._zygotes.close()
        for group in self._groups_with_orphans:
            await asyncio.to_thread(_end_orphans, group)

    async def _fork(self, zygote: ZygoteProcess) -> Worker:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            zygote.request(theirs)
        except OSError:
            ours.close()
            zygote.kill()
            await zygote.ended()
            raise _LostError from None
        finally:
            # The zygote has its own copy: while this one is open, the end of the worker would not close the socket.
            theirs.close()
        async with asyncio.timeout(WORKER_START_TIMEOUT_S):
            return await self._ready_worker(zygote, ours)

    async def _ready_worker(self, zygote: ZygoteProcess, ours: socket.socket) -> Worker:
        try:
            process = await _identify(ours)
        except BaseException as error:
            ours.close()
            # From now on there may be a process we know no number of; it ends as soon as it reads its socket.
            self._groups_with_orphans.add(zygote.pid)
            if isinstance(error, asyncio.CancelledError):  # by the timeout alone
                zygote.kill()
            raise
        try:
            await _until_ready(ours)
        except BaseException:
            # Known by now, so it is reaped here and not left to its group.
            process.kill()
            ours.close()
            await process.exit_signal()
            raise
        return Worker(process, ours)


async def _identify(ours: socket.socket) -> OwnProcess:
    """The process at the other end. Raises _LostError, ZygoteError."""
    frame = await receive_frame(ours)
    if frame is None:
        raise _LostError
    kind, text = frame
    if kind is not Kind.PROCESS:
        raise ZygoteError(text)
    try:
        # The number is the zygote's word; OwnProcess verifies that it is a child of this process.
        return OwnProcess(int(text))
    except (OSError, ValueError) as error:
        raise ZygoteError(f"no process of ours: {error}") from error


async def _until_ready(ours: socket.socket) -> None:
    frame = await receive_frame(ours)
    if frame is None:
        raise ZygoteError("it ended")
    kind, text = frame
    if kind is not Kind.READY:
        raise ZygoteError(text)


def _end_orphans(group: int) -> None:
    """Kill and reap what is left of a process group; as long as a child of ours is in it, its number is its own."""
    with contextlib.suppress(ChildProcessError):
        while True:
            # Proves that a child is left in the group, without reaping it: otherwise the number could belong to others.
            os.waitid(os.P_PGID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(group, signal.SIGKILL)
            os.waitpid(-group, 0)


def _unavailable(reason: str) -> ActionProcessNotStartedError:
    _log.error("action_process_not_started", reason=reason)
    return ActionProcessNotStartedError()
