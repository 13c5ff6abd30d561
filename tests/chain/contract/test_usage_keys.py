"""Usage keys: replaced whole, gone for good, and never able to widen themselves."""

import itertools
from typing import Any

import pytest

from tests.chain.contract.world import EVERYTHING, PAYER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE = address_of("alice")


def shown(usage: int, grants: Grants) -> dict[str, Any]:
    fields = ("expiration", "balance", "name", "description", "createGroups", "deleteGroups", "createPKPs")
    lists = ("manageIPFSIdsInGroups", "addPkpToGroups", "removePkpFromGroups", "executeInGroups")
    return {"apiKeyHash": usage} | dict(zip(fields + lists, grants.arguments(), strict=True))


async def test_setting_a_key_again_replaces_everything(world: World) -> None:
    account = await world.managed("a")
    full = Grants(2**40, 500, "n" * 100, "d" * 100, True, True, True, [1, 2, 3, 4, 5], [0], [9], [2**64 - 1, 1])
    less = Grants(0, 0, "", "", False, True, False, [7], [], [], [1])
    for grants in (full, less, Grants(), full):
        receipt = await world.pay("setUsageApiKey", account, key_hash("k"), *grants.arguments())
        assert receipt.named("UsageApiKeySet") == [(account, key_hash("k"))]
        assert await world.call("getUsageApiKey", account, key_hash("k")) == shown(key_hash("k"), grants)
        assert (await world.call("getAccount", key_hash("k")))["usageApiKey"] == shown(key_hash("k"), grants)
    assert await world.call("apiKeyCount", account) == 1
    for grants in (less, full):
        await world.pay("updateUsageApiKey", account, key_hash("k"), *grants.arguments())
        assert await world.call("getUsageApiKey", account, key_hash("k")) == shown(key_hash("k"), grants)


async def test_renaming_changes_the_names_alone(world: World) -> None:
    account = await world.managed("a")
    key = await world.key(account, "k", EVERYTHING)
    receipt = await world.pay("updateUsageApiKeyMetadata", account, key, "new", "words")
    assert receipt.named("UsageApiKeyMetadataUpdated") == [(account, key)]
    renamed = shown(key, EVERYTHING) | {"name": "new", "description": "words"}
    assert await world.call("getUsageApiKey", account, key) == renamed


@pytest.mark.parametrize("function", ["updateUsageApiKey", "updateUsageApiKeyMetadata", "removeUsageApiKey"])
async def test_an_unknown_key_is_never_created(world: World, function: str) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    foreign = await world.key(other, "foreign", EVERYTHING)
    arguments = {"updateUsageApiKey": EVERYTHING.arguments(), "updateUsageApiKeyMetadata": ("", "")}.get(function, ())
    for unknown in (key_hash("unknown"), 0, account, foreign):
        refused = await world.refusal(PAYER, function, account, unknown, *arguments)
        assert refused == ("UsageApiKeyDoesNotExist", (account, unknown))


@pytest.mark.parametrize("way", ["removeUsageApiKey", "clearUsageApiKeys"])
async def test_a_removed_key_is_gone_for_good(world: World, way: str) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    key = await world.key(account, "k", EVERYTHING)
    receipt = await world.pay(way, account, *([key] if way == "removeUsageApiKey" else []))
    assert [event.name for event in receipt.events] == [
        {"removeUsageApiKey": "UsageApiKeyRemoved"}.get(way, "UsageApiKeysCleared")
    ]
    assert await world.call("resolveMaster", key) == 0
    assert await world.call("listApiKeys", account, 0, 9) == ([], 0)
    assert not await world.call("canExecuteAction", key, 1)
    assert (await world.call("authorisation", key, 1, []))["masterHash"] == 0
    assert await world.refusal(PAYER, "getUsageApiKey", account, key) == ("UsageApiKeyDoesNotExist", (account, key))
    for anybody in (account, other):
        refused = await world.refusal(PAYER, "setUsageApiKey", anybody, key, *EVERYTHING.arguments())
        assert refused == ("AccountAlreadyExists", (key,))
    again = await world.refusal(PAYER, "removeUsageApiKey", account, key)
    assert again == ("UsageApiKeyDoesNotExist", (account, key))
    await world.key(account, "fresh", Grants())
    assert await world.call("getUsageApiKey", account, key_hash("fresh")) == shown(key_hash("fresh"), Grants())
    await world.pay("clearUsageApiKeys", account)
    assert await world.call("resolveMaster", key) == 0


async def test_the_zero_hash_and_ids_no_group_can_have_are_refused(world: World) -> None:
    account = await world.managed("a")
    refused = await world.refusal(PAYER, "setUsageApiKey", account, 0, *EVERYTHING.arguments())
    assert refused[0] == "InvalidRequest"
    beyond = [
        Grants(manage=[2**64]),
        Grants(add_pkp=[2**64]),
        Grants(remove_pkp=[1, 2**256 - 1]),
        Grants(execute=[2**128]),
    ]
    for grants in beyond:
        refused = await world.refusal(PAYER, "setUsageApiKey", account, 1, *grants.arguments())
        assert refused[0] == "InvalidRequest"


