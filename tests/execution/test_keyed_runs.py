"""A run with an Idempotency-Key begins once, whatever becomes of its client's connection and of its node (decisions 0b)."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.http.idempotency_store import IdempotencyStore
from tests.engine.egress.servers import Asked, answer, server
from tests.engine.egress.servers import Server as Origin
from tests.execution.bench import MASTER, Bench, World, bench_over
from tests.execution.test_routes import ACCOUNT_KEY, node_over
from tests.support.http_server import Reply, Server

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = {"Idempotency-Key": "a-key-of-twenty-two-or-more"}
OTHER_KEY = {"Idempotency-Key": "another-key-of-twenty-two-or-more"}
ASKS = "async function main({ url }) { console.log('so far'); await fetch(url); return Math.random(); }"


@dataclass
class Held:
    """A place outside that is asked by each run that begins, and answers when the test says so."""

    origin: Origin
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, _: Asked, writer: asyncio.StreamWriter) -> None:
        self.asked.set()
        await self.go.wait()
        writer.write(answer(b"", "Connection: close"))

    @property
    def runs(self) -> int:
        """How many runs have begun and come so far."""
        return len(self.origin.asked)


@dataclass
class Place:
    """A node, and what its actions ask for."""

    bench: Bench
    node: Server
    held: Held

    @property
    def body(self) -> dict[str, object]:
        return {"code": ASKS, "js_params": {"url": self.held.origin.url()}, "max_seconds": 30}

    async def call(self, headers: dict[str, str] = KEY) -> Reply:
        return await self.node.call("POST", "/svc_action", body=self.body, key=ACCOUNT_KEY, headers=headers)

    async def begin(self, key: dict[str, str] = KEY) -> asyncio.StreamWriter:
        """Send the request over a connection that the test can close."""
        body = json.dumps(self.body)
        head = f"POST /core/v1/svc_action HTTP/1.1\r\nHost: x\r\nX-Api-Key: {ACCOUNT_KEY}\r\n"
        head += f"Idempotency-Key: {key['Idempotency-Key']}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        _, writer = await asyncio.open_connection("127.0.0.1", self.node.port)
        writer.write((head + body).encode())
        return writer

    async def hang_up(self, writer: asyncio.StreamWriter) -> None:
        """Close the connection, and wait until the node knows it."""
        server = self.node.runner.server
        assert server is not None
        port = writer.get_extra_info("sockname")[1]
        writer.close()
        while any(each.peername[1] == port for each in server.connections if each.peername):  # noqa: ASYNC110 - its own list
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def place(world: World, directory: Path) -> AsyncIterator[Place]:
    bench = await bench_over(world, egress=Egress(policy=AddressPolicy(allow_loopback=True)))
    async with server() as origin, node_over(bench, directory) as node:
        held = Held(origin)
        origin.by_path["/"] = held.answer
        yield Place(bench, node, held)
        await bench.service.close()


@pytest.mark.parametrize("with_twin", [False, True])
async def test_a_run_that_has_begun_goes_on_without_its_client(world: World, tmp_path: Path, with_twin: bool) -> None:
    async with place(world, tmp_path) as here:
        writer = await here.begin()
        await here.held.asked.wait()
        twin = asyncio.create_task(here.call()) if with_twin else None
        await here.hang_up(writer)
        again = twin or asyncio.create_task(here.call())
        here.held.go.set()
        first, second = await again, await here.call()
        assert (first.status, first.headers["Idempotency-Replayed"]) == (200, "true")
        assert first.body["logs"] == "so far"
        assert second.body == first.body
        assert here.held.runs == 1
        assert await here.bench.spent_cents() == first.body["charged_cents"]
        assert here.bench.registry.get_sample_value("svc_executions_in_progress") == 0


async def test_what_goes_on_without_its_client_keeps_its_place(world: World, tmp_path: Path) -> None:
    """Of the two that the account may have."""
    async with place(world, tmp_path) as here:
        for number, key in enumerate((KEY, OTHER_KEY), 1):
            writer = await here.begin(key)
            while here.held.runs < number:  # noqa: ASYNC110 - what other processes do can only be looked at
                await asyncio.sleep(0.01)
            await here.hang_up(writer)
        assert (await here.call({})).status == 429
        here.held.go.set()
        for key in (KEY, OTHER_KEY):
            # Until a run has ended, whoever asks for its answer would need a place beside it.
            while (again := await here.call(key)).status == 429:  # noqa: ASYNC110 - what a client can do
                await asyncio.sleep(0.01)
            assert (again.status, again.headers["Idempotency-Replayed"]) == (200, "true")
        assert here.held.runs == 2


async def test_a_run_without_a_key_ends_with_its_client(world: World, tmp_path: Path) -> None:
    async with place(world, tmp_path) as here:
        running = asyncio.create_task(here.call({}))
        await here.held.asked.wait()
        running.cancel()
        while world.engine.running:  # noqa: ASYNC110 - the engine's own count is what there is to watch
            await asyncio.sleep(0.01)
        assert here.held.runs == 1


async def test_who_hangs_up_before_it_begins_has_begun_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, go, commit = asyncio.Event(), asyncio.Event(), IdempotencyStore.commit

    async def slowly(store: IdempotencyStore, row_id: bytes, token: str, cause: str) -> bool:
        made = await commit(store, row_id, token, cause)
        noted.set()
        await go.wait()
        return made

    async with place(world, tmp_path) as here:
        with monkeypatch.context() as patched:
            patched.setattr(IdempotencyStore, "commit", slowly)
            writer = await here.begin()
            await noted.wait()
            writer.close()
            while world.engine.running:  # noqa: ASYNC110 - the engine's own count is what there is to watch
                await asyncio.sleep(0.01)
        here.held.go.set()
        again = await here.call()
        assert (again.status, "Idempotency-Replayed" in again.headers) == (200, False)
        assert here.held.runs == 1
        assert await here.bench.spent_cents() == again.body["charged_cents"]


async def test_a_node_that_stops_lets_it_end(world: World, tmp_path: Path) -> None:
    async with place(world, tmp_path) as here:
        keyed = asyncio.create_task(here.call())
        await here.held.asked.wait()
        unkeyed = asyncio.create_task(here.call({}))
        while here.held.runs < 2:  # noqa: ASYNC110 - what other processes do can only be looked at
            await asyncio.sleep(0.01)
        await here.bench.service.stop(30)
        assert (await unkeyed).body["error"]["name"] == "ActionNodeStopping"
        assert not keyed.done()
        here.held.go.set()
        assert (await keyed).body["has_error"] is False


async def test_what_does_not_end_in_time_is_ended_and_its_answer_kept(world: World, tmp_path: Path) -> None:
    async with place(world, tmp_path) as here:
        writer = await here.begin()
        await here.held.asked.wait()
        await here.hang_up(writer)
        await here.bench.service.stop(0.05)
        again = await here.call()
        assert (again.status, again.headers["Idempotency-Replayed"]) == (200, "true")
        assert again.body["error"]["name"] == "ActionNodeStopping"
        assert again.body["logs"] == "so far"
        assert here.held.runs == 1
        assert await here.bench.spent_cents(MASTER) == again.body["charged_cents"]
