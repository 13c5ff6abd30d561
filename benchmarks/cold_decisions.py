"""A decision without a cache, beside a bare `eth_call`: the price of agreeing on a block."""

import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp

from benchmarks.aims import Finding
from benchmarks.load import Figures, measure
from node.chain.abi import account_config_abi
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from node.settings.chain import RpcSettings
from tests.support.account_chain import AccountChain, account_chain
from tests.support.rpc_proxy import RpcProxy, slow

REQUESTS = 400
FAR_REQUESTS = 100
AWAY_S = 0.02
"""Delay of the far providers' replies. On loopback the figure is Python, not round trips."""
WARM_UP = 20
ABI = account_config_abi()
KEY, ACTION = 5, 6


class BareCall:
    """A bare `eth_call` of `authorisation`, without agreement, check or decoding."""

    def __init__(self, session: aiohttp.ClientSession, chain: AccountChain, url: str) -> None:
        self._session = session
        self._url = url
        data = "0x" + ABI.encode_call("authorisation", (KEY, ACTION, ())).hex()
        call = {"to": chain.contract.address, "data": data}
        self._body = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]}

    async def once(self) -> None:
        """Sends a request and reads its reply."""
        async with self._session.post(self._url, json=self._body) as response:
            assert "result" in json.loads(await response.read())


class ColdDecision:
    """Live reads over several providers of one local chain."""

    def __init__(self, session: aiohttp.ClientSession, chain: AccountChain, providers: list[str]) -> None:
        self._rpc = JsonRpc(session, providers)
        quorum = QuorumReader(QuorumClient(self._rpc, RpcSettings(chain_max_head_age_s=0)), MinimumBlock(may_fall=True))
        self._reads = AccountReader(ContractViews(quorum, ABI, chain.contract.address), ABI, time.time)

    @property
    def exchanges(self) -> int:
        """Number of HTTP exchanges so far."""
        return sum(each.requests for each in self._rpc.health())

    async def once(self) -> None:
        """Makes a decision."""
        assert not (await self._reads.authorisation(KEY, ACTION, ())).may_execute


@dataclass(frozen=True)
class Cold:
    """A decision over some providers, the bare call, and HTTP exchanges per decision."""

    name: str
    decision: Figures
    bare: Figures
    exchanges: Finding


@contextlib.asynccontextmanager
async def _far(chain: AccountChain) -> AsyncIterator[list[str]]:
    """Yields three providers of the chain with a delay."""
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(chain.url).running()) for _ in range(3)]
        for proxy in proxies:
            proxy.behaviour = slow(AWAY_S)
        yield [proxy.url for proxy in proxies]


async def _compared(
    session: aiohttp.ClientSession, chain: AccountChain, urls: list[str], where: str, requests: int
) -> list[Cold]:
    load = {"concurrency": 1, "requests": requests, "warm_up": WARM_UP}
    bare = await measure(BareCall(session, chain, urls[0]).once, **load)
    rows: list[Cold] = []
    for providers in (1, 2, 3):
        decision = ColdDecision(session, chain, urls[:providers])
        # The first opens connections and reads the newest block, which later ones know.
        await decision.once()
        before = decision.exchanges
        figures = await measure(decision.once, **load)
        quorum = providers // 2 + 1
        name = f"cold decision, {quorum} of {providers} endpoints, {where}"
        per_decision = (decision.exchanges - before) / (requests + WARM_UP)
        rows.append(Cold(name, figures, bare, Finding(f"{name}: exchanges, at once", per_decision, "", quorum)))
    return rows


async def cold_decisions() -> list[Cold]:
    """Measures on loopback, and with distant providers."""
    async with account_chain() as chain, aiohttp.ClientSession() as session, _far(chain) as far:
        rows = await _compared(session, chain, [chain.url] * 3, "on loopback", REQUESTS)
        return rows + await _compared(session, chain, far, f"{AWAY_S * 1000:.0f} ms away", FAR_REQUESTS)
