"""The execute path in this process, over providers that may lie: quorum, listener and cache on a real chain."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import aiohttp
from prometheus_client import CollectorRegistry

from node.api.errors import as_node_error
from node.chain.abi import account_config_abi
from node.chain.assembly import ChainComponent
from node.chain.authorisations.cache import CachedAuthorisations
from node.chain.listener import Listener
from node.chain.quorum.reader import QuorumReader
from node.chain.rpc import JsonRpc
from node.database.sqlite import SqliteDatabase
from node.errors import DomainError
from node.execution.authority import Authority, Program
from node.execution.models import Order, SvcActionRequest
from node.http.answers import STATUS_OF
from node.runtime.clock import Clock
from node.settings import Settings
from tests.support.account_chain import AccountChain
from tests.support.clock import SkippingClock
from tests.support.contract import address_of, key_hash
from tests.support.rpc_proxy import RpcProxy

ABI: Final = account_config_abi()
CHAIN_ID: Final = 31337
ACTION: Final = key_hash("an action")
PATIENCE_S: Final = 60.0
"""The most a test waits for what must happen; never waited out when it does."""
PAUSE_S: Final = 0.01

SETTINGS: Final = Settings(
    chain_id=CHAIN_ID,
    rpc_attempt_timeout_s=20,
    rpc_call_timeout_s=40,
    rpc_hedge_delay_s=0.05,
    chain_max_head_age_s=0,
    listener_poll_s=0.05,
    action_min_block_timeout_s=1.0,
)
CONSTANTS: Final = {
    "ENDPOINT_REST_S": 0.2,
    "DISSENTER_REST_S": 0.2,
    "BEHIND_TIMEOUT_S": 0.5,
    "BEHIND_POLL_S": 0.01,
    "HEAD_POLL_S": 0.02,
}
LISTENER_CONSTANTS: Final = {
    "WAKE_MIN_S": 0.01,
    "BACKOFF_MIN_S": 0.01,
    "BACKOFF_MAX_S": 0.05,
    "EXCHANGE_TIMEOUT_S": 3,
    "WEBSOCKET_BACKOFF_MIN_S": 0.05,
    "WEBSOCKET_BACKOFF_MAX_S": 0.2,
}
_accounts = itertools.count(1)


@dataclass(frozen=True)
class Key:
    """A usage key of an account of its own, which may run anything or nothing, and use the account's wallet."""

    chain: AccountChain
    master: int
    hash: int
    wallet: str

    @classmethod
    async def made(cls, chain: AccountChain) -> "Key":
        """A fresh account's, not granted yet; group 1 lists every action and every wallet."""
        label = f"account {next(_accounts)}"
        key = cls(chain, key_hash(label), key_hash(f"usage key of {label}"), address_of(f"wallet of {label}"))
        await chain.write("createManagedAccount", key.master, label, "", key.wallet, 1)
        await chain.write("addGroup", key.master, "all", "", [0], ["0x" + "00" * 20])
        await key.switch(granted=False)
        return key

    async def switch(self, *, granted: bool) -> int:
        """Grant or revoke on the chain directly; gives the block."""
        groups = [1] if granted else []
        lists: tuple[Sequence[int], ...] = ([], [], [], groups)
        flags = (False, False, False)
        return await self.chain.write("setUsageApiKey", self.master, self.hash, 0, 0, "key", "", *flags, *lists)


@dataclass(frozen=True)
class Node:
    """What a node is made of between its providers and `svc_action`; `clock` is every clock but those of timeouts."""

    quorum: QuorumReader
    listener: Listener
    cache: CachedAuthorisations
    clock: SkippingClock

    async def says(self, key: Key | int, *, may_reread: bool = True) -> int:
        """The HTTP status of an execution: 200, 401 unknown, 403 denied or 503."""
        hashed = key if isinstance(key, int) else key.hash
        authority = Authority(self.cache, self.clock)
        try:
            caller = await self.cache.caller(hashed)
            if caller is None:
                return 401
            order = Order(caller, SvcActionRequest(code=""), {}, lambda: may_reread)
            await authority.authorise(order, Program("", ACTION))
        except DomainError as error:
            return STATUS_OF[as_node_error(error).code]
        return 200

    async def may_use_wallet(self, key: Key) -> int:
        """The same of a use of the account's wallet in the action."""
        try:
            caller = await self.cache.caller(key.hash)
            if caller is None:
                return 401
            use = await self.cache.wallet_use(caller, ACTION, key.wallet, 0, lambda: True)
        except DomainError as error:
            return STATUS_OF[as_node_error(error).code]
        return 200 if use.allowed else 403

    async def until(self, happened: Callable[[], Awaitable[bool] | bool]) -> None:
        """Wait until it has, and not for ever."""
        async with asyncio.timeout(PATIENCE_S):
            while not await _settled(happened()):  # noqa: ASYNC110 - what is waited for lies beyond this process
                await asyncio.sleep(PAUSE_S)

    async def until_says(self, key: Key, status: int) -> None:
        """Wait until this is the answer for the key."""

        async def same() -> bool:
            return await self.says(key) == status

        await self.until(same)


async def _settled(found: Awaitable[bool] | bool) -> bool:
    return found if isinstance(found, bool) else await found


@contextlib.asynccontextmanager
async def proxies(chain: AccountChain, count: int) -> AsyncIterator[list[RpcProxy]]:
    """So many providers of the chain."""
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(RpcProxy(chain.url).running()) for _ in range(count)]


@contextlib.asynccontextmanager
async def watching(
    chain: AccountChain,
    providers: Sequence[RpcProxy],
    database: SqliteDatabase,
    settings: Settings = SETTINGS,
    monotonic: Callable[[], float] | None = None,
) -> AsyncIterator[Node]:
    """A node on these providers, after the listener's first polls; its clock begins at the head's time.

    `monotonic` is another clock than that, for a machine whose two clocks do not run alike.
    """
    clock = SkippingClock(await chain.head_timestamp())
    async with aiohttp.ClientSession() as session:
        settings = settings.model_copy(update={"contract_address": chain.contract.address})
        rpc = JsonRpc(session, [provider.url for provider in providers], settings)
        room = ChainComponent(rpc, settings, CollectorRegistry(), Clock(monotonic or clock, clock))
        async with room.listening(database):
            assert room.listener is not None
            node = Node(room.quorum, room.listener, room.authorisations, clock)
            await node.until(lambda: node.listener.lag_s() is not None)
            yield node
