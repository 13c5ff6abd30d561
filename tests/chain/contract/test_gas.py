"""What holds much costs no more to take away than what holds nothing, and no call comes near a block's limit."""

from collections.abc import Awaitable, Callable

import pytest

from tests.chain.contract.gas import (
    ACTIONS,
    BEGIN,
    END,
    ENTRIES,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    PAGE,
    measure,
    table,
)
from tests.chain.contract.world import PAYER, Grants, World, wallet
from tests.support.contract import key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_GAS = 15_000_000
FULL = Grants(
    name="k", manage=[*range(1, 101)], add_pkp=[*range(1, 101)], remove_pkp=[*range(1, 101)], execute=[*range(1, 101)]
)
ONE_GROUP = Grants(name="k", execute=[1])


async def group(world: World, account: int, amount: int) -> None:
    await world.group(account, ACTIONS[:amount], [wallet("a", each) for each in range(amount)])


async def remove_group(world: World, account: int, amount: int) -> int:
    await group(world, account, 0)
    await group(world, account, amount)
    return (await world.pay("removeGroup", account, 2)).gas_used


async def empty_group(world: World, account: int, amount: int) -> int:
    await group(world, account, amount)
    return (await world.pay("updateGroup", account, 1, "group", "", [], [])).gas_used


async def remove_key(world: World, account: int, amount: int) -> int:
    await world.key(account, "other", Grants())
    key = await world.key(account, "k", FULL if amount else Grants(name="k"))
    return (await world.pay("removeUsageApiKey", account, key)).gas_used


async def replace_key(world: World, account: int, amount: int) -> int:
    key = await world.key(account, "k", FULL if amount else Grants(name="k"))
    return (await world.pay("updateUsageApiKey", account, key, *ONE_GROUP.arguments())).gas_used


async def clear_keys(world: World, account: int, amount: int) -> int:
    keys = [
        world.contract.encode("setUsageApiKey", account, key_hash(f"{each}"), *ONE_GROUP.arguments())
        for each in range(amount)
    ]
    await world.pay("multicall", keys)
    return (await world.pay("clearUsageApiKeys", account)).gas_used


async def remove_action(world: World, account: int, amount: int) -> int:
    for action in ACTIONS[:2]:
        await world.pay("addAction", account, "n", "d" * 31 * amount, action)
    for _ in range(amount):
        await group(world, account, 1)
    return (await world.pay("removeAction", account, ACTIONS[0])).gas_used


@pytest.mark.parametrize("take", [remove_group, empty_group, remove_key, replace_key, clear_keys, remove_action])
async def test_taking_away_costs_the_same_whatever_it_holds(
    world: World, take: Callable[[World, int, int], Awaitable[int]]
) -> None:
    amount = 100 if take is clear_keys else 50
    costs = []
    for each in (0, amount):
        snapshot = await world.rpc.ask("evm_snapshot")
        costs.append(await take(world, await world.managed("a", wallets=50), each))
        await world.rpc.ask("evm_revert", snapshot)
    assert costs[0] == costs[1]


async def test_the_largest_calls_stay_under_the_most_gas(world: World) -> None:
    """All entries of a call together 100 (the node's setting), texts at their longest; and four times that in a key."""
    account = await world.managed("a", wallets=ENTRIES)
    wallets = [wallet("a", each) for each in range(ENTRIES)]
    texts = (LONGEST_NAME, LONGEST_DESCRIPTION)
    spent = {
        "actions": (await world.pay("addGroup", account, *texts, ACTIONS, [])).gas_used,
        "wallets": (await world.pay("addGroup", account, *texts, [], wallets)).gas_used,
        "replaced": (await world.pay("updateGroup", account, 1, *texts, [], wallets)).gas_used,
        "key": (
            await world.pay("setUsageApiKey", account, 1, 1, 1, *texts, True, True, True, *[[*range(100)]] * 4)
        ).gas_used,
        "cid": (await world.pay("addActionWithCid", account, *texts, "Q" * 100)).gas_used,
        "wallet": (
            await world.send(PAYER, "registerWalletDerivation", account, "0x" + "11" * 20, 2**255, *texts)
        ).gas_used,
    }
    assert max(spent.values()) < MOST_GAS, spent


async def test_the_table_in_the_documentation_is_what_is_measured(world: World) -> None:
    """`python -m tests.chain.contract.gas` writes it anew."""
    shown = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert shown == table(await measure(world))


async def test_every_write_emits_an_event(world: World) -> None:
    """A listener that follows the events misses no change."""
    for what, receipt in await measure(world):
        assert receipt.events, what
