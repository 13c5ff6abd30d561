"""Who speaks for managed accounts: the admin payer names payers at once, the owner only the admin payer, in sight."""

from typing import Any

import pytest

from tests.chain.contract.world import ADMIN_PAYER, DELAY_S, OPERATOR, OWNER, PAYER, STRANGER, ZERO, World
from tests.support.contract import address_of, deploy, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE, BOB = address_of("alice"), address_of("bob")
NAMING = "setAdminApiPayerAccount"
CHANGES: dict[str, tuple[list[str], list[str]]] = {
    "addApiPayers": ([ALICE, BOB], [PAYER, ALICE, BOB]),
    "removeApiPayers": ([PAYER, ALICE, ZERO], []),
    "setApiPayers": ([BOB], [BOB]),
}
"""What is asked, and the payers after it."""


async def state(world: World) -> tuple[list[str], str]:
    return await world.call("api_payers"), await world.call("adminApiPayerAccount")


async def unnamed(world: World, delay_s: int = DELAY_S) -> World:
    """A fresh contract that has no admin payer yet."""
    return World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ZERO, delay_s))


async def apply(world: World, delay_s: int = DELAY_S) -> Any:
    """Wait for what the owner scheduled, and have it applied."""
    await world.go_to(await world.now() + delay_s)
    return await world.send(OWNER, "applyOwnerChange")


@pytest.mark.parametrize("function", CHANGES)
async def test_the_admin_payer_changes_payers_at_once_and_nobody_else_ever(world: World, function: str) -> None:
    payers, after = CHANGES[function]
    for sender in (OWNER, PAYER, OPERATOR, STRANGER):
        assert await world.refusal(sender, function, payers) == ("OnlyApiPayer", (sender,))
    receipt = await world.send(ADMIN_PAYER, function, payers)
    assert await state(world) == (after, ADMIN_PAYER)
    assert receipt.named("ApiPayersUpdated") == [(after,)]
    assert len(receipt.events) == 1
    for each in (PAYER, ALICE, BOB):
        assert await world.call("isApiPayer", each) is (each in after)


async def test_the_owner_names_another_admin_payer_after_a_delay_in_sight(world: World) -> None:
    before = await state(world)
    receipt = await world.send(OWNER, NAMING, ALICE)
    due = await world.now() + DELAY_S
    scheduled = (world.contract.encode(NAMING, ALICE)[:4], [ALICE], due)
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
    assert receipt.named("AdminApiPayerUpdated") == [(ALICE,)]
    assert receipt.named("ApiPayersUpdated") == [([],)]
    assert await state(world) == ([], ALICE)
    assert await world.call("scheduledOwnerChange") == (bytes(4), [], 0)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"


async def test_every_payer_goes_when_an_admin_payer_is_named_also_the_same_one(world: World) -> None:
    account = await world.managed("a")
    await world.send(OWNER, NAMING, ADMIN_PAYER)
    await apply(world)
    assert await state(world) == ([], ADMIN_PAYER)
    assert (await world.refusal(PAYER, "addGroup", account, "", "", [], []))[0] == "NoAccountAccess"
    await world.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    assert await state(world) == ([PAYER], ADMIN_PAYER)
    await world.pay("addGroup", account, "", "", [], [])


async def test_a_former_admin_payer_has_nothing_left(world: World) -> None:
    await world.send(OWNER, NAMING, ALICE)
    await apply(world)
    for function, (payers, _) in CHANGES.items():
        assert (await world.refusal(ADMIN_PAYER, function, payers))[0] == "OnlyApiPayer"


async def test_the_admin_payer_names_no_successor(world: World) -> None:
    for sender in (ADMIN_PAYER, PAYER, OPERATOR, STRANGER):
        assert await world.refusal(sender, NAMING, ALICE) == ("OwnableUnauthorizedAccount", (sender,))


async def test_asking_again_replaces_what_was_asked_and_waits_anew(world: World) -> None:
    """Nothing can be smuggled in under a change that has already waited."""
    await world.send(OWNER, NAMING, ALICE)
    await world.go_to(await world.now() + DELAY_S)
    await world.send(OWNER, NAMING, BOB)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"
    await apply(world)
    assert (await state(world))[1] == BOB


async def test_a_scheduled_change_can_be_dropped(world: World) -> None:
    assert (await world.refusal(OWNER, "cancelOwnerChange"))[0] == "InvalidRequest"
    await world.send(OWNER, NAMING, ALICE)
    receipt = await world.send(OWNER, "cancelOwnerChange")
    assert receipt.named("OwnerChangeCancelled") == [(world.contract.encode(NAMING, ALICE)[:4], [ALICE])]
    assert await world.call("scheduledOwnerChange") == (bytes(4), [], 0)
    await world.go_to(await world.now() + DELAY_S)
    assert (await world.refusal(OWNER, "applyOwnerChange"))[0] == "InvalidRequest"
    assert await state(world) == ([PAYER], ADMIN_PAYER)