async def test_expiry_comes_at_its_second(world: World) -> None:
    account = await world.managed("a")
    end = await world.now() + 1000
    grants = Grants(**{**EVERYTHING.__dict__, "expiration": end})
    key = await world.key(account, "k", grants)
    await world.go_to(end - 1)
    assert (await world.contract.outcomes([(PAYER, "addGroup", [key, "", "", [], []])])) == [None]
    decision = await world.call("authorisation", key, 1, [])
    assert (decision["canExecute"], decision["expiration"], decision["blockTimestamp"]) == (True, end, end - 1)
    await world.go_to(end)
    assert await world.refusal(PAYER, "addGroup", key, "", "", [], []) == ("UsageApiKeyExpired", (key,))
    decision = await world.call("authorisation", key, 1, [wallet("a", 0)])
    assert (decision["canExecute"], decision["canUseWallets"], decision["expiration"]) == (False, [False], end)
    assert decision["masterHash"] == account
    assert (await world.call("getUsageApiKey", account, key))["expiration"] == end
    await world.pay("updateUsageApiKey", account, key, *EVERYTHING.arguments())
    assert await world.call("canExecuteAction", key, 1)


ACTION = key_hash("action")
BEYOND: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "addGroup with actions": ("addGroup", ("", "", [ACTION], []), "NotAllowedToManageIPFSIdsInGroup"),
    "addGroup with wallets": ("addGroup", ("", "", [], [wallet("a", 1)]), "NotAllowedToAddPkpToGroup"),
    "another group's actions": ("addActionToGroup", (2, ACTION), "NotAllowedToManageIPFSIdsInGroup"),
    "another group's wallets": ("addPkpToGroup", (2, wallet("a", 1)), "NotAllowedToAddPkpToGroup"),
    "taking from another group": ("removePkpFromGroup", (2, wallet("a", 1)), "NotAllowedToRemovePkpFromGroup"),
    "replacing a group": ("updateGroup", (1, "", "", [0], [ZERO]), "NotMasterAccount"),
    "a stronger key": ("setUsageApiKey", (key_hash("k"), *EVERYTHING.arguments()), "NotMasterAccount"),
    "another key": ("setUsageApiKey", (key_hash("new"), *EVERYTHING.arguments()), "NotMasterAccount"),
    "its own update": ("updateUsageApiKey", (key_hash("k"), *EVERYTHING.arguments()), "NotMasterAccount"),
}


@pytest.mark.parametrize("attempt", BEYOND)
async def test_no_key_widens_itself(world: World, attempt: str) -> None:
    """With every grant on group 1 and no wildcard, nothing beyond group 1 is reached."""
    account = await world.managed("a", wallets=2)
    await world.group(account, [], [wallet("a", 1)])
    await world.group(account, [], [wallet("a", 1)])
    mine = Grants(0, 0, "", "", True, True, True, [1], [1], [1], [1])
    key = await world.key(account, "k", mine)
    function, arguments, error = BEYOND[attempt]
    assert (await world.refusal(PAYER, function, key, *arguments))[0] == error


async def test_wildcards_and_the_master_wallet_enter_only_by_the_master(world: World) -> None:
    account = await world.managed("a", wallets=2)
    await world.group(account, [], [])
    key = await world.key(account, "k", EVERYTHING)
    attempts: list[tuple[str, tuple[Any, ...]]] = [
        ("addActionToGroup", (1, 0)),
        ("addPkpToGroup", (1, ZERO)),
        ("addPkpToGroup", (1, wallet("a", 0))),
        ("addGroup", ("", "", [ACTION, 0], [])),
        ("addGroup", ("", "", [], [wallet("a", 1), ZERO])),
        ("addGroup", ("", "", [], [wallet("a", 1), wallet("a", 0)])),
    ]
    for function, arguments in attempts:
        refused = await world.refusal(PAYER, function, key, *arguments)
        assert refused == ("NotMasterAccount", (key,)), function
        await world.pay(function, account, *arguments)
    await world.pay("removeActionFromGroup", key, 1, 0)
    await world.pay("removePkpFromGroup", key, 1, ZERO)


async def test_a_key_in_one_list_alone_gets_that_right_alone(world: World) -> None:
    """Each grant opens its own function and no other."""
    account = await world.managed("a", wallets=3)
    await world.group(account, [ACTION], [wallet("a", 1)])
    functions: dict[str, tuple[Any, ...]] = {
        "addGroup": ("", "", [], []),
        "removeGroup": (1,),
        "registerWalletDerivation": (ALICE, 99, "", ""),
        "addActionToGroup": (1, 5),
        "removeActionFromGroup": (1, ACTION),
        "addPkpToGroup": (1, wallet("a", 2)),
        "removePkpFromGroup": (1, wallet("a", 1)),
    }
    opens = {
        "create_groups": {"addGroup"},
        "delete_groups": {"removeGroup"},
        "create_pkps": {"registerWalletDerivation"},
        "manage": {"addActionToGroup", "removeActionFromGroup"},
        "add_pkp": {"addPkpToGroup"},
        "remove_pkp": {"removePkpFromGroup"},
        "execute": set[str](),
    }
    for (grant, opened), groups in itertools.product(opens.items(), ([0], [1], [2, 1], [2])):
        value: Any = True if "create" in grant or "delete" in grant else groups
        key = await world.key(account, f"{grant} {groups}", Grants(**{grant: value}))
        outcomes = await world.contract.outcomes([(PAYER, each, [key, *functions[each]]) for each in functions])
        through = {each for each, outcome in zip(functions, outcomes, strict=True) if outcome is None}
        assert through == (set() if value == [2] else opened), (grant, groups)
