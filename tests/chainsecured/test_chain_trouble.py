"""The chain out of reach, slow, or told apart by a wallet: 503, nothing minted, and nobody blamed who did no wrong."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from node.api.errors import ErrorCode, as_node_error
from node.chain.foreign_contracts import QuorumWalletContracts
from node.chain.port import ContractVerdict
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.rpc import JsonRpc
from node.errors import DomainError
from node.settings.chain import WalletContractSettings
from tests.chainsecured.conftest import Secured
from tests.support.contract_wallets.deployed import deploy_wallet, magic_answer
from tests.support.envelopes import envelope, header_of
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, changing, honest, refusing, saying
from tests.support.views import ANY_AGE

pytestmark = pytest.mark.asyncio(loop_scope="module")

DOWN: dict[str, Behaviour] = {
    "an HTTP error": saying(b"out", status=502),
    "no JSON": saying(b"<html>"),
    "overloaded": refusing(-32005, "limit exceeded"),
    "a method it does not have": refusing(-32601, "the method does not exist"),
}


@asynccontextmanager
async def misbehaving(proxy: RpcProxy, behaviour: Behaviour) -> AsyncIterator[None]:
    proxy.behaviour = behaviour
    try:
        yield
    finally:
        proxy.behaviour = honest


async def always_yes(secured: Secured) -> str:
    sender = str((await secured.rpc.ask("eth_accounts"))[0])
    return await deploy_wallet(secured.rpc, sender, "AnsweringWallet", magic_answer())


@pytest.mark.parametrize("name", DOWN)
async def test_while_the_chain_is_out_everything_is_503(secured: Secured, managed_key: str, name: str) -> None:
    wallet = await always_yes(secured)
    by_contract = {"typed_data": envelope("CreateWallet", wallet, secured.now), "signature": "0x00"}
    billing = {"typed_data": envelope("BillingAuth", wallet, secured.now), "signature": "0x00"}
    async with misbehaving(secured.proxy, DOWN[name]):
        replies = [
            await secured.mint(by_contract),
            await secured.mint(secured.admin.request("CreateWallet", secured.now)),
            await secured.balance(header_of(billing), key=managed_key),
            await secured.balance(secured.admin.header(secured.now), key=managed_key),
        ]
        malformed = await secured.mint(secured.admin.request("CreateWallet", secured.now - 301))
    for reply in replies:
        assert (reply.status, reply.body["error"]) == (503, "chain_unavailable"), reply.body
        assert int(reply.headers["Retry-After"]) >= 1
    assert malformed.status == 400, "what is wrong without the chain is said without it"
    assert (await secured.mint(by_contract)).status == 200


class Providers:
    """A chain seen through proxies, most of which must agree: two of two, two of three."""

    def __init__(self, proxies: list[RpcProxy], quorum: QuorumReader, disagreements: list[str]) -> None:
        self.first, self.second, *_ = proxies
        self.quorum = quorum
        self.disagreements = disagreements

    def contracts(self, gas: int = 3_000_000) -> QuorumWalletContracts:
        return QuorumWalletContracts(self.quorum, WalletContractSettings(wallet_signature_gas=gas))


class Blamed:
    def __init__(self) -> None:
        self.hosts: list[str] = []

    def disagreed(self, host: str) -> None:
        self.hosts.append(host)


@asynccontextmanager
async def providers(secured: Secured, count: int = 2) -> AsyncIterator[Providers]:
    proxies, blamed = [RpcProxy(secured.world.chain_url) for _ in range(count)], Blamed()
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        for proxy in proxies:
            await stack.enter_async_context(proxy.running())
        rpc = JsonRpc(session, [proxy.url for proxy in proxies])
        yield Providers(proxies, QuorumReader(QuorumClient(rpc, ANY_AGE, blamed), MinimumBlock()), blamed.hosts)


def _other_verdict(answer: Any) -> Any:
    """A yes where the chain says no, as a wallet can make of it that tells one provider from the other."""
    for each in answer if isinstance(answer, list) else [answer]:
        if each.get("result") == f"0x{ContractVerdict.REJECTED.value:064x}":
            each["result"] = f"0x{ContractVerdict.ACCEPTED.value:064x}"
    return answer


async def test_endpoints_that_say_different_things_give_no_verdict_and_none_is_blamed(secured: Secured) -> None:
    sender = str((await secured.rpc.ask("eth_accounts"))[0])
    wallet = await deploy_wallet(secured.rpc, sender, "AnsweringWallet", b"")
    async with providers(secured) as both:
        assert await both.contracts().verdict(wallet, bytes(32), b"") is ContractVerdict.REJECTED
        both.second.behaviour = changing(_other_verdict)
        with pytest.raises(DomainError) as refused:
            await both.contracts().verdict(wallet, bytes(32), b"")
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert both.disagreements == []


async def test_one_of_three_is_outvoted_and_not_blamed(secured: Secured) -> None:
    sender = str((await secured.rpc.ask("eth_accounts"))[0])
    wallet = await deploy_wallet(secured.rpc, sender, "AnsweringWallet", b"")
    async with providers(secured, 3) as three:
        three.first.behaviour = changing(_other_verdict)
        assert await three.contracts().verdict(wallet, bytes(32), b"") is ContractVerdict.REJECTED
        assert three.disagreements == []


@pytest.mark.parametrize("said", ["0x", f"0x{3:064x}", f"0x{2:062x}", "0x" + "ff" * 32])
async def test_what_is_no_verdict_is_an_endpoints_fault_and_not_the_wallets(secured: Secured, said: str) -> None:
    wallet = await always_yes(secured)

    def garbled(answer: Any) -> Any:
        for each in answer if isinstance(answer, list) else [answer]:
            if each.get("result") == f"0x{ContractVerdict.ACCEPTED.value:064x}":
                each["result"] = said
        return answer

    async with providers(secured) as both:
        assert await both.contracts().verdict(wallet, bytes(32), b"") is ContractVerdict.ACCEPTED
        both.second.behaviour = changing(garbled)
        with pytest.raises(DomainError) as refused:
            await both.contracts().verdict(wallet, bytes(32), b"")
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE


async def test_endpoints_that_take_too_long_are_not_waited_for(
    secured: Secured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.chain.foreign_contracts.SIGNATURE_TIMEOUT_S", 0.2)
    wallet, never = await always_yes(secured), asyncio.Event()

    async def silent(_request: web.Request, _asked: Any, _forward: Forward) -> web.StreamResponse:
        await never.wait()
        raise AssertionError("it never comes to this")

    async with providers(secured) as both:
        both.first.behaviour = both.second.behaviour = silent
        try:
            with pytest.raises(DomainError) as refused:
                async with asyncio.timeout(30):
                    await both.contracts().verdict(wallet, bytes(32), b"")
            assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        finally:
            never.set()


async def test_the_gas_a_wallet_may_burn_is_a_setting(secured: Secured) -> None:
    """Code that burns some 100,000 gas (storing to memory far away), then says yes."""
    wallet = "0x" + "ce" * 20
    burns = "5f62030d40" + "52"
    says = "7f" + magic_answer().hex() + "5f5260205ff3"
    await secured.rpc.ask("anvil_setCode", wallet, "0x" + burns + says)
    async with providers(secured) as both:
        for gas, verdict in ((50_000, ContractVerdict.REJECTED), (200_000, ContractVerdict.ACCEPTED)):
            assert await both.contracts(gas).verdict(wallet, bytes(32), b"") is verdict


async def test_the_block_is_pinned_by_its_hash_and_the_gas_is_bounded(secured: Secured) -> None:
    wallet = await always_yes(secured)
    async with providers(secured) as both:
        await both.contracts(1_000_000).verdict(wallet, bytes(32), b"")
        seen = [each for asked in both.first.seen for each in (asked if isinstance(asked, list) else [asked])]
        calls = [each["params"] for each in seen if each["method"] == "eth_call"]
        assert calls
        for transaction, block in calls:
            assert set(block) == {"blockHash", "requireCanonical"}
            assert 1_000_000 < int(transaction["gas"], 16) < 2_000_000
