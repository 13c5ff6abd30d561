"""The group a decision rests on, or that would allow it: decidingGroups, against a table in words."""

import itertools

import pytest

from tests.chain.contract.world import PAYER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE, TWO, OTHER = (key_hash(f"action {number}") for number in range(3))
MASTER, FIRST, SECOND = (wallet("a", number) for number in range(3))
GROUPS: dict[int, tuple[list[int], list[str]]] = {
    1: ([TWO], [SECOND]),
    2: ([ONE], []),
    3: ([ONE], [FIRST]),
    4: ([0], [ZERO]),
    5: ([ONE], [MASTER]),
}
NOTHING = (0, 0, 0, 0)
LISTS: tuple[list[int], ...] = ([], [0], [1], [2], [3, 2], [5, 4, 3], [99])


def lists(group: int, action: int, used: str | None = None) -> bool:
    actions, wallets = GROUPS[group]
    if action not in actions and 0 not in actions:
        return False
    return used is None or used in wallets or (ZERO in wallets and used in {FIRST, SECOND})


def lowest(listed: list[int], action: int, used: str) -> tuple[int, int]:
    among = [group for group in GROUPS if 0 in listed or group in listed]
    listing = [group for group in among if lists(group, action)]
    both = [group for group in listing if used in {MASTER, FIRST, SECOND} and lists(group, action, used)]
    return min(listing, default=0), min(both, default=0)


def reason(grants: Grants, action: int, used: str) -> tuple[int, int, int, int]:
    if 0 in grants.execute and used == ZERO:
        return NOTHING
    granted = lowest(grants.execute, action, used)
    if 0 in grants.execute or granted[0]:
        return (*granted, 0, 0)
    return (*granted, *lowest([*grants.manage, *grants.add_pkp, *grants.remove_pkp], action, used))


async def populated(world: World) -> int:
    account = await world.managed("a", wallets=3)
    for actions, wallets in GROUPS.values():
        await world.group(account, actions, wallets)
    return account


async def test_the_table(world: World) -> None:
    """Every list of granted groups beside every other list, in each of the three places it may stand."""
    account = await populated(world)
    for number, (execute, other) in enumerate(itertools.product(LISTS, LISTS)):
        manage, add, remove = (other if number % 3 == place else [] for place in range(3))
        grants = Grants(manage=manage, add_pkp=add, remove_pkp=remove, execute=execute)
        key = await world.key(account, f"{number}", grants)
        for action, used in itertools.product((ONE, TWO, OTHER), (ZERO, MASTER, FIRST, address_of("unregistered"))):
            found = await world.call("decidingGroups", key, action, used)
            assert found == reason(grants, action, used), (grants, action, used)


async def test_only_usage_keys_in_force_have_a_reason(world: World) -> None:
    account = await populated(world)
    now = await world.now()
    expiring = await world.key(account, "expiring", Grants(execute=[3], expiration=now + 100))
    removed = await world.key(account, "removed", Grants(execute=[3]))
    for key in (expiring, removed):
        assert await world.call("decidingGroups", key, ONE, FIRST) == (3, 3, 0, 0)
    await world.pay("removeUsageApiKey", account, removed)
    await world.go_to(now + 100)
    for key in (account, key_hash("unknown"), 0, expiring, removed):
        assert await world.call("decidingGroups", key, ONE, FIRST) == NOTHING


async def test_what_is_gone_decides_nothing(world: World) -> None:
    account = await populated(world)
    await world.pay("addAction", account, "", "", TWO)
    key = await world.key(account, "k", Grants(execute=[3, 5]))
    await world.pay("addActionToGroup", account, 3, TWO)
    assert await world.call("decidingGroups", key, TWO, FIRST) == (3, 3, 0, 0)
    await world.pay("removeAction", account, TWO)
    assert await world.call("decidingGroups", key, TWO, FIRST) == NOTHING
    assert await world.call("decidingGroups", key, ONE, FIRST) == (3, 3, 0, 0)
    await world.pay("removePkpFromGroup", account, 3, FIRST)
    assert await world.call("decidingGroups", key, ONE, FIRST) == (3, 0, 0, 0)
    await world.pay("removeGroup", account, 3)
    assert await world.call("decidingGroups", key, ONE, FIRST) == (5, 0, 0, 0)


async def test_groups_of_another_account_are_none(world: World) -> None:
    await populated(world)
    other = await world.managed("b", wallets=2)
    for number, listed in enumerate(([3], [0])):
        key = await world.key(other, f"{number}", Grants(execute=listed, manage=listed))
        assert await world.call("decidingGroups", key, ONE, wallet("b", 1)) == NOTHING


async def test_it_costs_little_more_than_the_decision_over_every_group(world: World) -> None:
    account = await world.managed("a", wallets=3)
    await world.pay("multicall", [world.contract.encode("addGroup", account, "", "", [TWO], [FIRST])] * 60)
    granted = await world.key(account, "granted", Grants(execute=[0]))
    known = await world.key(account, "known", Grants(manage=[0], add_pkp=[0], remove_pkp=[0]))

    async def gas(function: str, key: int, last: object) -> int:
        data = world.contract.encode(function, key, TWO, last)
        return int(await world.rpc.ask("eth_estimateGas", world.contract.request(PAYER, data)), 16)

    decision = await gas("authorisation", granted, [SECOND])
    assert await gas("decidingGroups", granted, SECOND) < 1.1 * decision
    assert await gas("decidingGroups", known, SECOND) < 1.1 * decision
