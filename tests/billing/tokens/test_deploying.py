"""An operator puts the deposit contract on a chain with one command."""

import asyncio

import pytest
from click.testing import CliRunner, Result

from devkit.local_chain import FUNDED_KEYS
from node.cli import main
from tests.support.contract import address_of
from tests.support.deposits import CREDIT_DEPOSIT, LOCAL_DOLLAR, Deployed, Payments, deploy

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWNER, TREASURY = address_of("a cold wallet"), address_of("the till")


async def ran(payments: Payments, **options: str | list[str]) -> Result:
    """The command with the chain's first account as deployer."""
    told: dict[str, str | list[str]] = {
        "rpc-url": payments.chain.url,
        "owner": OWNER,
        "treasury": TREASURY,
        "account-contract": payments.chain.contract.address,
        **options,
    }
    parts = [
        (name, value) for name, values in told.items() for value in ([values] if isinstance(values, str) else values)
    ]
    named = [part for name, value in parts for part in (f"--{name}", value)]
    command = ["contract", "deploy-deposit", *named, "--key-file", "-"]
    return await asyncio.to_thread(CliRunner().invoke, main, command, input=FUNDED_KEYS[0])


async def test_it_is_ready_to_take_the_tokens_it_was_told(payments: Payments) -> None:
    other = await deploy(payments.chain.rpc, payments.chain.owner, LOCAL_DOLLAR, [], 0)
    result = await ran(payments, token=[payments.token.address, other.address])
    assert result.exit_code == 0, result.output
    made = Deployed(payments.chain.rpc, result.output.strip(), CREDIT_DEPOSIT["abi"])
    assert (await made.call("owner"), await made.call("treasury")) == (OWNER, TREASURY)
    assert await made.call("accountConfig") == payments.chain.contract.address
    accepted = [await made.call("acceptedTokens", each) for each in (payments.token.address, other.address, OWNER)]
    assert accepted == [True, True, False]


@pytest.mark.parametrize("option", ["account-contract", "token"])
async def test_an_address_without_a_contract_is_refused_before_anything_is_paid(
    payments: Payments, option: str
) -> None:
    result = await ran(payments, **{option: address_of("nobody")})
    assert (result.exit_code, result.stdout) == (2, "")


async def test_a_slip_in_an_address_is_refused(payments: Payments) -> None:
    result = await ran(payments, treasury=TREASURY.swapcase().replace("0X", "0x"))
    assert (result.exit_code, "checksum" in result.output) == (2, True)
