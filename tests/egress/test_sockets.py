"""How many connections actions have open is bounded, for an account and for the node, idle ones too."""

import asyncio
import socket
from dataclasses import replace

import pytest

from node.engine.egress.budget import Budget
from node.engine.egress.counted_socket import CountedSocket
from node.engine.egress.refusal import FetchRefusedError
from node.engine.port import HostCallError
from tests.egress.fetching import LIMITS, Fetching, fetching
from tests.egress.servers import answer, server

MANY = "too many connections are open at once; try again, or fetch one after the other"


async def test_one_connection_too_many_is_refused_until_another_has_ended() -> None:
    closing = answer(b"last", "Connection: close")
    for limits in (replace(LIMITS, sockets=2), replace(LIMITS, sockets_per_account=2)):
        async with server() as first, server() as second, server() as third, fetching(limits=limits) as run:
            for origin in (first, second, third):
                origin.by_path |= {"/": answer(b"x"), "/last": closing}
            # Two stay open, idle: asking the same server again needs no third.
            for origin in (first, second, first, second):
                assert (await run.fetch(origin.url()))["body"] == b"x"
            assert await run.failure(third.url()) == MANY
            assert third.connections == 0
            assert (await run.fetch(first.url("/last")))["body"] == b"last"
            while "too many" in await _reason(run, third.url()):  # noqa: ASYNC110 - when the socket has gone shows nowhere else
                await asyncio.sleep(0)


async def test_connections_that_fail_do_not_count() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        async with server() as origin, fetching(sockets=1) as run:
            origin.by_path["/"] = answer(b"x")
            for _ in range(3):
                assert await run.failure(url) == "no connection could be made"
            assert (await run.fetch(origin.url()))["body"] == b"x"


def test_a_socket_counts_until_it_is_closed() -> None:
    budget = Budget(1, "none left")
    one = CountedSocket(budget, socket.AF_INET, socket.SOCK_STREAM, 0)
    with pytest.raises(FetchRefusedError):
        CountedSocket(budget, socket.AF_INET, socket.SOCK_STREAM, 0)
    one.close()
    one.close()
    with pytest.raises(OSError, match=r"Invalid|not supported"):
        CountedSocket(budget, socket.AF_INET, socket.SOCK_STREAM, 12345)
    CountedSocket(budget, socket.AF_INET, socket.SOCK_STREAM, 0).close()


async def _reason(run: Fetching, url: str) -> str:
    try:
        await run.fetch(url)
    except HostCallError as error:
        return error.message
    return ""
