"""Who speaks for managed accounts: the admin payer names payers at once, the owner only after the delay everyone can see."""

from typing import Any

import pytest

from tests.contract.world import ADMIN_PAYER, DELAY_S, OPERATOR, OWNER, PAYER, STRANGER, ZERO, World
from tests.world.contract import address_of, deploy, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE, BOB = address_of("alice"), address_of("bob")
CHANGES: dict[str, tuple[Any, list[str]]] = {
    "addApiPayers": ([ALICE, BOB], [PAYER, ALICE, BOB]),
    "removeApiPayers": ([PAYER, ALICE], []),
    "setApiPayers": ([BOB], [BOB]),
    "setAdminApiPayerAccount": (ALICE, [PAYER]),
}
"""What is asked, and the payers after it."""


async def state(world: World) -> tuple[list[str], str]:
    return await world.call("api_payers"), await world.call("adminApiPayerAccount")


def selector(world: World, function: str, argument: Any) -> bytes:
    return world.contract.encode(function, argument)[:4]


@pytest.mark.parametrize("function", CHANGES)
async def test_the_admin_payer_changes_at_once(world: World, function: str) -> None:
    argument, payers = CHANGES[function]
    receipt = await world.send(ADMIN_PAYER, function, argument)
    admin = ALICE if function == "setAdminApiPayerAccount" else ADMIN_PAYER
    assert await state(world) == (payers, admin)
    if admin == ALICE:
        assert receipt.named("AdminApiPayerUpdated") == [(ALICE,)]
        assert (await world.refusal(ADMIN_PAYER, "addApiPayers", [BOB]))[0] == "OnlyApiPayerOrOwner"
    else:
        assert receipt.named("ApiPayersUpdated") == [(payers,)]
    assert len(receipt.events) == 1
    for each in (PAYER, ALICE, BOB):
        assert await world.call("isApiPayer", each) is (each in payers)


@pytest.mark.parametrize("function", CHANGES)
async def test_the_owner_waits_in_sight(world: World, function: str) -> None:
    argument, payers = CHANGES[function]
    before = await state(world)
    receipt = await world.send(OWNER, function, argument)
    due = await world.now() + DELAY_S
    accounts = argument if isinstance(argument, list) else [argument]
    scheduled = (selector(world, function, argument), accounts, due)
    assert receipt.named("OwnerChangeScheduled") == [scheduled]
    assert await world.call("scheduledOwnerChange") == scheduled
    assert await state(world) == before
    await world.go_to(due - 1)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"
    await world.go_to(due)
    for anybody in (STRANGER, ADMIN_PAYER, PAYER):
        assert (await world.refusal(anybody, "applyOwnerChange"))[0] == "OwnableUnauthorizedAccount"
    receipt = await world.send(OWNER, "applyOwnerChange")
    assert receipt.named("OwnerChangeApplied") == [scheduled[:2]]
    assert await state(world) == (payers, ALICE if function == "setAdminApiPayerAccount" else ADMIN_PAYER)
    assert await world.call("scheduledOwnerChange") == (bytes(4), [], 0)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"


async def test_asking_again_replaces_what_was_asked_and_waits_anew(world: World) -> None:
    """Nothing can be smuggled in under a change that has already waited."""
    await world.send(OWNER, "addApiPayers", [ALICE])
    await world.go_to(await world.now() + DELAY_S)
    await world.send(OWNER, "addApiPayers", [BOB])
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"
    await world.go_to(await world.now() + DELAY_S)
    await world.send(OWNER, "applyOwnerChange")
    assert (await state(world))[0] == [PAYER, BOB]


async def test_a_scheduled_change_can_be_dropped(world: World) -> None:
    assert (await world.refusal(OWNER, "cancelOwnerChange"))[0] == "InvalidRequest"
    await world.send(OWNER, "setApiPayers", [ALICE])
    receipt = await world.send(OWNER, "cancelOwnerChange")
    assert receipt.named("OwnerChangeCancelled") == [(selector(world, "setApiPayers", []), [ALICE])]
    await world.go_to(await world.now() + DELAY_S)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"
    assert (await state(world))[0] == [PAYER]


async def test_a_new_owner_waits_too_and_the_old_one_has_nothing(world: World) -> None:
    await world.send(OWNER, "transferOwnership", ALICE)
    await world.send(ALICE, "acceptOwnership")
    await world.send(ALICE, "setApiPayers", [ALICE])
    assert (await state(world))[0] == [PAYER]
    assert (await world.refusal(OWNER, "addApiPayers", [OWNER]))[0] == "OnlyApiPayerOrOwner"


@pytest.mark.parametrize("function", CHANGES)
async def test_nobody_is_no_payer(world: World, function: str) -> None:
    argument = [ALICE, ZERO] if function != "setAdminApiPayerAccount" else ZERO
    for sender in (ADMIN_PAYER, OWNER):
        assert (await world.refusal(sender, function, argument))[0] == "InvalidRequest"


