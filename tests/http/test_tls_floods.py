"""TLS without content: a client may send little of it, and no step of the event loop takes much of it."""

import asyncio
import contextlib
import socket
from asyncio.trsock import TransportSocket
from collections.abc import Iterator
from typing import TypeGuard, cast

import pytest

from tests.http.test_request_heads import LAST, LOOPBACK, port_of, tls_listener
from tests.support.http_server import Server
from tests.support.key_updates import KeyUpdater
from tests.support.loop_meter import metered_loop
from tests.support.pebble import DOMAIN

STEP_MAX_S = 0.06
SOON_S = 5.0
"""Before the deadline of a head, which ends a connection as well."""
UNREAD_UPDATES = 30_000
"""800 kB of answers."""
KERNEL_BYTES = 4_096
AHEAD_BYTES = 65_536
"""Kernel buffer of each side: the client must not have sent all before the node has read a part."""
BODY_HEAD = (
    b'POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n"'
)


@contextlib.contextmanager
def updater(port: int) -> Iterator[KeyUpdater]:
    made = KeyUpdater(port, DOMAIN)
    try:
        yield made
    finally:
        made.close()


def flood(port: int, count: int, content: bytes = b"") -> bool:
    """Send the beginning of a head and so many KeyUpdates, each with the content. Returns whether the node hung up on them."""
    with updater(port) as client:
        client.socket.settimeout(SOON_S)
        try:
            client.socket.sendall(client.records(b"GET / HTTP/1.1\r\nX-Long: ", 100) + client.updates(count, content))
            while client.socket.recv(65_536):
                pass
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        return True


async def test_key_updates_without_content_end_the_connection_and_hold_nothing(server: Server) -> None:
    async with port_of("tls", server) as port, metered_loop() as meter:
        assert await asyncio.to_thread(flood, port, 20_000)
    assert meter.longest_s < STEP_MAX_S


async def test_key_updates_between_few_bytes_of_content_end_the_connection(server: Server) -> None:
    async with port_of("tls", server) as port, metered_loop() as meter:
        assert await asyncio.to_thread(flood, port, 6_000, b"a")
    assert meter.longest_s < STEP_MAX_S


@pytest.mark.exhaustive
async def test_who_reads_no_answer_to_its_key_updates_is_disconnected(server: Server) -> None:
    """The content of a body pays for them, and each is answered: the node kept the answers for as long as the body went on."""
    async with port_of("tls", server) as port:
        client = await asyncio.to_thread(KeyUpdater, port, DOMAIN)
        with contextlib.closing(client):
            # What kernels keep for a client is not the node's: little here, or the test would have to send megabytes.
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BYTES)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, AHEAD_BYTES)
            for option, size in ((socket.SO_SNDBUF, KERNEL_BYTES), (socket.SO_RCVBUF, AHEAD_BYTES)):
                server_side(server).setsockopt(socket.SOL_SOCKET, option, size)
            assert not await asyncio.to_thread(sends_on, client)


def server_side(server: Server) -> socket.socket:
    """The node's socket of the only connection with TLS."""
    assert server.runner.server is not None
    found = [
        each.transport.get_extra_info("socket") for each in server.runner.server.connections if is_tls(each.transport)
    ]
    (only,) = found
    assert isinstance(only, TransportSocket)
    return cast("socket.socket", only)


def is_tls(transport: asyncio.Transport | None) -> TypeGuard[asyncio.Transport]:
    return transport is not None and transport.get_extra_info("sslcontext") is not None


def sends_on(client: KeyUpdater) -> bool:
    """Send the beginning of a body among KeyUpdates and read nothing. Returns whether the node takes all of it."""
    client.socket.sendall(client.records(BODY_HEAD, len(BODY_HEAD)))
    try:
        for _ in range(UNREAD_UPDATES // 1_000):
            client.socket.sendall(client.updates(1_000, b"aa"))
    except ConnectionError:
        return False
    return True


@pytest.mark.parametrize("size", [1, 3, 20_000])
async def test_records_of_any_size_are_served(server: Server, size: int) -> None:
    """A KeyUpdate now and then among them."""

    def answered(port: int) -> bytes:
        head = LAST.replace(b"\r\n\r\n", b"\r\nX-Long: " + b"a" * 5_000 + b"\r\n\r\n")
        with updater(port) as client:
            client.socket.sendall(client.updates(5) + client.records(head, size))
            return client.content()

    async with port_of("tls", server) as port:
        assert (await asyncio.to_thread(answered, port)).startswith(b"HTTP/1.1 200 ")


class Hesitant(asyncio.Protocol):
    """Takes what has arrived only when it is told to."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.has_content = False
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.has_content = bool(data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.is_lost = True

    async def take(self) -> None:
        """Take what has arrived, and nothing that arrives meanwhile."""
        for _ in range(5):
            await asyncio.sleep(0)
        if self.transport is not None:
            self.transport.resume_reading()
            await asyncio.sleep(0)
            self.transport.pause_reading()


async def test_key_updates_that_wait_for_the_protocol_are_counted_once_it_takes_them() -> None:
    def flooded(port: int) -> None:
        with updater(port) as client, contextlib.suppress(ConnectionError, TimeoutError):
            client.socket.settimeout(SOON_S)
            client.socket.sendall(client.updates(6_000) + client.records(b"a", 1))
            while client.socket.recv(65_536):
                pass

    protocol = Hesitant()
    listener = await tls_listener(lambda _: protocol)
    await listener.start(LOOPBACK, 0)
    try:
        flooding = asyncio.create_task(asyncio.to_thread(flooded, listener.port))
        while not protocol.is_lost and not protocol.has_content:
            await protocol.take()
        assert protocol.is_lost
        await flooding
    finally:
        await listener.close()
