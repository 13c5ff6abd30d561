"""Node over a chain for each module, with a ChainSecured account of a plain wallet, and a proxy as its only way."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from node.values import hash_of_address
from tests.support.contract import Contract, Rpc
from tests.support.envelopes import Eoa
from tests.support.http_server import Reply
from tests.support.rpc_proxy import RpcProxy
from tests.support.subjects import Subjects, subjects

FUNDS = hex(10**20)


@dataclass
class Secured:
    """`admin` has an account; `contract` is spoken to past the node, `proxy` stands between node and chain."""

    world: Subjects
    proxy: RpcProxy
    contract: Contract
    admin: Eoa

    @property
    def now(self) -> int:
        """The node's time, in whole unix seconds."""
        return int(self.world.clock.now)

    @property
    def rpc(self) -> Rpc:
        """The chain, around the node."""
        return self.contract.rpc

    async def as_wallet(self, wallet: str, function: str, *arguments: object) -> None:
        """A write of an impersonated wallet."""
        await self.rpc.ask("anvil_impersonateAccount", wallet)
        await self.rpc.ask("anvil_setBalance", wallet, FUNDS)
        await self.contract.send(wallet, function, *arguments)

    async def open_account(self, wallet: str) -> int:
        """A ChainSecured account of this wallet's own; its master hash."""
        await self.as_wallet(wallet, "newChainSecuredAccount", "account", "")
        return hash_of_address(wallet)

    async def managed(self) -> str:
        """The key of a fresh API-mode account."""
        return str((await self.world.post("/new_account", {"account_name": "managed"})).body["api_key"])

    async def mint(self, request: dict[str, Any]) -> Reply:
        """create_wallet_with_signature."""
        return await self.world.post("/create_wallet_with_signature", request)

    async def balance(self, header: str, key: str | None = None) -> Reply:
        """/billing/balance with X-Wallet-Auth."""
        return await self.world.get("/billing/balance", key=key, X_Wallet_Auth=header)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def secured(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Secured]:
    proxy = RpcProxy(None)
    async with aiohttp.ClientSession() as session, subjects(tmp_path_factory.mktemp("secured"), proxy=proxy) as world:
        contract = Contract(Rpc(session, world.chain_url), world.chain.contract)
        made = Secured(world, proxy, contract, Eoa.of("an admin"))
        await made.open_account(made.admin.address)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def managed_key(secured: Secured) -> str:
    """An API-mode account whose conversion is tried in vain; it has spent a cent of its credit."""
    key = await secured.managed()
    assert (await secured.world.post("/create_wallet", key=key)).status == 200
    return key
