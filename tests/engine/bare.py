"""A zygote and its workers spoken to frame by frame, without the node's side."""

import json
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from pydantic import JsonValue

from node.engine.zygotes import zygote_command
from node.settings.execution import ActionSettings

TIMEOUT_S = 30.0
LAST = frozenset("DEMXKS")
"""Kinds of frames that end a fiber."""
Frame = tuple[str, int, bytes]


class BareZygote:
    """A zygote that is ready, started with this command."""

    def __init__(self, command: Sequence[str]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(TIMEOUT_S)
        null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (1, 2)]
        actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0), *null]
        self.pid = os.posix_spawn(command[0], [*command], {}, file_actions=actions, setpgroup=0)
        theirs.close()
        kind, text = start_frame(self._socket)
        assert kind == "R", text

    def fork(self) -> "BareWorker":
        """A worker that is ready."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._socket, [b"F"], [theirs.fileno()])
        theirs.close()
        return BareWorker(ours)

    def close(self) -> None:
        """End it, and wait for it."""
        self._socket.close()
        os.waitpid(self.pid, 0)


class BareWorker:
    """A worker that is ready."""

    def __init__(self, ours: socket.socket) -> None:
        self.socket = ours
        ours.settimeout(TIMEOUT_S)
        kind, pid = start_frame(ours)
        assert kind == "P", pid
        self.pid = int(pid)
        kind, reason = start_frame(ours)
        assert kind == "R", reason
        self._last_fiber = 0
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.status()

    def send(self, kind: str, fiber: int, body: bytes = b"") -> None:
        self.socket.sendall(kind.encode() + fiber.to_bytes(4) + len(body).to_bytes(4) + body)

    def receive(self) -> Frame:
        """The next frame. Raises EOFError when the worker has ended, TimeoutError."""
        header = exactly(self.socket, 9)
        return chr(header[0]), int.from_bytes(header[1:5]), exactly(self.socket, int.from_bytes(header[5:]))

    def bind(self, code: str) -> None:
        self.send("P", 0, json.dumps(code).encode())

    def begin(self, params: JsonValue = None) -> int:
        """Begin an action; answers its fiber."""
        self._last_fiber += 1
        self.send("J", self._last_fiber, json.dumps({"params": params, "headers": {}}).encode())
        return self._last_fiber

    def ending(self, fiber: int) -> tuple[str, bytes]:
        """The frame that ends a fiber, all others until then being thrown away."""
        while True:
            kind, of, body = self.receive()
            if of == fiber and kind in LAST:
                return kind, body

    def run(self, params: JsonValue = None) -> JsonValue:
        """The response of one action."""
        kind, body = self.ending(self.begin(params))
        assert kind == "D", (kind, body)
        response: JsonValue = json.loads(body)
        return response

    def status(self) -> int:
        """Wait for its end; the status of wait(2)."""
        if self._status is None:
            self._status = os.waitpid(self.pid, 0)[1]
        return self._status

    def end_signal(self) -> signal.Signals | None:
        """Wait for its end; the signal that ended it, or None."""
        status = self.status()
        return signal.Signals(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else None


@contextmanager
def bare_zygote(limits: ActionSettings, command: Sequence[str] | None = None) -> Iterator[BareZygote]:
    """A zygote for a while: the real one, or that command in its place."""
    zygote = BareZygote(command or zygote_command(limits))
    try:
        yield zygote
    finally:
        zygote.close()


def start_frame(channel: socket.socket) -> tuple[str, str]:
    """A frame before a process is ready. Raises EOFError, TimeoutError."""
    header = exactly(channel, 5)
    return chr(header[0]), exactly(channel, int.from_bytes(header[1:])).decode()


def exactly(channel: socket.socket, count: int) -> bytes:
    """So many bytes. Raises EOFError, TimeoutError."""
    received = b""
    while len(received) < count:
        part = channel.recv(count - len(received))
        if not part:
            raise EOFError
        received += part
    return received
