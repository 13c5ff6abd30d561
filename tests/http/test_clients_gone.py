"""Clients that hang up before the work of their request begins: it never begins."""

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest

from node.permissions.grants import Caller
from node.runtime import processor_time
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import KeyTable, Server, World, serving


class SlowKeys(KeyTable):
    """A chain that tells who calls once `told` is set."""

    def __init__(self, callers: dict[int, Caller]) -> None:
        super().__init__()
        self.callers = callers
        self.looked_up, self.told = asyncio.Event(), asyncio.Event()

    async def caller(self, key_hash: int) -> Caller | None:
        self.looked_up.set()
        await self.told.wait()
        return await super().caller(key_hash)


@pytest.fixture
def slow_keys(world: World, keys: Keys) -> SlowKeys:
    del keys  # they are in the world's table by now
    world.keys = SlowKeys(world.keys.callers)
    return world.keys


@pytest.fixture
async def slow_server(world: World, desk: Desk, slow_keys: SlowKeys) -> AsyncIterator[Server]:
    del slow_keys
    async with serving(desk.endpoints(), world) as running:
        yield running


async def connected(server: Server, head: bytes, body: bytes = b"") -> asyncio.StreamWriter:
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head + b"\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()
    return writer


async def hung_up(server: Server, writer: asyncio.StreamWriter) -> None:
    """Close the connection, and return when the server knows."""
    assert server.runner.server is not None
    writer.transport.abort()
    # The server keeps what serves the connection until its request has ended.
    is_known = False
    while not is_known:
        await asyncio.sleep(0)
        is_known = any(each.transport is None for each in server.runner.server.connections)


@pytest.mark.parametrize("idempotency_key", [None, str(uuid.uuid4())], ids=["plain", "with an Idempotency-Key"])
async def test_work_does_not_begin_for_a_client_that_went_before(
    slow_server: Server, slow_keys: SlowKeys, keys: Keys, desk: Desk, idempotency_key: str | None
) -> None:
    headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
    sent = {"X-Api-Key": keys.usage, **headers}
    head = "POST /core/v1/abandoned HTTP/1.1" + "".join(f"\r\n{name}: {value}" for name, value in sent.items())
    writer = await connected(slow_server, head.encode())
    await slow_keys.looked_up.wait()
    await hung_up(slow_server, writer)
    slow_keys.told.set()
    await slow_server.world.logs.wait_for("request", 2)
    assert slow_server.world.logs.named("request")[-1]["status"] == 499
    assert desk.started.locked()
    # A repetition finds nothing begun, and does the work.
    desk.go_on.set()
    again = await slow_server.call("POST", "/abandoned", key=keys.usage, headers=headers)
    assert (again.status, "Idempotency-Replayed" in again.headers) == (200, False)


async def test_a_client_that_has_gone_waits_no_longer_for_its_share_of_the_processor(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COSTLY_S": 0.0, "BURST_S": 1e-9, "SHARE": 1e-6}.items():
        monkeypatch.setattr(processor_time, name, value)
    monkeypatch.setattr("node.http.reading.ARRIVING_BODIES_PER_ADDRESS_MAX", 1)
    body = b'"' + b"a" * 100_000 + b'"'
    head = b"POST /core/v1/text HTTP/1.1\r\nContent-Type: application/json"
    async with serving(desk.endpoints(), world) as server:
        assert (
            await server.call("POST", "/text", data=body, headers={"Content-Type": "application/json"})
        ).status == 200
        writer = await connected(server, head, body)
        # The one place of those that wait is taken once a further body is refused.
        while (
            await server.call("POST", "/text", data=body, headers={"Content-Type": "application/json"})
        ).status != 429:
            pass
        await hung_up(server, writer)
        while server.world.logs.named("request")[-1]["status"] != 499:
            await server.world.logs.wait_for("request", len(server.world.logs.named("request")) + 1)
