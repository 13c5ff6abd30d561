"""Lists: creation order that survives removals, pages that agree with the whole, counts that agree with the list."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.chain.contract.world import GROUPS_MAX, PAYER, Grants, World, wallet
from tests.support.contract import address_of, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

BATCH = 90
PAST_END = (10**6, 2**255, 2**256 - 1)


async def batched(world: World, calls: Sequence[bytes]) -> None:
    for start in range(0, len(calls), BATCH):
        part = calls[start : start + BATCH]
        assert all((await world.call("multicall", part, sender=PAYER))[0])
        await world.pay("multicall", part)


async def whole(world: World, view: str, *arguments: Any, field: str, size: int) -> list[Any]:
    """The list put together from its pages, each checked for its length and the total."""
    found: list[Any] = []
    page = 0
    while True:
        items, total = await world.call(view, *arguments, page, size)
        assert len(items) == max(0, min(size, total - page * size))
        if not items:
            break
        found += [item[field] for item in items]
        page += 1
    assert len(found) == total
    for number in PAST_END:
        assert await world.call(view, *arguments, number, size) == ([], total)
    assert await world.call(view, *arguments, 0, 0) == ([], total)
    return found


def without(values: list[Any]) -> tuple[list[Any], list[Any]]:
    """What is left and what goes: every third, the first, the last and a whole word of 256."""
    gone = [
        value for place, value in enumerate(values) if place % 3 == 0 or place == len(values) - 1 or 256 <= place < 520
    ]
    return [value for value in values if value not in set(gone)], gone


LISTS: dict[str, Any] = {
    "listApiKeys": ("apiKeyHash", "apiKeyCount"),
    "listGroups": ("id", "groupCount"),
    "listActions": ("actionHash", "actionCount"),
}


@pytest.mark.parametrize("view", LISTS)
async def test_order_survives_removals(world: World, view: str) -> None:
    account = await world.managed("a")
    field, count = LISTS[view]

    def add(value: int) -> bytes:
        if view == "listApiKeys":
            return world.contract.encode("setUsageApiKey", account, value, *Grants().arguments())
        if view == "listGroups":
            return world.contract.encode("addGroup", account, "", "", [], [])
        return world.contract.encode("addAction", account, "", "", value)

    remove = {"listApiKeys": "removeUsageApiKey", "listGroups": "removeGroup", "listActions": "removeAction"}[view]
    values = [
        place + 1 if view == "listGroups" else key_hash(f"{place}")
        for place in range(GROUPS_MAX if view == "listGroups" else 560)
    ]
    await batched(world, [add(value) for value in values])
    assert await whole(world, view, account, field=field, size=100) == values
    left, gone = without(values)
    await batched(world, [world.contract.encode(remove, account, value) for value in gone])
    for size in (100, 7):
        assert await whole(world, view, account, field=field, size=size) == left
    assert await world.call(count, account) == len(left)
    if view == "listApiKeys":
        await world.pay("clearUsageApiKeys", account)
        assert await whole(world, view, account, field=field, size=100) == []
        left = []
    new = GROUPS_MAX + 1 if view == "listGroups" else key_hash("new")
    await batched(world, [add(new)])
    assert await whole(world, view, account, field=field, size=100) == [*left, new]


async def test_an_action_registered_again_goes_to_the_end(world: World) -> None:
    account = await world.managed("a")
    actions = [key_hash(f"{each}") for each in range(3)]
    for action in actions:
        await world.pay("addAction", account, "", "", action)
    await world.pay("removeAction", account, actions[0])
    await world.pay("addAction", account, "", "", actions[0])
    assert await whole(world, "listActions", account, field="actionHash", size=2) == [
        actions[1],
        actions[2],
        actions[0],
    ]


async def test_wallets_page(world: World) -> None:
    account = await world.managed("a")
    addresses = [wallet("a", 0), *[address_of(f"{each}") for each in range(300)]]
    calls = [
        world.contract.encode("registerWalletDerivation", account, each, path + 2, "", "")
        for path, each in enumerate(addresses[1:])
    ]
    await batched(world, calls)
    assert await whole(world, "listPkps", account, field="pkpId", size=100) == addresses
    assert await whole(world, "listPkps", account, field="id", size=64) == list(range(301))
    assert await world.call("pkpCountOf", account) == 301


async def test_group_contents_page_in_the_order_added(world: World) -> None:
    account = await world.managed("a", wallets=8)
    actions = [key_hash(f"{each}") for each in range(9)]
    wallets = [wallet("a", each) for each in (5, 1, 7, 0, 3)]
    await world.group(account, actions, wallets)
    for gone in (actions[4], actions[0]):
        await world.pay("removeActionFromGroup", account, 1, gone)
    await world.pay("removePkpFromGroup", account, 1, wallets[2])
    left = [each for place, each in enumerate(actions) if place not in {0, 4}]
    for size in (1, 2, 3, 100):
        assert await whole(world, "listActionsInGroup", account, 1, field="actionHash", size=size) == left
        shown = await whole(world, "listWalletsInGroup", account, 1, field="pkpId", size=size)
        assert shown == [each for each in wallets if each != wallets[2]]


async def test_usage_hashes_name_the_account_in_every_list(world: World) -> None:
    account = await world.managed("a")
    key = await world.key(account, "expired", Grants(expiration=1))
    await world.group(account, [1], [])
    for view, arguments in {
        "listApiKeys": (),
        "listGroups": (),
        "listPkps": (),
        "listActions": (),
        "listActionsInGroup": (1,),
    }.items():
        assert await world.call(view, key, *arguments, 0, 9) == await world.call(view, account, *arguments, 0, 9)


async def test_deleted_actions_do_not_pile_up_in_a_group(world: World) -> None:
    """A deployment's life: each new version registered and listed, the old one deleted. What the list has to skip stays few."""
    account = await world.managed("a")
    await world.group(account, [key_hash("stays")], [])
    reads = []
    for round_ in range(8):
        calls: list[bytes] = []
        for each in range(20):
            version, old = (
                key_hash(f"{round_} {each}"),
                key_hash(f"{round_} {each - 1}" if each else f"{round_ - 1} 19"),
            )
            calls.append(world.contract.encode("addAction", account, "", "", version))
            calls.append(world.contract.encode("addActionToGroup", account, 1, version))
            if (round_, each) != (0, 0):
                calls.append(world.contract.encode("removeAction", account, old))
        await batched(world, calls)
        shown = await whole(world, "listActionsInGroup", account, 1, field="actionHash", size=10)
        assert shown == [key_hash("stays"), key_hash(f"{round_} 19")]
        data = world.contract.encode("groupActionCount", account, 1)
        reads.append(int(await world.rpc.ask("eth_estimateGas", world.contract.request(None, data)), 16))
    assert max(reads[1:]) < reads[0] + 20_000
