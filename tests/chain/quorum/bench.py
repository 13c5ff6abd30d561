"""Several providers of one real chain, each behind a proxy of its own, and a quorum that reads the contract over them."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import aiohttp

from node.chain.port import Authorisation, Head, Page
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from node.settings.chain import RpcSettings
from tests.support.account_chain import AccountChain
from tests.support.populated_account import ABI, ACTION, MASTER, USAGE
from tests.support.rpc_proxy import RpcProxy

RPC = RpcSettings(rpc_attempt_timeout_s=30, rpc_call_timeout_s=60, chain_max_head_age_s=0, rpc_hedge_delay_s=0.25)
CONSTANTS = {
    "ENDPOINT_REST_S": 60,
    "DISSENTER_REST_S": 60,
    "BEHIND_TIMEOUT_S": 0.3,
    "BEHIND_POLL_S": 0.01,
    "HEAD_POLL_S": 0.01,
}
"""For the chain's constants in tests of this bench."""

UNHURRIED = RPC.model_copy(update={"rpc_attempt_timeout_s": 60})
"""Nothing of a test that uses these ends by them, on a machine however busy."""

UNHEDGED = RPC.model_copy(update={"rpc_hedge_delay_s": 60})
"""For tests that count who is asked: a busy machine makes nobody late."""

SLOWER_S = 0.5


@dataclass
class Counted:
    """A DisagreementObserver that keeps its counts."""

    hosts: Counter[str] = field(default_factory=Counter)

    def disagreed(self, host: str) -> None:
        self.hosts[host] += 1


@dataclass
class Bench:
    """`proxies` stand in the order in which the providers were named; `now` is the node's clock."""

    chain: AccountChain
    proxies: Sequence[RpcProxy]
    rpc: JsonRpc
    floor: MinimumBlock
    client: QuorumClient
    quorum: QuorumReader
    views: ContractViews
    reader: AccountReader
    disagreements: Counted

    def requests(self) -> list[int]:
        """How many requests each proxy has had since this was asked last."""
        counts = [len(proxy.seen) for proxy in self.proxies]
        for proxy in self.proxies:
            proxy.seen.clear()
        return counts

    def prefer(self, index: int) -> RpcProxy:
        """Have this provider asked first from now on; gives its proxy."""
        for other, provider in enumerate(self.rpc.providers):
            if other != index:
                provider.passed_over(SLOWER_S)
        return self.proxies[index]

    def host_of(self, index: int) -> str:
        return self.rpc.providers[index].host

    async def head(self) -> Head:
        """The chain's own head, by the test's own reading."""
        block = await self.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
        return Head(int(block["number"], 16), block["hash"], block["parentHash"], int(block["timestamp"], 16))

    async def add_group(self) -> int:
        return await self.chain.write("addGroup", MASTER, "another", "", [], [])

    async def groups(self) -> int:
        """How many groups the account has, read through the quorum."""
        return (await self.reader.groups(MASTER, Page(0, 1))).total

    async def decision(self) -> Authorisation:
        """May the usage key run its action, read through the quorum."""
        return await self.reader.authorisation(USAGE, ACTION, [])


def tasks_of_the_node() -> set["asyncio.Task[object]"]:
    """What runs on the node's behalf just now: not the test itself, nor the servers it talks to."""
    return {task for task in asyncio.all_tasks() if "/node/chain/" in _file_of(task)}


def _file_of(task: "asyncio.Task[object]") -> str:
    code = getattr(task.get_coro(), "cr_code", None)
    return "" if code is None else str(code.co_filename)


@contextlib.asynccontextmanager
async def quorum_bench(chain: AccountChain, providers: int, settings: RpcSettings = RPC) -> AsyncIterator[Bench]:
    """So many providers of the chain, all honest until told otherwise."""
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(chain.url).running()) for _ in range(providers)]
        session = await stack.enter_async_context(aiohttp.ClientSession())
        rpc, floor, counted = JsonRpc(session, [proxy.url for proxy in proxies], settings), MinimumBlock(), Counted()
        client = QuorumClient(rpc, observer=counted)
        quorum = QuorumReader(client, floor)
        views = ContractViews(quorum, ABI, chain.contract.address)
        reader = AccountReader(views, ABI, lambda: 0.0)
        yield Bench(chain, proxies, rpc, floor, client, quorum, views, reader, counted)
