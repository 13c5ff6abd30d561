"""One child as the parent holds it: spoken to over one socket, killed by pidfd, always reaped."""

import asyncio
import contextlib
import socket
from dataclasses import dataclass
from typing import Final, Self

from node.engine.frames import HEADER_BYTES, FrameError, Kind, encode, parse_header
from node.engine.own_process import OwnProcess

_CHUNK_BYTES: Final = 256 * 1024


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


class Channel:
    """The node's end of the socket to one child, or to the zygote."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, frame_bytes: int) -> None:
        self._reader = reader
        self._writer = writer
        self._frame_bytes = frame_bytes
        self._sending = asyncio.Lock()

    @classmethod
    async def over(cls, ours: socket.socket, frame_bytes: int) -> Self:
        """A channel over a connected socket, the channel's from now on."""
        reader, writer = await asyncio.open_connection(sock=ours)
        return cls(reader, writer, frame_bytes)

    async def send(self, kind: str, text: str) -> None:
        """Write one frame, a part at a time while the child reads, after those sent before. Raises OSError when it is gone."""
        frame = memoryview(encode(kind, text))
        async with self._sending:
            for start in range(0, len(frame), _CHUNK_BYTES):
                self._writer.write(frame[start : start + _CHUNK_BYTES])
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

    async def close(self) -> None:
        """Close the socket, unsent frames and all."""
        self._writer.transport.abort()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


class ChildProcess:
    """A forked child. `kill` at any time; `close` waits until it is gone and gives everything back."""

    def __init__(self, process: OwnProcess, channel: Channel) -> None:
        self._process = process
        self.send = channel.send
        self.receive = channel.receive
        self._channel = channel
        self.kill = process.kill
        self.exit_signal = process.exit_signal

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, as far as the event loop has seen."""
        return self._process.alive

    async def close(self) -> None:
        """Kill it, wait until it is reaped, close the socket."""
        self.kill()
        await self.exit_signal()
        await self._channel.close()
