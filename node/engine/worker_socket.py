"""The node's end of a worker's socket, which reads and writes frames without blocking."""

import asyncio
import socket
from collections import deque
from typing import Final, Protocol

from node.engine.frames import HEADER, FrameError, Kind, encode, kind_of
from node.engine.protocol import HEADER_BYTES

_CHUNK_BYTES: Final = 64 * 1024
"""Bytes read or written at a time. From 128 KiB malloc maps new memory, at five times the cost."""
_FRAMES_AT_ONCE: Final = 32
"""Maximum frames in a turn of the event loop, since a chunk can have thousands."""
_SKIPPED_TIMES: Final = 4
"""Multiple of the limit to which frames are skipped, as characters have up to three bytes."""


class FrameHandler(Protocol):
    """Reader of a socket's frames."""

    def must_wait(self) -> bool:
        """Returns whether no frame may be taken now. Then `resume` is called later."""
        ...

    def take(self, kind: Kind, fiber: int, body: bytes) -> None:
        """Takes a whole frame."""
        ...

    def take_oversized(self, kind: Kind, fiber: int) -> None:
        """Notes a frame longer than the limit, whose body is skipped."""
        ...

    def broken(self) -> None:
        """Notes bytes that are no frame."""
        ...

    def disconnected(self) -> None:
        """Notes that the other side has closed the socket."""
        ...


class WorkerSocket:
    """Frames over a connected socket that it owns, inside a running event loop.

    It buffers at most one received frame of `frame_bytes` and one chunk.
    """

    def __init__(self, ours: socket.socket, frame_bytes: int, handler: FrameHandler) -> None:
        self._socket = ours
        # By number, since asyncio renders the socket into an error that it swallows.
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
        """Writes a frame after the former ones, and buffers the rest. Does nothing if closed."""
        if self._closed:
            return
        frame = encode(kind, fiber, body)
        sent = 0
        if not self._unsent:
            try:
                # At once, so that the worker begins now and no loop turn is spent on it.
                sent = self._socket.send(frame)
            except BlockingIOError:
                sent = 0
            except OSError:
                return  # reading reports its end
        if sent < len(frame):
            if not self._unsent:
                self._loop.add_writer(self._descriptor, self._write)
            self._unsent.append((fiber, memoryview(frame)[sent:]))
            self._unsent_bytes += len(frame) - sent

    def send_ahead(self, kind: Kind, fiber: int, *, is_last: bool = False) -> None:
        """Writes a frame without a body before all others, which may take seconds.

        After the last frame of a fiber, its buffered frames are dropped.
        """
        if self._closed or not self._unsent:
            self.send(kind, fiber)
            return
        # Finish a frame that is partly sent, or the stream would lose its framing.
        begun = [self._unsent.popleft()] if _is_begun(self._unsent[0][1]) else []
        others = [waiting for waiting in self._unsent if not is_last or waiting[0] != fiber]
        self._unsent = deque([*begun, (fiber, memoryview(encode(kind, fiber))), *others])
        self._unsent_bytes = sum(len(part) for _, part in self._unsent)
        self._sent_some.set()

    async def few_unsent(self, bytes_max: int) -> None:
        """Waits until at most `bytes_max` are unread by the other side."""
        while self._unsent_bytes > bytes_max:
            self._sent_some.clear()
            await self._sent_some.wait()

    def resume(self) -> None:
        """Continues after the handler's wait. The next frame is taken in any case."""
        self._parse(has_waited=True)

    def close(self) -> None:
        """Closes it and drops unsent frames."""
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
        """Passes on complete frames, a few at a time; reads when none is left."""
        try:
            for _ in range(_FRAMES_AT_ONCE):
                if self._closed:
                    return
                if len(self._received) < HEADER_BYTES and not self._skipping:
                    self._watch()
                    return
                # Back-pressure: unread data fills the kernel's buffer, and the worker waits.
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
        # Pass on what was received before more is read.
        self._loop.call_soon(self._parse)

    def _next(self) -> bool:
        """Passes on one frame. Returns False if none is complete. Raises FrameError."""
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
        # The length is the worker's claim, so allocate nothing for it.
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
                # Bounded, so that a call does not copy megabytes on the event loop.
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
    """Returns whether some of the frame has been sent."""
    return part.nbytes < len(part.obj)  # type: ignore[arg-type]  # the frame's own bytes
