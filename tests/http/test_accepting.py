"""Floods of connections, and of requests on one of them, leave others their turns."""

import asyncio
import contextlib
import itertools
import socket

import pytest

from node.http.listener import ACCEPTED_A_TURN, PlainListener, TlsListener
from node.http.rate import Proxies
from tests.http.test_request_heads import LAST, WHOLE
from tests.support.http_server import Server
from tests.support.tls import LOOPBACK, NoLog

CONNECTIONS = 200
REQUESTS = 30


class CountedPeers(Proxies):
    """No proxies; counts the connections about which they are asked."""

    count = 0

    def include(self, peer: str) -> bool:
        self.count += 1
        return super().include(peer)


class NoCertificate:
    """Refuses every connection."""

    looking = False

    def needed_bytes(self, _: bytes) -> None:
        raise AssertionError("nothing is looked at")

    def context(self, _: bytes) -> None:
        return None

    def is_proof(self, _: object) -> bool:
        return False


@pytest.mark.parametrize("kind", ["plain", "tls"])
async def test_others_have_turns_while_connections_are_accepted(kind: str) -> None:
    peers = CountedPeers()

    def protocol(_: str | None) -> asyncio.Protocol:
        return asyncio.Protocol()

    listener: PlainListener | TlsListener
    if kind == "plain":
        listener = PlainListener(protocol, 1024, peers, NoLog())
    else:
        listener = TlsListener(protocol, NoCertificate(), 1024, peers, NoLog())
    await listener.start(LOOPBACK, 0)
    with contextlib.ExitStack() as stack:
        # All of them wait before the listener has a turn: this thread does not give it one.
        for _ in range(CONNECTIONS):
            stack.enter_context(socket.create_connection((LOOPBACK, listener.port)))
        counts = [0]
        async with asyncio.timeout(20):
            while counts[-1] < CONNECTIONS:
                await asyncio.sleep(0)
                counts.append(peers.count)
    await listener.close()
    assert max(after - before for before, after in itertools.pairwise(counts)) <= ACCEPTED_A_TURN


async def test_others_have_turns_between_the_requests_of_one_connection(server: Server) -> None:
    counts = [len(server.world.logs.named("request"))]
    sending = asyncio.create_task(server.raw(WHOLE * REQUESTS + LAST))
    async with asyncio.timeout(20):
        while not sending.done():
            await asyncio.sleep(0)
            counts.append(len(server.world.logs.named("request")))
    assert counts[-1] - counts[0] == REQUESTS + 1
    assert max(after - before for before, after in itertools.pairwise(counts)) == 1
