"""Putting the contract on a chain: what is told to whoever's key cannot pay for it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
import pytest
from click.testing import CliRunner

from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from node.chain.deployment import ContractOptions, deploy_account_contract
from node.chain.rpc import JsonRpc
from node.cli import main
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex
from node.settings.chain import RpcSettings
from tests.support.odd_providers import CHANGES, RECEIPT, showing, without_tips
from tests.support.rpc_proxy import RpcProxy, honest, taking_no_batches

OWNER, PAYER = "0x" + "11" * 20, "0x" + "22" * 20


async def test_a_deployer_that_cannot_pay_is_told_how_much_it_takes() -> None:
    deployer = key_from_hex("0x" + "5a" * 32)
    options = ContractOptions(OWNER, PAYER, 0)
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = JsonRpc(session, [chain.url], RpcSettings())
        with pytest.raises(StartupRefusedError) as refused:
            await deploy_account_contract(rpc, deployer, options)
        assert refused.value.setting == "--key-file"
        assert f"{deployer.address} holds 0 wei" in refused.value.message
        cost = int(refused.value.message.split("may cost ")[1].split(":")[0])
        await rpc.call("anvil_setBalance", [deployer.address, hex(cost)])
        assert await rpc.call("eth_getCode", [await deploy_account_contract(rpc, deployer, options), "latest"]) != "0x"


PATIENCE_S = 30.0
DEPLOYER = key_from_hex(FUNDED_KEYS[0])


@contextlib.asynccontextmanager
async def deploying() -> AsyncIterator[tuple[JsonRpc, RpcProxy]]:
    """A provider of a fresh chain, and the way to it."""
    async with (
        local_chain(LocalChainOptions()) as chain,
        RpcProxy(chain.url).running() as proxy,
        aiohttp.ClientSession() as session,
    ):
        yield JsonRpc(session, [proxy.url], RpcSettings()), proxy


async def deploy(rpc: JsonRpc) -> str:
    return await deploy_account_contract(rpc, DEPLOYER, ContractOptions(OWNER, PAYER, 0))


async def test_a_contract_is_deployed_on_a_chain_without_tips() -> None:
    async with deploying() as (rpc, proxy):
        proxy.behaviour = without_tips(3)
        address = await deploy(rpc)
        proxy.behaviour = honest
        assert await rpc.call("eth_getCode", [address, "latest"]) != "0x"
        made = await rpc.call("eth_getTransactionByBlockNumberAndIndex", ["latest", "0x0"])
    assert isinstance(made, dict)
    assert int(str(made["maxPriorityFeePerGas"]), 16) == pytest.approx(3 * 10**9, rel=0.1)


@pytest.mark.parametrize("name", ["without status", "of a pending block"])
async def test_an_incomplete_receipt_says_nothing_of_a_deployment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking, change = CHANGES[name]
    async with deploying() as (rpc, proxy):
        proxy.behaviour = showing(change)
        deployment = asyncio.create_task(deploy(rpc))
        async with asyncio.timeout(PATIENCE_S):
            while [call["method"] for each in proxy.seen if isinstance(each, list) for call in each].count(RECEIPT) < 2:
                proxy.arrived.clear()
                await proxy.arrived.wait()
        proxy.behaviour = honest
        assert await rpc.call("eth_getCode", [await deployment, "latest"]) != "0x"
        monkeypatch.setattr("node.chain.deployment.RECEIPT_TIMEOUT_S", 0.5)
        proxy.behaviour = showing(change)
        with pytest.raises(StartupRefusedError) as refused:
            await deploy(rpc)
        shown = f"127.0.0.1:{proxy.port}"
    assert refused.value.setting == "rpc_endpoints"
    assert f"{shown} shows does not count by its {lacking}" in refused.value.message
    assert "reverted" not in refused.value.message


async def test_a_provider_that_takes_no_batches_is_named_before_anything_is_sent() -> None:
    async with deploying() as (rpc, proxy):
        proxy.behaviour = taking_no_batches(-32600, "no batches")
        with pytest.raises(StartupRefusedError, match="rpc_endpoints takes endpoints that answer batches"):
            await deploy(rpc)
        assert await rpc.call("eth_getTransactionCount", [DEPLOYER.address, "pending"]) == "0x0"


@pytest.mark.parametrize("option", ["--owner", "--admin-payer"])
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("0x12", "is no address"),
        (OWNER + "\n", "is no address"),
        ("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "checksum"),
    ],
)
def test_an_address_with_a_slip_in_it_is_refused(option: str, address: str, said: str) -> None:
    others = {"--owner": OWNER, "--admin-payer": PAYER} | {option: address}
    named = [part for pair in others.items() for part in pair]
    ran = CliRunner().invoke(main, ["contract", "deploy", "--rpc-url", "http://127.0.0.1:1", *named, "--key-file", "-"])
    assert ran.exit_code == 2
    assert option in ran.output
    assert said in ran.output
