"""The contract wallets of the tests are what they say: else the tests that rest on them prove nothing."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from node.keyring.signing_key import key_from_hex
from tests.support.account_chain import AccountChain, account_chain
from tests.support.contract import Revert, address_of
from tests.support.contract_wallets.deployed import (
    MAGIC,
    MultisigWallet,
    OwnerWallet,
    calldata,
    deploy_wallet,
    magic_answer,
    says,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

DIGEST = bytes(range(32))
KEYS = [key_from_hex(f"{number:064x}") for number in (11, 12, 13, 14)]
NO = bytes(32)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as made:
        yield made


async def test_an_owner_wallet_takes_its_owners_signature_alone(chain: AccountChain) -> None:
    wallet = await OwnerWallet.deployed(chain.rpc, chain.stranger, KEYS[0])
    assert await says(chain.rpc, wallet.address, DIGEST, wallet.sign(DIGEST)) == magic_answer()
    for signed in (KEYS[1].sign_digest(DIGEST), wallet.sign(bytes(32)), wallet.sign(DIGEST)[:64], b""):
        assert await says(chain.rpc, wallet.address, DIGEST, signed) == NO


async def test_an_owner_wallet_acts_for_its_owner_alone(chain: AccountChain) -> None:
    wallet = await OwnerWallet.deployed(chain.rpc, chain.stranger, KEYS[0])
    request = {
        "from": chain.stranger,
        "to": wallet.address,
        "data": wallet.execution(chain.contract.address, chain.contract.encode("accountCount")),
    }
    with pytest.raises(Revert):
        await chain.rpc.ask("eth_call", request, "latest")
    await chain.rpc.ask("eth_call", request | {"from": KEYS[0].address}, "latest")


async def test_a_multisig_takes_two_of_three_in_order(chain: AccountChain) -> None:
    wallet = await MultisigWallet.deployed(chain.rpc, chain.stranger, KEYS[:3])
    first, second, third = (key.sign_digest(DIGEST) for key in wallet.owners)
    for signed in (first + second, first + third, second + third, wallet.sign(DIGEST)):
        assert await says(chain.rpc, wallet.address, DIGEST, signed) == magic_answer()
    stranger = KEYS[3].sign_digest(DIGEST)
    for signed in (first, second + first, first + first, first + stranger, stranger + third, first + second + third):
        assert await says(chain.rpc, wallet.address, DIGEST, signed) == NO


async def test_a_multisig_acts_once_for_each_pair_of_signatures(chain: AccountChain) -> None:
    wallet = await MultisigWallet.deployed(chain.rpc, chain.stranger, KEYS[:3])
    data = chain.contract.encode("newChainSecuredAccount", "of a multisig", "")
    request = {
        "from": chain.stranger,
        "to": wallet.address,
        "data": await wallet.execution(chain.rpc, chain.contract.address, data),
    }
    assert (await chain.rpc.ask("eth_sendTransactionSync", request))["status"] == "0x1"
    with pytest.raises(Revert):
        await chain.rpc.ask("eth_call", request, "latest")


@pytest.mark.parametrize(
    "answer",
    [b"", MAGIC, magic_answer()[:31], magic_answer() + NO, magic_answer(b"\x01" * 28), magic_answer(), b"\xff" * 32],
    ids=["nothing", "4", "31", "64", "dirty", "yes", "no"],
)
async def test_a_hostile_wallet_answers_whatever_it_was_made_to(chain: AccountChain, answer: bytes) -> None:
    wallet = await deploy_wallet(chain.rpc, chain.stranger, "AnsweringWallet", answer)
    assert await says(chain.rpc, wallet, DIGEST, b"") == answer


async def test_others_flood_revert_burn_gas_and_call_back(chain: AccountChain) -> None:
    flooding = await deploy_wallet(chain.rpc, chain.stranger, "FloodingWallet", 1_000_000)
    flood = await says(chain.rpc, flooding, DIGEST, b"")
    assert flood.startswith(magic_answer())
    assert len(flood) == 1_000_000
    reverting = await deploy_wallet(chain.rpc, chain.stranger, "RevertingWallet", magic_answer())
    with pytest.raises(Revert):
        await says(chain.rpc, reverting, DIGEST, b"")
    burning = await deploy_wallet(chain.rpc, chain.stranger, "GasBurningWallet")
    request = {"to": burning, "data": calldata("OwnerWallet", "isValidSignature", DIGEST, b""), "gas": hex(1_000_000)}
    with pytest.raises(AssertionError, match="OOG"):
        await chain.rpc.ask("eth_call", request, "latest")
    for target, call in (
        (chain.contract.address, chain.contract.encode("newChainSecuredAccount", "opened while asked", "")),
        (address_of("nobody"), b""),
        ("0x" + "00" * 20, b""),
    ):
        calling = await deploy_wallet(chain.rpc, chain.stranger, "ReentrantWallet", target, call)
        assert await says(chain.rpc, calling, DIGEST, b"") == magic_answer()
