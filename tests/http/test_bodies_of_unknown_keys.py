"""Bodies that are kept for a key that may be known at a later block: counted as long as they are kept."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from node.api.calls import Call
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Endpoint, Operation
from node.settings.http import HttpSettings
from node.values import new_key
from tests.http.conftest import Keys
from tests.support.http_server import Reply, Server, World, serving

BODY_MAX = 200_000


class Named(BaseModel, extra="forbid"):
    block: int
    text: str = ""


class Chain:
    """Reaches every block once `reached` is set; counts who waits."""

    def __init__(self) -> None:
        self.waiting, self.reached = asyncio.Semaphore(0), asyncio.Event()

    async def until_known(self, _: Named) -> bool:
        self.waiting.release()
        await self.reached.wait()
        return True


async def handle(_: Call, named: Named) -> int:
    return named.block


def named(chain: Chain) -> AnyEndpoint:
    return Endpoint(
        Operation("POST", "/named", Named, int, handle, until_known=chain.until_known),
        Docs("N"),
        "Test",
        Access(Auth.ANY_KEY),
    )


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
async def node(world: World, chain: Chain, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """Room for two of the largest bodies of one address."""
    monkeypatch.setattr("node.http.reading._LARGEST_BODIES_AT_ONCE", 4)
    limits = HttpSettings(http_max_body_bytes=BODY_MAX, http_max_other_body_bytes=BODY_MAX)
    async with serving([named(chain)], world, limits) as server:
        yield server


def ask(node: Server, key: str, size: int) -> "asyncio.Task[Reply]":
    return asyncio.create_task(node.call("POST", "/named", body={"block": 9, "text": "x" * size}, key=key))


async def test_the_body_of_an_unknown_key_is_counted_until_the_answer(node: Server, chain: Chain, keys: Keys) -> None:
    large = BODY_MAX - 100
    waiting = [ask(node, new_key(), large) for _ in range(2)]
    for _ in waiting:
        await chain.waiting.acquire()
    refused = await ask(node, keys.unknown, large)
    assert (refused.status, refused.headers.get("Retry-After")) == (429, "1")
    assert (await ask(node, keys.usage, large)).status == 429, "a key that is known finds no more room"
    assert (await ask(node, keys.usage, 10)).status == 200
    chain.reached.set()
    assert [(await each).status for each in waiting] == [401, 401]
    assert (await ask(node, keys.usage, large)).status == 200


async def test_small_bodies_of_unknown_keys_are_few_of_one_address(
    world: World, chain: Chain, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No memory counts their first bytes, so their number is bounded."""
    monkeypatch.setattr("node.http.reading.ARRIVING_BODIES_PER_ADDRESS_MAX", 2)
    async with serving([named(chain)], world) as node:
        waiting = [ask(node, new_key(), 10) for _ in range(2)]
        for _ in waiting:
            await chain.waiting.acquire()
        assert (await ask(node, keys.unknown, 10)).status == 429
        assert (await ask(node, keys.usage, 10)).status == 200
        chain.reached.set()
        assert [(await each).status for each in waiting] == [401, 401]
