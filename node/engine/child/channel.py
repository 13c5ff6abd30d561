"""The one descriptor of the child, and of the zygote: frames of one kind byte, four length bytes (big endian) and a text."""

import os
import select

DESCRIPTOR = 0
_HEADER_BYTES = 5


def frame(kind: str, text: str) -> bytes:
    """One frame as it is written."""
    body = text.encode()
    return kind.encode() + len(body).to_bytes(4) + body


def send(kind: str, text: str) -> None:
    """Write one frame; the process ends when nobody reads any more."""
    remaining = memoryview(frame(kind, text))
    while remaining:
        try:
            written = os.write(DESCRIPTOR, remaining)
        except OSError:
            os._exit(0)
        remaining = remaining[written:]


def receive() -> str:
    """The text of the next frame; the process ends when the other side is gone."""
    header = _read(_HEADER_BYTES)
    return _read(int.from_bytes(header[1:])).decode()


def receive_within(milliseconds: int) -> str | None:
    """The next frame's text, or None when none starts to arrive in time; -1 waits for ever."""
    poll = select.poll()
    poll.register(DESCRIPTOR, select.POLLIN)
    return receive() if poll.poll(milliseconds) else None


def _read(count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        try:
            part = os.read(DESCRIPTOR, min(count - len(received), 1 << 20))
        except OSError:
            os._exit(0)
        if not part:
            os._exit(0)
        received += part
    return bytes(received)
