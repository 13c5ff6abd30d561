"""The local chain's token and deposit contract: made once, found again after a restart, made anew where they are gone."""

from pathlib import Path

import aiohttp
import pytest
from eth_utils.crypto import keccak

from devkit.deployed_contract import deployed_contract
from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from devkit.token.deployment import DevelopmentTokens, deployed_tokens
from node.chain.abi import account_config_abi
from node.chain.rpc import JsonRpc
from node.keyring.signing_key import key_from_hex
from tests.support.contract import Rpc
from tests.support.deposits import CREDIT_DEPOSIT, LOCAL_DOLLAR, Deployed, deposited

OWNER = key_from_hex(FUNDED_KEYS[0]).address
PAYER = key_from_hex(FUNDED_KEYS[3]).address


async def tokens_of(url: str, session: aiohttp.ClientSession, directory: Path) -> DevelopmentTokens:
    rpc = JsonRpc(session, (url,))
    contract = await deployed_contract(rpc, directory / "contract.json", OWNER)
    return await deployed_tokens(rpc, directory / "tokens.json", contract)


async def pays(url: str, session: aiohttp.ClientSession, made: DevelopmentTokens) -> int:
    """One of the development accounts pays for a fresh account; what arrived."""
    rpc = Rpc(session, url)
    data = account_config_abi().encode_call("newChainSecuredAccount", ("own", ""))
    asked = {"from": PAYER, "to": made.account_contract, "data": "0x" + data.hex(), "gas": hex(5_000_000)}
    await rpc.ask("eth_sendTransactionSync", asked)
    token, contract = (
        Deployed(rpc, made.token, LOCAL_DOLLAR["abi"]),
        Deployed(rpc, made.deposit_contract, CREDIT_DEPOSIT["abi"]),
    )
    account = int.from_bytes(keccak(bytes.fromhex(PAYER[2:])))
    await token.send(PAYER, "approve", contract.address, 5_000_000)
    receipt = await contract.send(PAYER, "deposit", account, token.address, 5_000_000)
    return deposited(receipt)[0][3]


async def test_they_are_made_once_and_found_again_after_a_restart(tmp_path: Path) -> None:
    options = LocalChainOptions(state_file=tmp_path / "chain.json")
    async with aiohttp.ClientSession() as session:
        async with local_chain(options) as chain:
            first = await tokens_of(chain.url, session, tmp_path)
            assert await tokens_of(chain.url, session, tmp_path) == first
            assert await pays(chain.url, session, first) == 5_000_000
        async with local_chain(options) as chain:
            assert await tokens_of(chain.url, session, tmp_path) == first


async def test_a_chain_without_them_gets_new_ones(tmp_path: Path) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(2):
            async with local_chain(LocalChainOptions()) as chain:
                made = await tokens_of(chain.url, session, tmp_path)
                assert await pays(chain.url, session, made) == 5_000_000


async def test_those_of_another_account_contract_are_replaced(tmp_path: Path) -> None:
    async with aiohttp.ClientSession() as session, local_chain(LocalChainOptions()) as chain:
        first = await tokens_of(chain.url, session, tmp_path)
        (tmp_path / "contract.json").unlink()
        second = await tokens_of(chain.url, session, tmp_path)
        assert second.account_contract != first.account_contract
        assert await pays(chain.url, session, second) == 5_000_000


@pytest.mark.parametrize("line", ["token-deposit-contract 0x", "(LUSD: 1 = $1", "examples/token_payment"])
def test_how_to_pay_is_announced(line: str) -> None:
    said = DevelopmentTokens("0x" + "11" * 20, "0x" + "22" * 20, "0x" + "33" * 20, "").announcement()
    assert any(line in each for each in said)
