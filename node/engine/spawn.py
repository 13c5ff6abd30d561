"""Starting a child: one socket as its descriptor 0, nothing else of ours, no environment."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Final

import _quickjs
import structlog

from node.engine.child_process import ChildProcess
from node.engine.frames import FrameError, Kind
from node.engine.limits import EngineLimits
from node.engine.prelude_source import LINES_ABOVE, prelude_source
from node.errors import ErrorCode, NodeError

_BOOT: Final = "import sys; sys.path[:0] = sys.argv[1:3]; from node.engine.child.main import main; main()"
_log = structlog.get_logger(__name__)


def child_command(limits: EngineLimits) -> Sequence[str]:
    """This interpreter, isolated and without site packages, finding our package and the engine alone."""
    package_root = str(Path(str(files("node"))).parent)
    engine_folder = str(Path(_quickjs.__file__).parent)
    cpu_s = int(limits.action_timeout_s) + 2
    address_space = limits.action_memory_bytes + limits.process_overhead_bytes
    numbers = [limits.action_memory_bytes, cpu_s, address_space, os.getpid(), LINES_ABOVE]
    return [sys.executable, "-I", "-S", "-c", _BOOT, package_root, engine_folder, *map(str, numbers)]


class Spawner:
    """Spawns ready children. Its one thread must outlive them: a child dies with the thread that made it."""

    def __init__(self, limits: EngineLimits, command: Callable[[EngineLimits], Sequence[str]] = child_command) -> None:
        self._command = list(command(limits))
        self._prelude = prelude_source(limits.frame_bytes)
        self._limits = limits
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spawn")

    async def spawn(self) -> ChildProcess:
        """A child that has locked itself in and waits for its job. Raises NodeError `runner_unavailable`.

        Not to be cancelled: between its parts nobody else knows of the process.
        """
        child = await self._start()
        reason = await self._make_ready(child)
        if reason is None:
            return child
        await child.close()
        raise _unavailable(reason)

    def close(self) -> None:
        """End the thread, once every child is gone."""
        self._thread.shutdown()

    async def _start(self) -> ChildProcess:
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        try:
            process = await loop.run_in_executor(self._thread, _execute, self._command, theirs)
        except OSError as error:
            ours.close()
            raise _unavailable(str(error)) from error
        finally:
            theirs.close()
        return await ChildProcess.attach(process, ours, self._limits.frame_bytes)

    async def _make_ready(self, child: ChildProcess) -> str | None:
        """None when it is ready, else why it is not."""
        try:
            async with asyncio.timeout(self._limits.child_start_timeout_s):
                await child.send("P", self._prelude)
                frame = await child.receive()
        except (TimeoutError, FrameError, OSError) as error:
            return repr(error)
        if frame is None:
            return "it ended"
        return None if frame.kind is Kind.READY else frame.body.decode(errors="replace")


def _execute(command: Sequence[str], channel: socket.socket) -> "subprocess.Popen[bytes]":
    no_environment: Mapping[str, str] = {}
    return subprocess.Popen(  # noqa: S603 - the command is ours, no part of it comes from a request
        command,
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=no_environment,
        cwd="/",
        close_fds=True,
        start_new_session=True,
    )


def _unavailable(reason: str) -> NodeError:
    _log.error("action_process_not_started", reason=reason)
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node could not start a process for the action.",
        fix="Try again; nothing was charged. If it stays so, the node's log says why.",
        retry_after_s=5,
    )
