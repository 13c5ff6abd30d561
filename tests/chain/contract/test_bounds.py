"""Whatever an account holds, its decisions can be computed: what they loop over is bounded in the contract."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from tests.chain.contract.world import GROUPS_MAX, GROUPS_RESERVED, OWNER, PAYER, Grants, World, wallet
from tests.support.contract import key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_GAS: Final = 10_000_000
"""A stock geth computes an eth_call of at most 50 M gas; other clients and providers allow as much or more."""
BATCH: Final = 90
ACTION: Final = key_hash("an action")
FAR_GROUP: Final = 10**9
GROUP_IDS_SLOT: Final = 4
"""Where `groupIds` stands in the struct Account: `last` is the lowest 64 bits of the slot."""
DELEGATED: Final = Grants(create_groups=True, delete_groups=True)


async def fill(
    world: World, account: int, count: int, actions: Sequence[int] = (), wallets: Sequence[str] = ()
) -> None:
    call = world.contract.encode("addGroup", account, "", "", list(actions), list(wallets))
    for start in range(0, count, BATCH):
        receipt = await world.pay("multicall", [call] * min(BATCH, count - start))
        assert receipt.named("CallFailed") == []


async def burn_ids(world: World, account: int, last: int) -> None:
    """Leave the account as it is after adding and removing groups until the last id was `last`."""
    slot = int.from_bytes(keccak(encode(["uint256", "uint256"], [account, 0])), "big") + GROUP_IDS_SLOT
    held = int(await world.rpc.ask("eth_getStorageAt", world.contract.address, hex(slot), "latest"), 16)
    assert (held >> 64) & (2**64 - 1) == await world.call("groupCount", account), "the layout is another"
    assert held & (2**64 - 1) < last
    changed = held >> 64 << 64 | last
    await world.rpc.ask("anvil_setStorageAt", world.contract.address, hex(slot), f"0x{changed:064x}")


async def gas(world: World, view: str, *arguments: Any) -> int:
    request = {
        "from": PAYER,
        "to": world.contract.address,
        "data": "0x" + world.contract.encode(view, *arguments).hex(),
    }
    return int(await world.rpc.ask("eth_estimateGas", request), 16)


async def dearest(world: World, keys: Sequence[int], used: str) -> int:
    """What the dearest decision of these keys costs; each asks of one wallet, as a node's calls do."""
    views = [(view, used) for view in ("canUseWalletInAction", "canExecuteActionAndUseWallet", "decidingGroups")]
    return max(
        [
            await gas(world, view, key, ACTION, asked)
            for key in keys
            for view, asked in (*views, ("authorisation", [used]))
        ]
    )


async def hostile_keys(world: World, account: int) -> list[int]:
    """Usage keys whose lists make a decision read as much as they can."""
    every, far = list(range(1, GROUPS_MAX + 1)), list(range(FAR_GROUP, FAR_GROUP + GROUPS_MAX))
    lists = {
        "every group": Grants(execute=[0]),
        "each by name": Grants(execute=every),
        "none there is": Grants(execute=far),
        "none granted, every one known": Grants(execute=far[: GROUPS_MAX - 1], manage=[0]),
        "known by name": Grants(manage=every[:170], add_pkp=every[170:340], remove_pkp=every[340:]),
    }
    return [await world.key(account, name, grants) for name, grants in lists.items()]


