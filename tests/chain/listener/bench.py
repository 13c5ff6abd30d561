"""A listener, or one follower of it to step by hand, over a real chain; and who remembers what it told."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from aiohttp import web

from node.chain.abi import account_config_abi
from node.chain.listener import Cursors, ListenedContract, Listener, ListenerPorts
from node.chain.listener.follower import CursorKey, Follower
from node.chain.listener.queries import account_event_topics
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import ObservedBlocks
from node.chain.rpc import JsonRpc, Provider
from node.database.sqlite import SqliteDatabase
from node.runtime.clock import Clock
from node.settings.chain import ListenerSettings, RpcSettings
from tests.support.account_chain import AccountChain
from tests.support.clock import FakeClock
from tests.support.constants import replace_constants
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy

CHAIN_ID: Final = 31337
PATIENCE_S: Final = 60.0
"""The most a test waits for what must happen; never waited out when it does."""

SETTINGS: Final = ListenerSettings(listener_poll_s=0.05)
CONSTANTS: Final = {
    "WAKE_MIN_S": 0.01,
    "BACKOFF_MIN_S": 0.01,
    "BACKOFF_MAX_S": 0.05,
    "EXCHANGE_TIMEOUT_S": 30.0,
    "OVERLAP_BLOCKS": 0,
    "WEBSOCKET_BACKOFF_MIN_S": 0.01,
    "WEBSOCKET_BACKOFF_MAX_S": 0.05,
}
RPC: Final = RpcSettings(rpc_attempt_timeout_s=30, rpc_call_timeout_s=60)


@dataclass
class Told:
    """News that remembers, and heads likewise; what is waited for is looked at again with every piece of news."""

    changes: list[tuple[int, int]] = field(default_factory=list)
    forks: list[int] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    raising: Exception | None = None
    believed: Callable[[Head], bool] = lambda _: True
    _something: asyncio.Event = field(default_factory=asyncio.Event)

    def account_changed(self, master_hash: int, block_number: int) -> None:
        if self.raising is not None:
            raise self.raising
        self.changes.append((master_hash, block_number))
        self._something.set()

    def reorganised(self, fork_number: int) -> None:
        self.forks.append(fork_number)
        self._something.set()

    def saw(self, _provider: Provider, head: Head) -> None:
        self.heads.append(head)
        self._something.set()

    def is_fresh(self, head: Head) -> bool:
        return self.believed(head)

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not happened():
                self._something.clear()
                await self._something.wait()

    def forget(self) -> None:
        self.changes.clear()
        self.forks.clear()


@dataclass
class Bench:
    """One chain; followers and listeners of it, all telling `told`, over the providers a test names."""

    chain: AccountChain
    session: aiohttp.ClientSession
    database: SqliteDatabase
    cursors: Cursors
    monkeypatch: pytest.MonkeyPatch
    told: Told = field(default_factory=Told)
    relied: ObservedBlocks = field(default_factory=lambda: ObservedBlocks(64))
    clock: FakeClock = field(default_factory=FakeClock)
    unix: FakeClock = field(default_factory=FakeClock)

    @property
    def contract(self) -> ListenedContract:
        return ListenedContract(CHAIN_ID, self.chain.contract.address, account_event_topics(account_config_abi()))

    @property
    def clocks(self) -> Clock:
        return Clock(self.clock, self.unix)

    @property
    def ports(self) -> ListenerPorts:
        return ListenerPorts(self.told, self.told.saw, self.told.is_fresh, self.relied, self.cursors)

    def provider(self, url: str | None = None) -> Provider:
        return Provider(self.session, url or self.chain.url)

    def follower(self, url: str | None = None, **limits: Any) -> Follower:
        """A follower of `url` (default: the chain itself), which goes on from where the one before it stood."""
        key = CursorKey(CHAIN_ID, self.contract.address.lower(), "0 there")
        return Follower(self.provider(url), self.contract, key, self.ports, self.bounded(**limits), self.clocks)

    def bounded(self, **limits: Any) -> ListenerSettings:
        """Settings, which are named in lower case, and the constants of the listener for the rest of the test."""
        constants = {name: value for name, value in limits.items() if name.isupper()}
        replace_constants(self.monkeypatch, "node.chain.listener", **constants)
        settings = {name: value for name, value in limits.items() if name not in constants}
        return ListenerSettings(**(SETTINGS.model_dump() | settings))

    async def followed(self, url: str | None = None, **limits: Any) -> Follower:
        """A follower that has polled once; what it told then is forgotten."""
        follower = self.follower(url, **limits)
        await follower.poll()
        self.told.forget()
        return follower

    def listener(self, urls: Sequence[str], quorum: int = 1, websockets: Sequence[str] = (), **limits: Any) -> Listener:
        client = QuorumClient(JsonRpc(self.session, urls, RPC), RpcSettings(rpc_quorum=quorum))
        return Listener(client, self.contract, self.ports, self.bounded(**limits), self.clocks, websockets)

    async def head(self) -> Head:
        return head_of(await self.chain.rpc.ask("eth_getBlockByNumber", "latest", False))

    async def touch(self, label: str = "touched") -> tuple[int, int]:
        """One write to an account that is not there before; its hash and block."""
        account = int.from_bytes(label.encode().rjust(32, b"\1"))
        block = await self.chain.write(
            "createManagedAccount", account, label, "", "0x" + account.to_bytes(32).hex()[:40], 1
        )
        return account, block


def head_of(block: Any) -> Head:
    return Head(int(block["number"], 16), block["hash"], block["parentHash"], int(block["timestamp"], 16))


@contextlib.asynccontextmanager
async def bench_on(chain: AccountChain, file: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    """A bench whose cursors are kept in `file`."""
    replace_constants(monkeypatch, "node.chain.listener", **CONSTANTS)
    database = await SqliteDatabase.open(file)
    try:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            yield Bench(chain, session, database, await Cursors.open(database), monkeypatch)
    finally:
        await database.close()


def calls_of(asked: Any) -> list[dict[str, Any]]:
    return asked if isinstance(asked, list) else [asked]


Answer = Callable[[dict[str, Any], Any], Any]
"""From a call and its honest result to what is answered; an `Exception` is an error -32000 of that text."""


def answering(method: str, answer: Answer) -> Behaviour:
    """The honest answers, but to `method` what `answer` gives."""
    return answering_each({method: answer})


def answering_each(answers: dict[str, Answer]) -> Behaviour:
    """The honest answers, but to these methods what is said here."""

    def changed(call: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        if call["method"] not in answers:
            return given
        result = answers[call["method"]](call, given.get("result"))
        told = {"jsonrpc": "2.0", "id": call["id"]}
        if isinstance(result, Exception):
            return told | {"error": {"code": -32000, "message": str(result)}}
        return told | {"result": result}

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        honest = {each["id"]: each for each in calls_of(await forward())}
        told = [changed(call, honest[call["id"]]) for call in calls_of(asked)]
        return web.json_response(told if isinstance(asked, list) else told[0])

    return behaviour


def ranges_asked(proxy: RpcProxy) -> list[tuple[int, int]]:
    """The log ranges that went through, refused ones too."""
    calls = itertools.chain.from_iterable(calls_of(asked) for asked in proxy.seen)
    filters = [call["params"][0] for call in calls if call["method"] == "eth_getLogs"]
    return [(int(each["fromBlock"], 16), int(each["toBlock"], 16)) for each in filters]
