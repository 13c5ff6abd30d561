"""A network of a container's own: loopback alone, and the ports that are lent across its border."""

import asyncio
import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

_LOOPBACK: Final = "127.0.0.1"
_CLONE_NEWNET: Final = 0x40000000
_SIOCGIFFLAGS: Final = 0x8913
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 1
_INTERFACE: Final = struct.Struct("16sh14x")
_CHUNK_BYTES: Final = 1 << 16


class OwnNetwork:
    """Use as a context manager. One thread lives inside and makes the sockets of that side; the rest stays outside.

    Entering raises OSError where the system gives no network namespace.
    """

    def __init__(self) -> None:
        self._inside = ThreadPoolExecutor(1, "inside")
        self._namespace = -1
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lending", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._namespace = self._inside.submit(_leave).result()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._inside.shutdown()
        os.close(self._namespace)

    @property
    def path(self) -> str:
        """The namespace as engines take it; there while this context lasts."""
        return f"/proc/{os.getpid()}/fd/{self._namespace}"

    def lend(self, port: int) -> None:
        """Have this port of the machine's loopback at the same address inside."""
        listening = self._inside.submit(socket.create_server, (_LOOPBACK, port)).result()
        self._wait(self._forward(listening, port, None))

    def reach(self, port: int) -> int:
        """A port of the machine's loopback that leads to this one inside."""
        listening = socket.create_server((_LOOPBACK, 0))
        self._wait(self._forward(listening, port, self._inside))
        return int(listening.getsockname()[1])

    def first_process(self) -> int | None:
        """The machine's number for the process that is number 1 inside; None when there is none."""
        here = os.fstat(self._namespace).st_ino
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                is_ours = (folder / "ns/net").stat().st_ino == here
                if is_ours and _number_inside((folder / "status").read_text()) == 1:
                    return int(folder.name)
        return None

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _forward(self, listening: socket.socket, port: int, side: Executor | None) -> None:
        async def connect() -> socket.socket:
            address = (_LOOPBACK, port)
            return await self._loop.run_in_executor(side, socket.create_connection, address)

        self._start(_serve(listening, connect))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._loop.shutdown_default_executor()


def _leave() -> int:
    """Take this thread into a network of its own, with loopback up; a descriptor of it. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no network namespace can be had")
    with socket.socket() as any_socket:
        asked = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, _INTERFACE.pack(b"lo", 0))
        _, flags = _INTERFACE.unpack(asked)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _INTERFACE.pack(b"lo", flags | _IFF_UP))
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY)


def _number_inside(status: str) -> int:
    """Of a process, in the innermost namespace it is in."""
    (line,) = (line for line in status.splitlines() if line.startswith("NSpid:"))
    numbers = line.split()[1:]
    return int(numbers[-1]) if len(numbers) > 1 else 0


async def _serve(listening: socket.socket, connect: Callable[[], Awaitable[socket.socket]]) -> None:
    """Join every connection with one from `connect`, until cancelled; then none is left."""
    open_ones: set[asyncio.Task[None]] = set()

    async def serve_one(theirs: asyncio.StreamReader, to_them: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_ones.add(task)
        try:
            await _join(theirs, to_them, connect)
        finally:
            open_ones.discard(task)
            to_them.close()

    server = await asyncio.start_server(serve_one, sock=listening)
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        server.close()
        for task in open_ones:
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)


async def _join(
    theirs: asyncio.StreamReader, to_them: asyncio.StreamWriter, connect: Callable[[], Awaitable[socket.socket]]
) -> None:
    """Both ways, until both have ended, or one side is gone."""
    with contextlib.suppress(OSError):
        ours, to_us = await asyncio.open_connection(sock=await connect())
        try:
            await asyncio.gather(_copy(theirs, to_us), _copy(ours, to_them))
        finally:
            to_us.close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while chunk := await source.read(_CHUNK_BYTES):
        sink.write(chunk)
        await sink.drain()
    sink.write_eof()
