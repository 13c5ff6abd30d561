"""One chain and one engine for the tests of a module; what a test writes to the chain is undone."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.execution.bench import Bench, World, bench_over, running_world
from tests.support.account_chain import undone
from tests.support.postgres import postgres
from tests.support.rpc_proxy import honest

__all__ = ["postgres"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[World]:
    async with running_world() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def bench(world: World) -> AsyncIterator[Bench]:
    async with undone(world.chain):
        made = await bench_over(world)
        yield made
        world.proxy.behaviour = honest
        world.now = 0.0
        await made.service.close()
        world.floor.rewind_to(0)
