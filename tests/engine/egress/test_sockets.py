"""How many connections actions have open is bounded, for an account and for the node, idle ones too."""

import asyncio
import socket

import pytest

from node.engine.egress.connector import CountedSocket
from node.engine.port import HostCallError
from node.runtime.limits import Gate, Held, LimitReachedError
from tests.engine.egress.fetching import Fetching, fetching
from tests.engine.egress.servers import answer, server

MANY = "too many connections are open at once; try again, or fetch one after the other"


@pytest.mark.parametrize(("account_sockets", "all_sockets"), [(2, 100), (100, 2)])
async def test_one_connection_too_many_is_refused_until_another_has_ended(
    account_sockets: int, all_sockets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.engine.egress.egress.SOCKETS_PER_ACCOUNT", account_sockets)
    closing = answer(b"last", "Connection: close")
    async with server() as first, server() as second, server() as third, fetching(egress_sockets=all_sockets) as run:
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
        async with server() as origin, fetching(egress_sockets=1) as run:
            origin.by_path["/"] = answer(b"x")
            for _ in range(3):
                assert await run.failure(url) == "no connection could be made"
            assert (await run.fetch(origin.url()))["body"] == b"x"


def test_a_socket_counts_until_it_is_closed() -> None:
    gate = Gate("none left", 1)
    one = CountedSocket(Held(gate, 1), socket.AF_INET, socket.SOCK_STREAM, 0)
    with pytest.raises(LimitReachedError):
        CountedSocket(Held(gate, 2), socket.AF_INET, socket.SOCK_STREAM, 0)
    one.close()
    one.close()
    with pytest.raises(OSError, match=r"Invalid|not supported"):
        CountedSocket(Held(gate, 1), socket.AF_INET, socket.SOCK_STREAM, 12345)
    CountedSocket(Held(gate, 1), socket.AF_INET, socket.SOCK_STREAM, 0).close()
    assert gate.held == 0


async def _reason(run: Fetching, url: str) -> str:
    try:
        await run.fetch(url)
    except HostCallError as error:
        return error.message
    return ""
