"""Frames over the only descriptor of a worker, and of the zygote.

Until a worker is ready, and always between node and zygote, a frame is one kind byte, four length bytes (big endian) and a
body. After that every frame of a worker, both ways, has four bytes with the number of its fiber after the kind.
"""

import os
import select
from _io import FileIO

from node.engine.protocol import HEADER_BYTES

DESCRIPTOR = 0
_READ_BYTES = 64 * 1024
_READS_AT_ONCE = 16
"""Between two slices of actions: an end may wait behind one long answer, and must not wait for a slice with each part."""
UNSENT_BYTES_MAX = 256 * 1024
"""Of output that the node has not taken; at more, no fiber runs. About what a socket buffers itself."""


def frame(kind: str, text: str) -> bytes:
    """Return a frame without a fiber."""
    body = text.encode()
    return kind.encode() + len(body).to_bytes(4) + body


def send(kind: str, text: str) -> None:
    """Write one frame without a fiber; the process ends when nobody reads any more."""
    remaining = memoryview(frame(kind, text))
    while remaining:
        try:
            written = os.write(DESCRIPTOR, remaining)
        except OSError:
            os._exit(0)
        remaining = remaining[written:]


class FiberChannel:
    """Frames with fibers, never blocking on the node. The process ends when the node closes the other end.

    Made in the zygote, for whatever the descriptor is in a worker: it knows its number alone.
    """

    def __init__(self) -> None:
        # Its readinto is read(2) into memory that is used again; os.read would take fresh memory for each.
        self._file = FileIO(DESCRIPTOR, "r+", closefd=False)
        self._poll = select.poll()
        self._received = bytearray()
        self._part = bytearray(_READ_BYTES)
        self._view = memoryview(self._part)
        self._filled = 0
        self._unsent = bytearray()
        self._polls_output = False
        self._poll.register(DESCRIPTOR, select.POLLIN)

    def open(self) -> None:
        """Use what is behind the descriptor from now on."""
        # A worker that waited for a slow node could neither end an action in time nor run another.
        os.set_blocking(DESCRIPTOR, False)

    @property
    def is_clogged(self) -> bool:
        """True while the node has not taken enough of the output for any more to be produced."""
        return len(self._unsent) > UNSENT_BYTES_MAX

    def put(self, kind: int, fiber: int, body: bytes | bytearray | memoryview = b"") -> None:
        """Queue one frame."""
        self._unsent += kind.to_bytes() + fiber.to_bytes(4) + len(body).to_bytes(4)
        self._unsent += body

    def flush(self) -> None:
        """Write what the socket takes now."""
        while self._unsent:
            try:
                written = os.write(DESCRIPTOR, self._unsent)
            except BlockingIOError:
                break
            except OSError:
                os._exit(0)
            del self._unsent[:written]
        # Only while there is output: a socket that can be written would end every wait at once.
        if bool(self._unsent) != self._polls_output:
            self._polls_output = not self._polls_output
            self._poll.modify(DESCRIPTOR, select.POLLIN | (select.POLLOUT if self._polls_output else 0))

    def wait(self, milliseconds: int) -> bool:
        """Wait until the socket can be read, or written when there is output; -1 for no limit. False when the time is up."""
        return bool(self._poll.poll(milliseconds))

    def wipe(self) -> None:
        """Overwrite what was received, as far as memory was written: untouched pages cost nothing."""
        self._part[: self._filled] = bytes(self._filled)
        self._filled = 0

    def receive(self) -> "list[tuple[int, int, bytes]]":
        """Kind, fiber and body of every frame that is there."""
        received = self._received
        for _ in range(_READS_AT_ONCE):
            try:
                count = self._file.readinto(self._view)
            except OSError:
                count = 0
            if count is None:
                break
            # The node has closed its end, or has died: nobody is left to work for.
            if count == 0:
                os._exit(0)
            self._filled = max(self._filled, count)
            received += self._view[:count]
            if count < _READ_BYTES:
                break
        frames = []
        at = 0
        while len(received) - at >= HEADER_BYTES:
            end = at + HEADER_BYTES + int.from_bytes(received[at + 5 : at + 9])
            if end > len(received):
                break
            frames.append((received[at], int.from_bytes(received[at + 1 : at + 5]), bytes(received[at + 9 : end])))
            at = end
        del received[:at]
        return frames
