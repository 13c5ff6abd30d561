"""Children asked of the zygote: each has one socket as its descriptor 0, nothing else of ours, no environment."""

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from node.engine.child_process import Channel, ChildProcess
from node.engine.frames import FrameError, Kind
from node.engine.limits import EngineLimits
from node.engine.own_process import OwnProcess
from node.engine.prelude_source import prelude_source
from node.engine.zygote_process import ZygoteError, ZygoteProcess, zygote_command
from node.engine.zygotes import Zygotes
from node.errors import ErrorCode, NodeError

_ATTEMPTS: Final = 10
"""A zygote that dies costs a request up to three: one it had begun, one it had not read, one it can no longer take."""
_log = structlog.get_logger(__name__)


class _LostError(Exception):
    """The socket closed before the child said anything: the zygote died, or the child did."""


class Spawner:
    """Forks ready children from a zygote of its own; made inside a running event loop.

    `clock` counts seconds and tells the zygote's age.
    """

    def __init__(
        self,
        limits: EngineLimits,
        command: Callable[[EngineLimits], Sequence[str]] = zygote_command,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._command = list(command(limits))
        self._prelude = prelude_source(limits.frame_bytes, limits.log_bytes)
        self._limits = limits
        self._starting = asyncio.Semaphore(limits.children_starting)
        self._zygotes = Zygotes(self._start_zygote, limits, clock)
        self._groups_with_strays: set[int] = set()

    @property
    def measures(self) -> tuple[str, ...]:
        """The optional measures of isolation in force: namespaces by name, `landlock`."""
        zygote = self._zygotes.current
        return zygote.measures if zygote is not None else ()

    async def spawn(self) -> ChildProcess:
        """A child that has locked itself in and waits for its job. Raises NodeError `runner_unavailable`.

        Not to be cancelled: between its parts nobody else knows of the process.
        """
        async with self._starting:
            for _ in range(_ATTEMPTS):
                try:
                    return await self._fork(await self._zygotes.get())
                except _LostError:
                    continue
                except (ZygoteError, FrameError, TimeoutError) as error:
                    raise _unavailable(str(error) or repr(error)) from error
        raise _unavailable("processes end before they are ready")

    async def close(self) -> None:
        """End the zygote, once every child is gone."""
        await self._zygotes.close()
        for group in self._groups_with_strays:
            await asyncio.to_thread(_end_strays, group)

    async def _start_zygote(self) -> ZygoteProcess:
        return await ZygoteProcess.start(self._command, self._prelude, self._limits)

    async def _fork(self, zygote: ZygoteProcess) -> ChildProcess:
        ours, theirs = socket.socketpair()
        try:
            zygote.request(theirs)
        except OSError:
            ours.close()
            zygote.kill()
            await zygote.ended()
            raise _LostError from None
        finally:
            theirs.close()
        channel = Channel(ours, self._limits.frame_bytes)
        try:
            async with asyncio.timeout(self._limits.child_start_timeout_s):
                process = await _identify(channel)
        except BaseException as error:
            channel.close()
            # From now on there may be a process we know no number of; it ends as soon as it reads its socket.
            self._groups_with_strays.add(zygote.pid)
            if isinstance(error, TimeoutError):
                zygote.kill()
            raise
        child = ChildProcess(process, channel)
        try:
            async with asyncio.timeout(self._limits.child_start_timeout_s):
                await _until_ready(channel)
        except BaseException:
            await child.close()
            raise
        return child


async def _identify(channel: Channel) -> OwnProcess:
    """The process at the other end. Raises _LostError, ZygoteError."""
    frame = await channel.receive()
    if frame is None:
        raise _LostError
    text = frame.body.decode(errors="replace")
    if frame.kind is not Kind.PROCESS:
        raise ZygoteError(text)
    try:
        return OwnProcess(int(text))
    except (OSError, ValueError) as error:
        raise ZygoteError(f"no process of ours: {error}") from error


async def _until_ready(channel: Channel) -> None:
    frame = await channel.receive()
    if frame is None:
        raise ZygoteError("it ended")
    if frame.kind is not Kind.READY:
        raise ZygoteError(frame.body.decode(errors="replace"))


def _end_strays(group: int) -> None:
    """Kill and reap what is left of a process group; as long as a child of ours is in it, its number is its own."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitid(os.P_PGID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(group, signal.SIGKILL)
            os.waitpid(-group, 0)


def _unavailable(reason: str) -> NodeError:
    _log.error("action_process_not_started", reason=reason)
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node could not start a process for the action.",
        fix="Try again; nothing was charged. If it stays so, the node's log says why.",
        retry_after_s=5,
    )