async def test_a_removed_payer_can_do_nothing_more(world: World) -> None:
    account = await world.managed("a")
    await world.send(ADMIN_PAYER, "setApiPayers", [ALICE])
    assert (await world.refusal(PAYER, "addGroup", account, "", "", [], []))[0] == "NoAccountAccess"
    assert (await world.refusal(PAYER, "newAccount", 5, True, "", "", BOB))[0] == "OnlyApiPayer"
    await world.send(ALICE, "addGroup", account, "", "", [], [])
    await world.send(ADMIN_PAYER, "removeApiPayers", [ALICE, BOB])
    await world.send(ADMIN_PAYER, "addApiPayers", [BOB, BOB, PAYER])
    assert (await state(world))[0] == [BOB, PAYER]


async def test_the_first_payers_and_admin_payer_are_named_at_once(world: World) -> None:
    """While no managed account exists there is nobody to be harmed."""
    fresh = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ZERO, DELAY_S))
    assert await state(fresh) == ([], ZERO)
    assert await fresh.call("ownerChangeDelay") == DELAY_S
    await fresh.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    await fresh.send(OWNER, "addApiPayers", [PAYER])
    assert await state(fresh) == ([PAYER], ADMIN_PAYER)
    await fresh.send(OWNER, "setAdminApiPayerAccount", ALICE)
    await fresh.send(OWNER, "addApiPayers", [ALICE])
    assert await state(fresh) == ([PAYER], ADMIN_PAYER)


async def test_the_first_admin_payer_waits_once_a_managed_account_exists(world: World) -> None:
    """Else an owner could name an admin payer of its own late, and payers through it, past the delay."""
    fresh = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ZERO, DELAY_S))
    await fresh.send(OWNER, "setApiPayers", [PAYER])
    await fresh.managed("a")
    await fresh.send(OWNER, "setAdminApiPayerAccount", OWNER)
    assert (await state(fresh))[1] == ZERO
    assert (await fresh.call("scheduledOwnerChange"))[1] == [OWNER]


async def test_emptying_the_payers_does_not_bring_the_first_time_back(world: World) -> None:
    await world.send(ADMIN_PAYER, "setApiPayers", [])
    await world.send(OWNER, "setApiPayers", [OWNER])
    assert (await state(world))[0] == []


async def test_a_delay_of_zero_is_for_development(world: World) -> None:
    fresh = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ADMIN_PAYER, 0))
    for payers in ([PAYER], [ALICE]):
        await fresh.send(OWNER, "setApiPayers", payers)
        assert (await state(fresh))[0] == payers


async def test_dropping_many_payers_costs_what_dropping_few_costs(world: World) -> None:
    costs = []
    for count in (1, 200):
        await world.send(ADMIN_PAYER, "setApiPayers", [address_of(f"{count} {each}") for each in range(count)])
        costs.append((await world.send(ADMIN_PAYER, "setApiPayers", [])).gas_used)
    assert costs[0] == costs[1]


async def test_operators_publish_values_that_decide_nothing(world: World) -> None:
    receipt = await world.send(OWNER, "setConfigOperator", OPERATOR)
    assert receipt.named("ConfigOperatorUpdated") == [(OPERATOR,)]
    receipt = await world.send(OPERATOR, "setRequestedApiPayerCount", 4)
    assert receipt.named("RequestedApiPayerCountUpdated") == [(4,)]
    receipt = await world.send(OPERATOR, "setRebalanceAmount", 10**17)
    assert receipt.named("RebalanceAmountUpdated") == [(10**17,)]
    receipt = await world.send(OPERATOR, "setNodeConfiguration", "banner", "back at noon")
    assert receipt.named("NodeConfigurationUpdated") == [("banner", "back at noon")]
    assert await world.call("configOperator") == OPERATOR
    assert (await world.call("requestedApiPayerCount"), await world.call("rebalanceAmount")) == (4, 10**17)
    assert await world.call("nodeConfigurationValue", "banner") == "back at noon"
    assert await world.call("nodeConfigurationValue", "unknown") == ""
    await world.send(OWNER, "setConfigOperator", ZERO)
    assert (await world.refusal(OPERATOR, "setRebalanceAmount", 1))[0] == "OnlyConfigOperatorOrOwner"


async def test_the_owner_of_the_contract_reaches_no_account(world: World) -> None:
    account = await world.managed("a")
    own = await world.unmanaged(ALICE)
    for sender in (OWNER, ADMIN_PAYER, OPERATOR):
        for known in (account, own):
            assert (await world.refusal(sender, "clearUsageApiKeys", known))[0] == "NoAccountAccess"
    assert (await world.refusal(OWNER, "newAccount", key_hash("x"), True, "", "", BOB))[0] == "OnlyApiPayer"
