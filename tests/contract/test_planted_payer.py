"""The owner's attempts to speak for managed accounts: none gets a payer of its own into the contract."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from tests.contract.world import ADMIN_PAYER, DELAY_S, OWNER, PAYER, ZERO, Grants, World, wallet
from tests.world.contract import address_of, deploy, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLANTED, STOLEN_KEY, CODE = address_of("planted"), key_hash("a key the attacker holds"), key_hash("the attacker's code")
PLANTINGS = ("addApiPayers", "setApiPayers")


async def launch(world: World) -> World:
    """A contract whose admin payer nobody has named yet."""
    return World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ZERO, DELAY_S))


async def name_and_open(contract: World) -> int:
    """The enclave is named, adds its payer and opens a victim's account."""
    await contract.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    return await contract.managed("victim")


async def robs(contract: World, victim: int) -> bool:
    """Whether the planted payer can grant a key of its own the victim's wallet."""
    steps: Sequence[tuple[str, tuple[Any, ...]]] = (
        ("setUsageApiKey", (victim, STOLEN_KEY, *Grants(execute=[0]).arguments())),
        ("addGroup", (victim, "", "", [0], [wallet("victim", 0)])),
    )
    outcomes = await contract.contract.outcomes([(PLANTED, name, list(arguments)) for name, arguments in steps])
    if any(outcomes):
        assert [outcome.name for outcome in outcomes if outcome] == ["NoAccountAccess"] * 2
        return False
    for name, arguments in steps:
        await contract.send(PLANTED, name, *arguments)
    decided = await contract.call("canExecuteActionAndUseWallet", STOLEN_KEY, CODE, wallet("victim", 0))
    return bool(decided == (True, True))


@pytest.mark.parametrize("planting", PLANTINGS)
async def test_a_payer_planted_before_launch_cannot_take_a_victims_wallet(world: World, planting: str) -> None:
    contract = await launch(world)
    await contract.send_if_allowed(OWNER, planting, [PLANTED])
    victim = await name_and_open(contract)
    assert await contract.call("api_payers") == [PAYER]
    assert not await robs(contract, victim)


async def test_an_admin_payer_of_the_owners_loses_its_payers_when_the_enclave_is_named(world: World) -> None:
    """The owner names itself first, plants a payer as admin payer, and names the enclave afterwards."""
    contract = await launch(world)
    await contract.send(OWNER, "setAdminApiPayerAccount", OWNER)
    await contract.send(OWNER, "addApiPayers", [PLANTED])
    await contract.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    await contract.go_to(await contract.now() + DELAY_S)
    await contract.send(OWNER, "applyOwnerChange")
    assert await contract.call("api_payers") == []
    await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    victim = await contract.managed("victim")
    assert not await robs(contract, victim)


@pytest.mark.parametrize("order", list(itertools.permutations(("plant", "name", "open", "wait"))))
async def test_no_order_of_the_owners_calls_makes_a_payer(world: World, order: tuple[str, ...]) -> None:
    """Planting is tried before and after each step of a launch, with everything scheduled applied once it is due."""
    contract = await launch(world)
    for step in order:
        for planting in PLANTINGS:
            await contract.send_if_allowed(OWNER, planting, [PLANTED])
        if step == "name":
            await contract.send_if_allowed(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
            await contract.send_if_allowed(ADMIN_PAYER, "addApiPayers", [PAYER])
        elif step == "open":
            await contract.send_if_allowed(PAYER, "newAccount", key_hash("victim"), True, "", "", ZERO)
        elif step == "wait":
            await contract.go_to(await contract.now() + DELAY_S)
            await contract.send_if_allowed(OWNER, "applyOwnerChange")
        assert not await contract.call("isApiPayer", PLANTED)
