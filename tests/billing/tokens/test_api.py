"""The two endpoints over HTTP, on the assembled room: real chain, real ledger, the answers held against the OpenAPI document."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from node.billing.routes import token_endpoints
from node.billing.tokens.service import TokenService
from node.chain.assembly import ChainComponent
from node.chain.rpc import JsonRpc
from node.errors import StartupRefusedError
from node.ledger.port import LedgerDatabase
from node.permissions.grants import Caller, Grants
from node.settings import Settings
from node.values import hash_of_text, new_key, u256_hex
from node.wiring.components import TokenPayments, token_payments
from tests.billing.tokens.bench import CHAIN_ID, DOLLAR
from tests.support import rpc_proxy
from tests.support.deposits import Payments
from tests.support.http_server import Server, World, serving
from tests.support.ledgers import SqliteWorld
from tests.support.rpc_proxy import RpcProxy

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_S = 60


def price(payments: Payments, decimals: int = 6) -> str:
    return f"{payments.token.address}:LUSD:{decimals}:{DOLLAR}"


@dataclass
class Node:
    """A serving node with token payments, and one account of it by key."""

    payments: Payments
    server: Server
    tokens: TokenPayments
    ledger: LedgerDatabase
    proxy: RpcProxy
    registry: CollectorRegistry
    key: str
    account: int

    def learn(self, key: str, account: int, grants: Grants | None = None) -> None:
        """This key opens this account from now on."""
        key_hash = hash_of_text(key)
        self.server.world.keys.callers[key_hash] = Caller(key_hash, account, managed=True, grants=grants)

    async def told(self, query: str = "", key: str | None = None) -> Any:
        reply = await self.server.call("GET", f"/billing/token_payments{query}", key=key or self.key)
        assert reply.status == 200
        return reply.body

    async def until(self, *statuses: str, key: str | None = None) -> Any:
        """Ask until the account's payments have these statuses; the last of them."""
        async with asyncio.timeout(PATIENCE_S):
            while [each["status"] for each in await self.told(key=key)] != [*statuses]:  # noqa: ASYNC110 - a client's way
                await asyncio.sleep(0.01)
        return (await self.told(key=key))[-1]


def room(url: str, session: aiohttp.ClientSession, payments: Payments, registry: CollectorRegistry) -> ChainComponent:
    facts = Settings(chain_id=CHAIN_ID, contract_address=payments.chain.contract.address, chain_max_head_age_s=0)
    return ChainComponent(JsonRpc(session, [url]), facts, registry)


def settings(payments: Payments, **told: Any) -> Settings:
    """Of a node that takes the local dollar, in a hurry."""
    return Settings.model_validate(
        {
            "chain_id": CHAIN_ID,
            "contract_address": payments.chain.contract.address,
            "token_deposit_contract": payments.contract.address,
            "token_prices": (price(payments),),
            "token_confirmations": 3,
            "token_poll_s": 0.05,
        }
        | told
    )


@asynccontextmanager
async def node_on(payments: Payments, directory: Path, **told: Any) -> AsyncIterator[Node]:
    """Serving until the context ends, its only way to the chain through a proxy."""
    registry, world = CollectorRegistry(), World(directory)
    ledger = await SqliteWorld(directory).open()
    try:
        async with RpcProxy(payments.chain.url).running() as proxy, aiohttp.ClientSession() as session:
            chain = room(proxy.url, session, payments, registry)
            async with (
                token_payments(settings(payments, **told), chain, ledger, registry) as tokens,
                serving(token_endpoints(tokens.service), world) as server,
            ):
                key = new_key()
                account = await payments.account(key)
                node = Node(payments, server, tokens, ledger, proxy, registry, key, account)
                node.learn(key, account)
                yield node
    finally:
        await ledger.close()


async def test_a_payment_is_followed_from_pending_to_credited(payments: Payments, tmp_path: Path) -> None:
    async with node_on(payments, tmp_path) as node:
        config = (await node.server.call("GET", "/billing/token_config", key=node.key)).body
        assert (config["enabled"], config["chain_id"], config["confirmations"]) == (True, CHAIN_ID, 3)
        assert config["deposit_contract"] == payments.contract.address
        assert config["deposit_contract_abi"] == "/core/v1/get_deposit_contract_abi"
        assert config["tokens"] == [
            {
                "address": payments.token.address,
                "symbol": "LUSD",
                "decimals": 6,
                "microdollars_per_token": DOLLAR,
                "price_display": "$1.00 for 1 LUSD",
            }
        ]
        assert config["how_to_pay"]["account_hash"] == u256_hex(node.account)
        assert await node.told() == []
        receipt = await payments.pay(int(config["how_to_pay"]["account_hash"], 16), 2_500_001)
        pending = await node.until("pending")
        assert (pending["confirmations"], pending["confirmations_needed"]) == (1, 3)
        assert (pending["credited_microdollars"], pending["amount"]) == (0, "2500001")
        await payments.chain.rpc.ask("anvil_mine", "0x2")
        credited = await node.until("credited")
        assert credited["transaction_hash"] == receipt["transactionHash"]
        assert (credited["payer"], credited["token"]) == (payments.payer, payments.token.address)
        assert (credited["credited_microdollars"], credited["credited_display"]) == (2_500_001, "$2.500001")
        assert (credited["amount_display"], credited["confirmations"]) == ("2.500001 LUSD", 3)
        assert (await node.ledger.balance(node.account)).credit_microdollars == 2_500_001


