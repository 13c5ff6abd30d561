"""The owner's attempts to speak for managed accounts: none gets a payer of its own into the contract."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from tests.chain.contract.world import ADMIN_PAYER, DELAY_S, OWNER, PAYER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, deploy, key_hash

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


async def replace(contract: World, admin_payer: str) -> None:
    """The owner names an admin payer after the first, with all the delay it takes."""
    await contract.send(OWNER, "setAdminApiPayerAccount", admin_payer)
    await contract.go_to(await contract.now() + DELAY_S)
    await contract.send(OWNER, "applyOwnerChange")


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
    await replace(contract, ADMIN_PAYER)
    assert await contract.call("api_payers") == []
    await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    victim = await contract.managed("victim")
    assert not await robs(contract, victim)
    assert await contract.call("adminApiPayerReplacements") == 1


async def test_an_admin_payer_of_the_owners_is_counted_though_the_enclave_is_named_again(world: World) -> None:
    """What its payer planted stays valid, and nothing else of the present state tells of it."""
    contract = await launch(world)
    victim = await name_and_open(contract)
    await replace(contract, OWNER)
    await contract.send(OWNER, "addApiPayers", [PLANTED])
    assert await robs(contract, victim)
    await replace(contract, ADMIN_PAYER)
    await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    assert (await contract.call("api_payers"), await contract.call("adminApiPayerAccount")) == ([PAYER], ADMIN_PAYER)
    assert await contract.call("canExecuteAction", STOLEN_KEY, CODE)
    assert await contract.call("adminApiPayerReplacements") == 2
    decision = await contract.call("authorisation", STOLEN_KEY, CODE, [])
    assert (decision["adminApiPayer"], decision["adminApiPayerReplacements"]) == (ADMIN_PAYER, 2)


async def test_only_another_admin_payer_is_counted(world: World) -> None:
    contract = await launch(world)

    async def count() -> int:
        return int(await contract.call("adminApiPayerReplacements"))

    assert await count() == 0
    await contract.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    assert await count() == 0
    await replace(contract, ADMIN_PAYER)
    assert await count() == 0
    await contract.send(OWNER, "setAdminApiPayerAccount", PLANTED)
    assert await count() == 0
    await contract.send(OWNER, "cancelOwnerChange")
    assert await count() == 0
    for expected, named in enumerate((PLANTED, PAYER, ADMIN_PAYER), start=1):
        await replace(contract, named)
        assert await count() == expected
    await replace(contract, ADMIN_PAYER)
    assert await count() == 3


async def test_the_constructors_naming_is_not_counted(world: World) -> None:
    contract = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ADMIN_PAYER, DELAY_S))
    assert await contract.call("adminApiPayerReplacements") == 0
    await replace(contract, PLANTED)
    assert await contract.call("adminApiPayerReplacements") == 1


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
