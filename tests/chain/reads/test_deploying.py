"""Putting the contract on a chain: what is told to whoever's key cannot pay for it."""

import aiohttp
import pytest
from click.testing import CliRunner

from devkit.local_chain import LocalChainOptions, local_chain
from node.chain.deployment import ContractOptions, deploy_account_contract
from node.chain.rpc import JsonRpc
from node.cli import main
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex
from node.settings.chain import RpcSettings

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
