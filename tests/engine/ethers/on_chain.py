"""A local chain and actions that reach it: the engine, real egress with loopback open, a funded key."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic import JsonValue

from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from node.engine.egress.egress import Egress, FetchCalls
from node.engine.egress.targets import AddressPolicy
from node.engine.port import ActionOutcome, StopReason
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import EchoHost, run

KEEPER_ABI: list[JsonValue] = [
    "function value() view returns (uint256)",
    "function set(uint256 value)",
]
KEEPER_BYTECODE = "0x601a8060095f395ff3" + "60043611601257" + "60005460005260206000f3" + "5b60043560005500"
"""A contract written by hand: with an argument it keeps it, without one it answers what it keeps."""


@dataclass(frozen=True, slots=True)
class OnChain:
    """Runs actions that know where the chain is and hold a key with ether on it."""

    engine: ProcessEngine
    url: str

    async def outcome(self, code: str, **params: JsonValue) -> ActionOutcome:
        """How the action ended; it is called with `url`, `key`, `abi` and `bytecode` besides."""
        stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        known: dict[str, JsonValue] = {"url": self.url, "key": FUNDED_KEYS[0], "abi": KEEPER_ABI}
        egress = Egress(policy=AddressPolicy(allow_loopback=True))
        async with FetchCalls(EchoHost(), egress, 1, stop) as calls:
            return await run(self.engine, code, known | {"bytecode": KEEPER_BYTECODE} | params, calls, stop)

    async def response(self, code: str, **params: JsonValue) -> JsonValue:
        """What the action answered."""
        outcome = await self.outcome(code, **params)
        assert outcome.error is None, outcome
        return outcome.response


@contextlib.asynccontextmanager
async def on_chain(engine: ProcessEngine, block_time_s: float | None = None) -> AsyncIterator[OnChain]:
    """A fresh chain; each transaction is a block at once unless `block_time_s` is given."""
    async with local_chain(LocalChainOptions(block_time_s=block_time_s)) as chain:
        yield OnChain(engine, chain.url)