async def test_a_new_owner_waits_too_and_the_old_one_has_nothing(world: World) -> None:
    await world.send(OWNER, NAMING, BOB)
    await world.send(OWNER, "transferOwnership", ALICE)
    await world.send(ALICE, "acceptOwnership")
    await world.send(ALICE, NAMING, ALICE)
    assert await state(world) == ([PAYER], ADMIN_PAYER)
    for function, arguments in ((NAMING, (OWNER,)), ("applyOwnerChange", ()), ("cancelOwnerChange", ())):
        assert (await world.refusal(OWNER, function, *arguments))[0] == "OwnableUnauthorizedAccount"


async def test_nobody_is_neither_payer_nor_admin_payer(world: World) -> None:
    for function in ("addApiPayers", "setApiPayers"):
        assert (await world.refusal(ADMIN_PAYER, function, [ALICE, ZERO]))[0] == "InvalidRequest"
    assert (await world.refusal(OWNER, NAMING, ZERO))[0] == "InvalidRequest"
    assert (await (await unnamed(world)).refusal(OWNER, NAMING, ZERO))[0] == "InvalidRequest"


async def test_a_removed_payer_can_do_nothing_more(world: World) -> None:
    account = await world.managed("a")
    await world.send(ADMIN_PAYER, "setApiPayers", [ALICE])
    assert (await world.refusal(PAYER, "addGroup", account, "", "", [], []))[0] == "NoAccountAccess"
    assert (await world.refusal(PAYER, "newAccount", 5, True, "", "", BOB))[0] == "OnlyApiPayer"
    await world.send(ALICE, "addGroup", account, "", "", [], [])
    await world.send(ADMIN_PAYER, "removeApiPayers", [ALICE, BOB])
    await world.send(ADMIN_PAYER, "addApiPayers", [BOB, BOB, PAYER])
    assert (await state(world))[0] == [BOB, PAYER]


async def test_the_first_admin_payer_is_named_at_once_and_only_the_first(world: World) -> None:
    fresh = await unnamed(world)
    assert await state(fresh) == ([], ZERO)
    assert await fresh.call("ownerChangeDelay") == DELAY_S
    receipt = await fresh.send(OWNER, NAMING, ADMIN_PAYER)
    assert receipt.named("AdminApiPayerUpdated") == [(ADMIN_PAYER,)]
    assert await fresh.call("scheduledOwnerChange") == (bytes(4), [], 0)
    await fresh.send(OWNER, NAMING, ALICE)
    assert await state(fresh) == ([], ADMIN_PAYER)


async def test_the_constructors_admin_payer_is_the_first_naming(world: World) -> None:
    fresh = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ADMIN_PAYER, DELAY_S))
    await fresh.send(OWNER, NAMING, ALICE)
    assert await state(fresh) == ([], ADMIN_PAYER)
    assert (await fresh.call("scheduledOwnerChange"))[1] == [ALICE]


async def test_without_an_admin_payer_nobody_opens_a_managed_account(world: World) -> None:
    fresh = await unnamed(world)
    for sender in (OWNER, ADMIN_PAYER, PAYER, ZERO):
        for function, arguments in (
            ("newAccount", (5, True, "", "", ALICE)),
            ("createManagedAccount", (5, "", "", ALICE, 1)),
        ):
            assert (await fresh.refusal(sender, function, *arguments))[0] == "OnlyApiPayer"


async def test_a_delay_of_zero_leaves_nothing_to_wait_for(world: World) -> None:
    fresh = World(world.rpc, await deploy(world.rpc, OWNER, OWNER, ADMIN_PAYER, 0))
    await fresh.send(OWNER, NAMING, ALICE)
    await fresh.send(OWNER, "applyOwnerChange")
    assert await state(fresh) == ([], ALICE)


async def test_dropping_many_payers_costs_what_dropping_few_costs(world: World) -> None:
    costs = []
    for count in (1, 200):
        await world.send(ADMIN_PAYER, "setApiPayers", [address_of(f"{count} {each}") for each in range(count)])
        costs.append((await world.send(ADMIN_PAYER, "setApiPayers", [])).gas_used)
        await world.send(ADMIN_PAYER, "setApiPayers", [address_of(f"{count} {each}") for each in range(count)])
        await world.send(OWNER, NAMING, ADMIN_PAYER)
        costs.append((await apply(world)).gas_used)
    assert costs[:2] == costs[2:]


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
