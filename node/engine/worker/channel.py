"""Frames over the only descriptor of a worker, and of the zygote.

Before a worker is ready, and always between node and zygote, a frame is a kind byte, four length
bytes (big endian) and a body. Later frames of a worker also have its fiber (four bytes) after it.
"""

import os
import select
from io import FileIO

from node.engine.protocol import HEADER_BYTES

DESCRIPTOR = 0
_READ_BYTES = 64 * 1024
_READS_AT_ONCE = 16
"""Maximum reads between two slices, so that the end of a long response waits for few slices."""
UNSENT_BYTES_MAX = 256 * 1024
"""Maximum unsent output, about a socket's buffer. Above it no fiber runs."""


def frame(kind: str, text: str) -> bytes:
    """Returns a frame without a fiber."""
    body = text.encode()
    return kind.encode() + len(body).to_bytes(4) + body


def send(kind: str, text: str) -> None:
    """Writes one frame without a fiber. The process ends if the reader is gone."""
    remaining = memoryview(frame(kind, text))
    while remaining:
        try:
            written = os.write(DESCRIPTOR, remaining)
        except OSError:
            os._exit(0)
        remaining = remaining[written:]


class FiberChannel:
    """Frames with fibers that never block on the node. The process ends when the node closes.

    Made in the zygote with the descriptor's number, whatever is behind it in a worker.
    """

    def __init__(self) -> None:
        # readinto reads into memory that is used again; os.read would allocate it.
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
        """Uses what is behind the descriptor from now on."""
        # A worker that blocks on a slow node could neither end nor run another action.
        os.set_blocking(DESCRIPTOR, False)

    @property
    def is_clogged(self) -> bool:
        """Whether so much output is unsent that no more may be produced."""
        return len(self._unsent) > UNSENT_BYTES_MAX

    def put(self, kind: int, fiber: int, body: bytes | bytearray | memoryview = b"") -> None:
        """Queues one frame."""
        self._unsent += kind.to_bytes() + fiber.to_bytes(4) + len(body).to_bytes(4)
        self._unsent += body

    def flush(self) -> None:
        """Writes what the socket takes now."""
        while self._unsent:
            try:
                written = os.write(DESCRIPTOR, self._unsent)
            except BlockingIOError:
                break
            except OSError:
                os._exit(0)
            del self._unsent[:written]
        # Poll for output only while there is some, since a writable socket ends every wait.
        if bool(self._unsent) != self._polls_output:
            self._polls_output = not self._polls_output
            self._poll.modify(DESCRIPTOR, select.POLLIN | (select.POLLOUT if self._polls_output else 0))

    def wait(self, milliseconds: int) -> bool:
        """Waits until the socket is readable or takes output; -1 for no limit. False if late."""
        return bool(self._poll.poll(milliseconds))

    def wipe(self) -> None:
        """Overwrites what was received; untouched memory stays untouched, as it costs nothing."""
        self._part[: self._filled] = bytes(self._filled)
        self._filled = 0

    def receive(self) -> "list[tuple[int, int, bytes]]":
        """Returns kind, fiber and body of every complete frame."""
        received = self._received
        for _ in range(_READS_AT_ONCE):
            try:
                count = self._file.readinto(self._view)
            except OSError:
                count = 0
            if count is None:
                break
            # The node has closed its end or has died.
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
