"""One zygote as the node holds it: started by exec, without environment, asked for children, ended by a closed socket."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final, Self

import _quickjs

from node.engine.child_process import Channel
from node.engine.frames import FrameError, Kind
from node.engine.limits import EngineLimits
from node.engine.own_process import OwnProcess
from node.engine.prelude_source import LINES_ABOVE

_BOOT: Final = "import sys; sys.path[:0] = sys.argv[1:3]; from node.engine.zygote.main import main; main()"


class ZygoteError(Exception):
    """A zygote, or a child of one, did not come up; the message says why, for the log."""


def zygote_command(limits: EngineLimits) -> Sequence[str]:
    """This interpreter, isolated and without site packages, finding our package and the engine alone."""
    package_root = str(Path(str(files("node"))).parent)
    engine_folder = str(Path(_quickjs.__file__).parent)
    cpu_s = int(limits.action_timeout_s) + 2
    address_space = limits.action_memory_bytes + limits.process_overhead_bytes
    numbers = [limits.action_memory_bytes, cpu_s, address_space, os.getpid(), LINES_ABOVE]
    return [sys.executable, "-I", "-S", "-c", _BOOT, package_root, engine_folder, *map(str, numbers)]


class ZygoteProcess:
    """A zygote that is ready. `measures` names the optional ones it took: namespaces, landlock."""

    def __init__(self, process: OwnProcess, requests: socket.socket, measures: tuple[str, ...]) -> None:
        self.measures = measures
        self.forks = 0
        self._process = process
        self._requests = requests

    @classmethod
    async def start(cls, command: Sequence[str], prelude: str, limits: EngineLimits) -> Self:
        """Start one and wait until it is ready. Raises ZygoteError or TimeoutError.

        To be called in a thread that lives as long as the actions: the kernel ends them with it.
        """
        ours, theirs = socket.socketpair()
        try:
            process = OwnProcess(_execute(command, theirs))
        except OSError as error:
            ours.close()
            raise ZygoteError(str(error)) from error
        finally:
            theirs.close()
        requests = ours.dup()
        channel = Channel(ours, limits.frame_bytes)
        try:
            async with asyncio.timeout(limits.zygote_start_timeout_s):
                return cls(process, requests, await _make_ready(channel, prelude))
        except BaseException:
            process.kill()
            requests.close()
            await process.exit_signal()
            raise
        finally:
            channel.close()

    @property
    def pid(self) -> int:
        """Its process id; also its process group's, its children's too."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, as far as the event loop has seen."""
        return self._process.alive

    def request(self, theirs: socket.socket) -> None:
        """Ask for a child that has `theirs` as its one descriptor. Raises OSError when the zygote is gone."""
        socket.send_fds(self._requests, [b"F"], [theirs.fileno()])
        self.forks += 1

    def kill(self) -> None:
        """End it at once; children it has made stay."""
        self._process.kill()

    async def ended(self) -> None:
        """Wait for its end."""
        await self._process.exit_signal()

    async def close(self, grace_s: float) -> None:
        """Ask for nothing more, and wait until it has answered what was asked and is gone; killed when it is slow."""
        self._requests.close()
        try:
            async with asyncio.timeout(grace_s):
                await self.ended()
        except TimeoutError:
            self.kill()
            await self.ended()


async def _make_ready(channel: Channel, prelude: str) -> tuple[str, ...]:
    try:
        await channel.send("P", prelude)
        frame = await channel.receive()
    except (FrameError, OSError) as error:
        raise ZygoteError(repr(error)) from error
    if frame is None:
        raise ZygoteError("the zygote ended")
    text = frame.body.decode(errors="replace")
    if frame.kind is not Kind.READY:
        raise ZygoteError(text)
    return tuple(text.split())


def _execute(command: Sequence[str], channel: socket.socket) -> int:
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (1, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, channel.fileno(), 0), *null]
    no_environment: Mapping[str, str] = {}
    # A process group, and no session: the kernel may share processors out by session first, and an action at the
    # lowest priority in a session of its own would then have as much as the node.
    return os.posix_spawn(command[0], [*command], no_environment, file_actions=actions, setpgroup=0)
