"""One child as the parent holds it: spoken to over one socket, killed by pidfd, always reaped."""

import asyncio
import socket
from dataclasses import dataclass
from typing import Final

from node.engine.frames import HEADER_BYTES, FrameError, Kind, encode, parse_header
from node.engine.own_process import OwnProcess

_CHUNK_BYTES: Final = 256 * 1024
_READ_AHEAD_BYTES: Final = 256 * 1024
"""What is taken from the socket before anybody asks for it; the rest waits there, and so does the child."""


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
    """The node's end of the socket to one child, or to the zygote; made inside a running event loop.

    The bare socket: a stream of asyncio's own costs a third of all the node does for an action.
    One task receives at a time, any number send.
    """

    def __init__(self, ours: socket.socket, frame_bytes: int) -> None:
        """Over a connected socket, the channel's from now on; frames received have at most `frame_bytes`."""
        ours.setblocking(False)
        self._socket = ours
        # By its number: asyncio writes the whole socket into an error that it then swallows.
        self._descriptor = ours.fileno()
        self._frame_bytes = frame_bytes
        self._received = bytearray()
        self._ended = False
        self._sending = asyncio.Lock()
        self._readable: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._watching = True
        self._loop.add_reader(self._descriptor, self._read)

    async def send(self, kind: str, text: str) -> None:
        """Write one frame, a part at a time while the child reads, after those sent before. Raises OSError when it is gone."""
        left = memoryview(encode(kind, text))
        async with self._sending:
            while left:
                try:
                    left = left[self._socket.send(left[:_CHUNK_BYTES]) :]
                except BlockingIOError:
                    await self._until_writable()

    async def receive(self) -> Frame | None:
        """The next frame, None at the end. Raises FrameError for a broken one, OversizedFrameError for a long one."""
        while (frame := self._next_frame()) is None:
            if self._ended:
                return None
            if not self._watching:
                self._watching = True
                self._loop.add_reader(self._descriptor, self._read)
            self._readable = self._loop.create_future()
            await self._readable
        return frame

    def close(self) -> None:
        """Close the socket, unsent frames and all; who sends gets OSError, who receives the end."""
        if self._socket.fileno() < 0:
            return
        self._stop_watching()
        self._loop.remove_writer(self._descriptor)
        self._socket.close()
        self._ended = True
        _wake(self._readable)
        _wake(self._writable)

    def _next_frame(self) -> Frame | None:
        if len(self._received) < HEADER_BYTES:
            return None
        kind, length = parse_header(bytes(self._received[:HEADER_BYTES]))
        if length > self._frame_bytes:
            raise OversizedFrameError(kind)
        end = HEADER_BYTES + length
        if len(self._received) < end:
            return None
        body = bytes(memoryview(self._received)[HEADER_BYTES:end])
        del self._received[:end]
        return Frame(kind, body)

    def _read(self) -> None:
        try:
            part = self._socket.recv(_READ_AHEAD_BYTES)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._received += part
        self._ended = not part
        waited_for = self._readable is not None and not self._readable.done()
        if self._ended or (not waited_for and len(self._received) >= _READ_AHEAD_BYTES):
            self._stop_watching()
        _wake(self._readable)

    def _stop_watching(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_reader(self._descriptor)

    async def _until_writable(self) -> None:
        self._writable = self._loop.create_future()
        self._loop.add_writer(self._descriptor, _wake, self._writable)
        try:
            await self._writable
        finally:
            if self._socket.fileno() >= 0:
                self._loop.remove_writer(self._descriptor)


def _wake(waiting: "asyncio.Future[None] | None") -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


class ChildProcess:
    """A forked child. `kill` at any time; `end` gives everything back, `gone` tells when nothing is left."""

    def __init__(self, process: OwnProcess, channel: Channel) -> None:
        self._process = process
        self.send = channel.send
        self.receive = channel.receive
        self._channel = channel
        self.kill = process.kill
        self.exit_signal = process.exit_signal
        self.when_gone = process.when_gone

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, as far as the event loop has seen."""
        return self._process.alive

    def end(self) -> None:
        """Kill it and close the socket; it is reaped as soon as it is gone, whether or not anybody waits for that."""
        self.kill()
        self._channel.close()

    async def close(self) -> None:
        """`end` it, and wait until it is reaped."""
        self.end()
        await self.exit_signal()
