"""The node's end of the socket to one worker: frames are written without waiting, and read as they come."""

import asyncio
import socket
from collections import deque
from typing import Final, Protocol

from node.engine.frames import HEADER, FrameError, Kind, encode, kind_of
from node.engine.protocol import HEADER_BYTES

_CHUNK_BYTES: Final = 64 * 1024
"""Read or written at a time. For 128 KiB and more, malloc may map fresh memory at every read, which costs five times as much."""
_FRAMES_AT_ONCE: Final = 32
"""Then everybody else has a turn of the event loop: a flood of small frames fits into one chunk by the thousand."""
_SKIPPED_TIMES: Final = 4
"""Frames of at most so many times the limit are skipped: the prelude cuts by characters, of at most three bytes each."""


class FrameHandler(Protocol):
    """Reader of the frames of a socket."""

    def must_wait(self) -> bool:
        """Return whether no frame is to be taken now; then `resume` is called later."""
        ...

    def take(self, kind: Kind, fiber: int, body: bytes) -> None:
        """A whole frame."""
        ...

    def take_oversized(self, kind: Kind, fiber: int) -> None:
        """A frame that is longer than the limit; its body is skipped."""
        ...

    def broken(self) -> None:
        """The bytes that came are no frame."""
        ...

    def disconnected(self) -> None:
        """The other side has closed the socket."""
        ...


class WorkerSocket:
    """Frames over a connected socket, the object's from now on; made inside a running event loop.

    What is held of the other side's is at most one frame of `frame_bytes` and one chunk.
    """

    def __init__(self, ours: socket.socket, frame_bytes: int, handler: FrameHandler) -> None:
        self._socket = ours
        # By its number: asyncio writes the whole socket into an error that it then swallows.
        self._descriptor = ours.fileno()
        self._frame_bytes = frame_bytes
        self._handler = handler
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._skipping = 0
        self._watching = False
        self._unsent: deque[tuple[int, memoryview]] = deque()
        self._unsent_bytes = 0
        self._sent_some = asyncio.Event()
        self._closed = False
        self._watch()

    def send(self, kind: Kind, fiber: int, body: bytes = b"") -> None:
        """Write a frame, after those written before; what the other side does not take yet is kept. Closed: nothing."""
        if self._closed:
            return
        frame = encode(kind, fiber, body)
        sent = 0
        if not self._unsent:
            try:
                # At once: the worker begins while the node goes on, and no turn of the event loop is spent on it.
                sent = self._socket.send(frame)
            except BlockingIOError:
                sent = 0
            except OSError:
                return  # its end is told by reading
        if sent < len(frame):
            if not self._unsent:
                self._loop.add_writer(self._descriptor, self._write)
            self._unsent.append((fiber, memoryview(frame)[sent:]))
            self._unsent_bytes += len(frame) - sent

    def send_ahead(self, kind: Kind, fiber: int, *, is_last: bool = False) -> None:
        """Write a frame without a body before all that waits: megabytes of answers would hold it up for seconds.

        After the last frame of a fiber it gets nothing: what waits for it is dropped.
        """
        if self._closed or not self._unsent:
            self.send(kind, fiber)
            return
        # A frame of which some bytes are sent must be finished first, or the stream loses its framing.
        begun = [self._unsent.popleft()] if _is_begun(self._unsent[0][1]) else []
        others = [waiting for waiting in self._unsent if not is_last or waiting[0] != fiber]
        self._unsent = deque([*begun, (fiber, memoryview(encode(kind, fiber))), *others])
        self._unsent_bytes = sum(len(part) for _, part in self._unsent)
        self._sent_some.set()

    async def few_unsent(self, bytes_max: int) -> None:
        """Wait until at most so much waits for the other side to read."""
        while self._unsent_bytes > bytes_max:
            self._sent_some.clear()
            await self._sent_some.wait()

    def resume(self) -> None:
        """Go on after the handler had to wait: the next frame is taken, whether or not it must wait again."""
        self._parse(has_waited=True)

    def close(self) -> None:
        """Close it, unsent frames and all."""
        if self._closed:
            return
        self._closed = True
        self._unwatch()
        if self._unsent:
            self._loop.remove_writer(self._descriptor)
            self._unsent.clear()
        self._unsent_bytes = 0
        self._received.clear()
        self._socket.close()
        self._sent_some.set()

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            self._loop.add_reader(self._descriptor, self._read)

    def _unwatch(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_reader(self._descriptor)

    def _read(self) -> None:
        try:
            part = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._unwatch()
            self._handler.disconnected()
            return
        self._received += part
        self._parse()

    def _parse(self, *, has_waited: bool = False) -> None:
        """Hand over the whole frames there are, a few at a time; read on when none is left."""
        try:
            for _ in range(_FRAMES_AT_ONCE):
                if self._closed:
                    return
                if len(self._received) < HEADER_BYTES and not self._skipping:
                    self._watch()
                    return
                # Back-pressure: while nothing is read the kernel's buffer fills, and the worker keeps what it has to say.
                if not has_waited and self._handler.must_wait():
                    self._unwatch()
                    return
                has_waited = False
                if not self._next():
                    self._watch()
                    return
        except FrameError:
            self._unwatch()
            self._handler.broken()
            return
        self._unwatch()
        # The socket stays unwatched: what was received is handed over before more is read.
        self._loop.call_soon(self._parse)

    def _next(self) -> bool:
        """Hand one frame over; False when none is whole yet. Raises FrameError."""
        received = self._received
        if self._skipping:
            skipped = min(self._skipping, len(received))
            del received[:skipped]
            self._skipping -= skipped
            if self._skipping:
                return False
        if len(received) < HEADER_BYTES:
            return False
        byte, fiber, length = HEADER.unpack_from(received)
        end = HEADER_BYTES + length
        # The length is the worker's claim: nothing is allocated for it.
        if length > self._frame_bytes:
            del received[:HEADER_BYTES]
            self._skipping = length
            self._handler.take_oversized(kind_of(byte), fiber)
            if length > _SKIPPED_TIMES * self._frame_bytes:
                raise FrameError("a frame is far over the limit")
            return True
        if len(received) < end:
            return False
        with memoryview(received) as view:
            body = bytes(view[HEADER_BYTES:end])
        del received[:end]
        self._handler.take(kind_of(byte), fiber, body)
        return True

    def _write(self) -> None:
        try:
            while self._unsent:
                fiber, part = self._unsent[0]
                # Bounded: one call must not copy megabytes on the event loop.
                sent = self._socket.send(part[:_CHUNK_BYTES])
                self._unsent_bytes -= sent
                if sent == len(part):
                    self._unsent.popleft()
                else:
                    self._unsent[0] = fiber, part[sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent.clear()
            self._unsent_bytes = 0
        if not self._unsent:
            self._loop.remove_writer(self._descriptor)
        self._sent_some.set()


def _is_begun(part: memoryview) -> bool:
    """Return whether some of the frame has been sent."""
    return part.nbytes < len(part.obj)  # type: ignore[arg-type]  # the frame's own bytes