async def test_an_account_reads_its_own_payments_alone_page_by_page(payments: Payments, tmp_path: Path) -> None:
    async with node_on(payments, tmp_path) as node:
        stranger, usage = new_key(), new_key()
        other = await payments.account(stranger)
        node.learn(stranger, other)
        node.learn(usage, node.account, Grants())
        for amount in (1, 2, 3):
            await payments.pay(node.account, amount)
        await payments.pay(other, 9)
        await payments.chain.rpc.ask("anvil_mine", "0x3")
        await node.until("credited", key=stranger)
        assert [each["amount"] for each in await node.told(key=usage)] == ["1", "2", "3"]
        reply = await node.server.call("GET", "/billing/token_payments?page_number=1&page_size=2", key=node.key)
        assert ([each["amount"] for each in reply.body], reply.headers["X-Total-Count"]) == (["3"], "3")
        for path in ("/billing/token_payments", "/billing/token_config"):
            assert (await node.server.call("GET", path)).status == 401


async def test_a_deposit_that_vanishes_and_a_token_without_a_price_are_told(payments: Payments, tmp_path: Path) -> None:
    async with node_on(payments, tmp_path) as node:
        await payments.pay(node.account, 5)
        await node.until("pending")
        await payments.chain.rpc.ask("anvil_rollback", 1)
        await payments.chain.rpc.ask("anvil_mine", "0x2")
        assert (await node.until("dropped"))["confirmations"] is None
        token = await payments.hostile()
        await payments.pay(node.account, 5, token)
        await payments.chain.rpc.ask("anvil_mine", "0x3")
        last = await node.until("dropped", "ignored")
        assert (last["reason"], last["symbol"], last["amount_display"]) == ("no_price", None, None)


async def test_endpoints_that_are_out_are_waited_for_and_told(payments: Payments, tmp_path: Path) -> None:
    async with node_on(payments, tmp_path) as node:
        assert node.tokens.problem is not None
        assert node.tokens.problem() is None
        node.proxy.behaviour = rpc_proxy.drop
        await payments.pay(node.account, 5)
        await payments.chain.rpc.ask("anvil_mine", "0x3")
        assert await node.told() == []
        assert b"svc_token_deposits_lag_seconds" in generate_latest(node.registry)
        node.proxy.behaviour = rpc_proxy.honest
        assert (await node.until("credited"))["amount"] == "5"


async def test_without_a_deposit_contract_both_say_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    key = new_key()
    world.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), 7, managed=True, grants=None)
    async with serving(token_endpoints(TokenService()), world) as server:
        for path in ("/billing/token_config", "/billing/token_payments"):
            reply = await server.call("GET", path, key=key)
            assert (reply.status, reply.body["error"]) == (503, "billing_disabled")


async def refused(payments: Payments, directory: Path, **told: Any) -> StartupRefusedError:
    with pytest.raises(StartupRefusedError) as why:
        async with node_on(payments, directory, **told):
            pass
    return why.value


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([], "credits nothing"),
        (["{token}:LUSD:6"], "each entry reads"),
        (["{token}:LUSD:6:0"], "price above zero"),
        (["{token}:LUSD:78:1"], "decimals"),
        (["{token}:LU SD:6:1"], "each entry reads"),
        (["{token}:LUSD:6:1", "{lower}:LUSD:6:2"], "two prices"),
        (["{token}:LUSD:18:1"], "has 6 decimals, not 18"),
        (["{account}:LUSD:6:1"], "tells its decimals"),
        (["0x" + "12" * 20 + ":LUSD:6:1"], "tells its decimals"),
    ],
)
async def test_prices_that_do_not_fit_are_refused_at_the_start(
    payments: Payments, tmp_path: Path, entries: list[str], text: str
) -> None:
    token = payments.token.address
    made = [each.format(token=token, lower=token.lower(), account=payments.chain.contract.address) for each in entries]
    why = await refused(payments, tmp_path, token_prices=made)
    assert why.setting == "token_prices"
    assert text in why.message


async def test_a_slip_in_an_address_is_refused(payments: Payments, tmp_path: Path) -> None:
    slipped = payments.token.address.swapcase().replace("0X", "0x")
    why = await refused(payments, tmp_path, token_prices=[f"{slipped}:LUSD:6:1"])
    assert (why.setting, "EIP-55" in why.message) == ("token_prices", True)


async def test_what_is_no_deposit_contract_of_these_accounts_is_refused(payments: Payments, tmp_path: Path) -> None:
    for place in (payments.token.address, "0x" + "12" * 20, payments.chain.contract.address):
        why = await refused(payments, tmp_path, token_deposit_contract=place)
        assert why.setting == "token_deposit_contract"
    why = await refused(payments, tmp_path, contract_address=payments.token.address)
    assert why.setting == "token_deposit_contract"
    why = await refused(payments, tmp_path, token_deposit_contract="")
    assert why.setting == "token_deposit_contract"
