"""One child as the parent holds it: spoken to over one socket, killed by pidfd, always reaped."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from dataclasses import dataclass
from typing import Self

from node.engine.frames import HEADER_BYTES, FrameError, Kind, encode, parse_header


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as received: its length is within the limit, its body is not yet looked at."""

    kind: Kind
    body: bytes


class OversizedFrameError(FrameError):
    """A frame longer than the limit; nothing of it was read but its kind."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(f"a frame of kind {kind} is over the limit")
        self.kind = kind


class ChildProcess:
    """A spawned child. `kill` at any time; `close` waits until it is gone and gives everything back."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        frame_bytes: int,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._frame_bytes = frame_bytes
        self._loop = asyncio.get_running_loop()
        self._pidfd = os.pidfd_open(process.pid)
        self._exited = asyncio.Event()
        self._loop.add_reader(self._pidfd, self._reap)

    @classmethod
    async def attach(cls, process: "subprocess.Popen[bytes]", channel: socket.socket, frame_bytes: int) -> Self:
        """Take charge of a process just spawned, whose descriptor 0 is the other end of `channel`."""
        reader, writer = await asyncio.open_connection(sock=channel)
        return cls(process, reader, writer, frame_bytes)

    @property
    def pid(self) -> int:
        """Its process id; also its session's and process group's."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, as far as the event loop has seen."""
        return not self._exited.is_set()

    async def send(self, kind: str, text: str) -> None:
        """Write one frame and wait while the child does not read. Raises OSError when it is gone."""
        self._writer.write(encode(kind, text))
        await self._writer.drain()

    async def receive(self) -> Frame | None:
        """The next frame, None at the end. Raises FrameError for a broken one, OversizedFrameError for a long one."""
        try:
            kind, length = parse_header(await self._reader.readexactly(HEADER_BYTES))
            if length > self._frame_bytes:
                raise OversizedFrameError(kind)
            return Frame(kind, await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, OSError):
            return None

    def kill(self) -> None:
        """End it now, whatever it does; nothing happens when it has ended."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    async def exit_signal(self) -> int | None:
        """Wait for its end: the number of the signal that ended it, None when it ended by itself."""
        await self._exited.wait()
        return -self._process.returncode if self._process.returncode < 0 else None

    async def close(self) -> None:
        """Kill it, wait until it is reaped, close the socket."""
        self.kill()
        await self._exited.wait()
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._process.wait()
        self._exited.set()
