"""Two real nodes on one chain, each a process of its own, and keys whose grants come and go."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from node.values import u256_hex
from tests.e2e.account import TRIVIAL_CODE, Account, new_account
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Client
from tests.support.contract import address_of
from tests.support.node import running_node
from tests.support.rpc_proxy import RpcProxy, relay
from tests.support.serving import lent_platform, serving, unchecked

SETTLED: Mapping[str, object] = {"chain_max_head_age_s": 0}
"""For a chain that has no block while nothing happens on it."""


@dataclass(frozen=True)
class TwoNodes:
    """`a` brings the chain, `b` reaches it through `proxy_of_b`; `chain` writes to the contract around both."""

    a: Client
    b: Client
    chain: ChainWriter
    proxy_of_b: RpcProxy


@dataclass(frozen=True)
class SwitchedKey:
    """A usage key that may run anything or nothing, as its account says through node A."""

    owner: Account
    group: str
    key: str

    @classmethod
    def made(cls, nodes: TwoNodes) -> "SwitchedKey":
        """A fresh account's, not granted yet."""
        owner = new_account(nodes.a)
        made = owner.usage_key()
        assert made.key is not None
        return cls(owner, owner.group(cid_hashes_permitted=[u256_hex(0)]), made.key)

    def switch(self, *, granted: bool) -> int:
        """Grant or revoke; gives the block in which it stands."""
        groups = [int(self.group)] if granted else []
        body = {"usage_api_key": self.key, "name": "switched", "execute_in_groups": groups}
        return int(self.owner.client.post("update_usage_api_key", body).ok()["block_number"])

    def status_on(self, node: Client, **asked: object) -> int:
        """The HTTP status of one execution with the key."""
        return run(node.with_key(self.key), **asked)


def run(client: Client, **asked: object) -> int:
    """The HTTP status of one execution."""
    return client.post("svc_action", {"code": TRIVIAL_CODE, **asked}).status


def wallet_account(nodes: TwoNodes, label: str) -> tuple[ChainSecured, int]:
    """An account that is administered by its wallet alone, directly on the chain, and a group with every action."""
    account = ChainSecured.opened(nodes.chain, nodes.a, address_of(label))
    return account, account.group([0])


@contextmanager
def two_nodes(
    directory: Path, settings: Mapping[str, object], *, websocket: bool = True, ledger: Mapping[str, str] | None = None
) -> Iterator[TwoNodes]:
    """Both nodes with these settings; B's provider has a websocket or has none. `ledger`: variables that name one for both."""
    told = {**SETTLED, **settings}
    billing = {"SVC_BILLING": "off"} if ledger is None else ledger
    a_environment = {f"SVC_{name.upper()}": str(value) for name, value in told.items()} | dict(billing)
    (directory / "b").mkdir()
    with running_node(directory / "a", a_environment) as a:
        chain_url = a.log_value("chain")
        platform = lent_platform(a, directory / "a")
        with proxy_on_a_thread(chain_url, websocket=websocket) as proxy:
            charged = {} if ledger is None else {"billing": ""}
            b_settings = {**platform, **told, **charged, "rpc_endpoints": [proxy.url]}
            secrets = {name: value for name, value in (ledger or {}).items() if name == "SVC_LEDGER_URL"}
            with serving(directory / "b", b_settings, secrets) as b_url:
                chain = ChainWriter(chain_url, str(platform["contract_address"]))
                yield TwoNodes(unchecked(a.url), unchecked(b_url), chain, proxy)


@contextmanager
def proxy_on_a_thread(upstream: str, *, websocket: bool) -> Iterator[RpcProxy]:
    """A way to this chain for a process under test: the tests of processes block; the proxy needs an event loop of its own beside them."""
    proxy = RpcProxy(upstream)
    proxy.socket_behaviour = relay if websocket else None
    started = threading.Event()
    loop = asyncio.new_event_loop()
    finish = asyncio.Event()

    async def serve() -> None:
        async with proxy.running():
            started.set()
            await finish.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    try:
        assert started.wait(30)
        yield proxy
    finally:
        loop.call_soon_threadsafe(finish.set)
        thread.join(30)
        loop.close()