GROUPS: Final[dict[str, tuple[list[int], list[int]]]] = {
    "empty": ([], []),
    "any action, no wallet": ([0], []),
    "any action, another wallet": ([0], [2]),
    "the action": ([ACTION], []),
}
"""The actions and the wallets of every group of an account."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("held", GROUPS)
async def test_the_worst_decision_of_a_full_account_stays_far_below_every_cap(world: World, held: str) -> None:
    account = await world.managed("a", wallets=3)
    actions, wallets = GROUPS[held]
    await fill(world, account, GROUPS_MAX, actions, [wallet("a", each) for each in wallets])
    assert await dearest(world, await hostile_keys(world, account), wallet("a", 1)) < MOST_GAS


async def test_burnt_group_ids_do_not_make_a_decision_dearer(world: World) -> None:
    """A hundred million groups added and removed, and those left spread as thinly as can be."""
    account = await world.managed("a", wallets=3)
    await world.group(account, [0], [])
    key = await world.key(account, "k", Grants(execute=[0]))
    before = await gas(world, "authorisation", key, ACTION, [wallet("a", 1)])
    await burn_ids(world, account, 100_000_000)
    last = await world.group(account, [0], [])
    assert last == 100_000_001
    assert await gas(world, "authorisation", key, ACTION, [wallet("a", 1)]) < 4 * 10**6
    assert [each["id"] for each in (await world.call("listGroups", account, 0, 9))[0]] == [1, last]
    await world.pay("removeGroup", account, last)
    assert await gas(world, "authorisation", key, ACTION, [wallet("a", 1)]) == before


async def test_groups_spread_over_many_words_cost_little_more(world: World) -> None:
    account = await world.managed("a", wallets=3)
    for word in range(1, 33):
        await fill(world, account, GROUPS_MAX // 32, [0])
        await burn_ids(world, account, word << 8)
    key = await world.key(account, "k", Grants(execute=[0]))
    assert await world.call("groupCount", account) == GROUPS_MAX
    assert await dearest(world, [key], wallet("a", 1)) < MOST_GAS


async def test_an_account_has_at_most_so_many_groups(world: World) -> None:
    assert await world.call("groupLimits") == (GROUPS_MAX, GROUPS_RESERVED)
    account = await world.managed("a")
    await fill(world, account, GROUPS_MAX)
    refused = await world.refusal(PAYER, "addGroup", account, "", "", [], [])
    assert refused == ("GroupLimitReached", (account, GROUPS_MAX))
    await world.pay("removeGroup", account, 7)
    assert await world.group(account, [], []) == GROUPS_MAX + 1
    assert (await world.refusal(PAYER, "addGroup", account, "", "", [], []))[0] == "GroupLimitReached"


async def test_a_delegated_key_cannot_use_up_the_reserve(world: World) -> None:
    account = await world.managed("a")
    key = await world.key(account, "k", DELEGATED)
    limit = GROUPS_MAX - GROUPS_RESERVED
    await fill(world, account, limit - 1)
    await world.pay("addGroup", key, "", "", [], [])
    assert await world.refusal(PAYER, "addGroup", key, "", "", [], []) == ("GroupLimitReached", (key, limit))
    await fill(world, account, GROUPS_RESERVED)
    assert await world.refusal(PAYER, "addGroup", key, "", "", [], []) == ("GroupLimitReached", (key, limit))
    assert (await world.refusal(PAYER, "addGroup", account, "", "", [], []))[0] == "GroupLimitReached"


async def test_an_unmanaged_accounts_admin_meets_the_same_bound(world: World) -> None:
    account = await world.unmanaged(OWNER)
    call = world.contract.encode("addGroup", account, "", "", [], [])
    for _ in range(0, GROUPS_MAX, 64):
        assert (await world.send(OWNER, "multicall", [call] * 64)).named("CallFailed") == []
    refused = await world.refusal(OWNER, "addGroup", account, "", "", [], [])
    assert refused == ("GroupLimitReached", (account, GROUPS_MAX))


@pytest.mark.parametrize("function", ["setUsageApiKey", "updateUsageApiKey"])
async def test_the_lists_of_a_usage_key_are_bounded_together(world: World, function: str) -> None:
    account = await world.managed("a")
    key = await world.key(account, "k", Grants())
    quarter = [1] * (GROUPS_MAX // 4)
    full = Grants(manage=quarter, add_pkp=quarter, remove_pkp=quarter, execute=quarter)
    await world.pay(function, account, key, *full.arguments())
    for name in ("manage", "add_pkp", "remove_pkp", "execute"):
        over = Grants(**{**vars(full), name: [*quarter, 1]})
        refused = await world.refusal(PAYER, function, account, key, *over.arguments())
        assert refused == ("InvalidRequest", ("more than 512 entries in the lists together",))
