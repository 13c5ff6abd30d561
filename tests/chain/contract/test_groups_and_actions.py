"""Groups, actions and wallets: what is added is listed, what is removed leaves nothing behind."""

from typing import Any

import pytest

from tests.chain.contract.world import EVERYTHING, PAYER, WILDCARD_ID, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash, wallet_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE, BOB = address_of("alice"), address_of("bob")
ONE, TWO, THREE = key_hash("action 1"), key_hash("action 2"), key_hash("action 3")


async def listed(world: World, account: int, group: int) -> tuple[list[int], list[str]]:
    """A group's contents, after checking that every view tells the same."""
    shown = await world.call("listGroupContents", account, group)
    assert shown == await world.call("getGroup", account, group)
    actions, action_count = await world.call("listActionsInGroup", account, group, 0, 500)
    wallets, wallet_count = await world.call("listWalletsInGroup", account, group, 0, 500)
    assert [each["actionHash"] for each in actions] == shown["cidHashes"]
    assert [each["pkpId"] for each in wallets] == shown["pkpIds"]
    assert action_count == await world.call("groupActionCount", account, group) == len(actions)
    assert wallet_count == await world.call("groupWalletCount", account, group) == len(wallets)
    for action in (0, ONE, TWO, THREE):
        assert await world.call("isActionInGroup", account, group, action) is (action in shown["cidHashes"])
    for address in (ZERO, *(wallet("a", number) for number in range(3))):
        assert await world.call("isPkpInGroup", account, group, address) is (address in shown["pkpIds"])
    return shown["cidHashes"], shown["pkpIds"]


async def test_a_group_is_listed_as_it_was_made(world: World) -> None:
    account = await world.managed("a", wallets=3)
    wallets = [wallet("a", 2), ZERO, wallet("a", 0), wallet("a", 2)]
    receipt = await world.pay("addGroup", account, "name", "what for", [TWO, 0, ONE, TWO], wallets)
    assert receipt.named("GroupAdded") == [(account, 1)]
    assert receipt.named("ActionAddedToGroup") == [(account, 1, TWO), (account, 1, 0), (account, 1, ONE)]
    assert receipt.named("PkpAddedToGroup") == [(account, 1, each) for each in wallets[:3]]
    expected = {"id": 1, "name": "name", "description": "what for", "cidHashes": [TWO, 0, ONE], "pkpIds": wallets[:3]}
    assert await world.call("listGroups", account, 0, 5) == ([expected], 1)
    assert await listed(world, account, 1) == ([TWO, 0, ONE], wallets[:3])
    shown, _ = await world.call("listWalletsInGroup", account, 1, 0, 5)
    assert [each["id"] for each in shown] == [2, WILDCARD_ID, 0]


async def test_group_ids_are_never_reused(world: World) -> None:
    account = await world.managed("a")
    for expected in (1, 2, 3):
        assert await world.group(account, [ONE], [wallet("a", 0)]) == expected
    for gone in (3, 1):
        receipt = await world.pay("removeGroup", account, gone)
        assert receipt.named("GroupRemoved") == [(account, gone)]
    assert await world.group(account, [], []) == 4
    assert [each["id"] for each in (await world.call("listGroups", account, 0, 9))[0]] == [2, 4]
    assert await listed(world, account, 4) == ([], [])
    assert await world.call("groupCount", account) == 2


async def test_nothing_can_be_done_with_a_group_that_is_not_there(world: World) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    await world.group(account, [ONE], [wallet("a", 0)])
    await world.pay("removeGroup", account, 1)
    await world.group(other, [], [])
    writes: dict[str, tuple[Any, ...]] = {
        "updateGroup": ("", "", [], []),
        "updateGroupMetadata": ("", ""),
        "removeGroup": (),
        "addActionToGroup": (ONE,),
        "removeActionFromGroup": (ONE,),
        "addPkpToGroup": (wallet("a", 0),),
        "removePkpFromGroup": (wallet("a", 0),),
    }
    for function, arguments in writes.items():
        for absent in (1, 2, 2**64, 2**256 - 1):
            refused = await world.refusal(PAYER, function, account, absent, *arguments)
            assert refused == ("GroupDoesNotExist", (account, absent))
        assert (await world.refusal(PAYER, function, account, 0, *arguments))[0] == "InvalidRequest"
    for view, arguments in {
        "getGroup": (),
        "listWalletsInGroup": (0, 9),
        "listActionsInGroup": (0, 9),
        "groupActionCount": (),
        "isActionInGroup": (ONE,),
        "isPkpInGroup": (wallet("a", 0),),
    }.items():
        for absent in (0, 1, 2):
            refused = await world.refusal(PAYER, view, account, absent, *arguments)
            assert refused == ("GroupDoesNotExist", (account, absent))


async def test_replacing_a_group_leaves_nothing_of_the_old(world: World) -> None:
    account = await world.managed("a", wallets=3)
    await world.group(account, [ONE, TWO, 0], [wallet("a", 0), wallet("a", 1), ZERO])
    receipt = await world.pay("updateGroup", account, 1, "n", "d", [THREE], [wallet("a", 2)])
    assert receipt.named("GroupUpdated") == [(account, 1)]
    assert await listed(world, account, 1) == ([THREE], [wallet("a", 2)])
    for action in (ONE, TWO, 0):
        refused = await world.refusal(PAYER, "removeActionFromGroup", account, 1, action)
        assert refused == ("ActionDoesNotExist", (account, 1, action))
    for gone in (wallet("a", 0), ZERO):
        assert await world.refusal(PAYER, "removePkpFromGroup", account, 1, gone) == (
            "PkpDoesNotExist",
            (account, 1, gone),
        )
    receipt = await world.pay("updateGroupMetadata", account, 1, "new", "words")
    assert receipt.named("GroupMetadataUpdated") == [(account, 1)]
    shown = await world.call("getGroup", account, 1)
    assert (shown["name"], shown["description"], shown["cidHashes"]) == ("new", "words", [THREE])


async def test_memberships_come_and_go(world: World) -> None:
    account = await world.managed("a", wallets=3)
    await world.group(account, [], [])
    steps: list[tuple[str, Any, tuple[list[int], list[str]]]] = [
        ("addActionToGroup", ONE, ([ONE], [])),
        ("addActionToGroup", TWO, ([ONE, TWO], [])),
        ("addPkpToGroup", wallet("a", 1), ([ONE, TWO], [wallet("a", 1)])),
        ("addPkpToGroup", wallet("a", 2), ([ONE, TWO], [wallet("a", 1), wallet("a", 2)])),
        ("removeActionFromGroup", ONE, ([TWO], [wallet("a", 1), wallet("a", 2)])),
        ("removePkpFromGroup", wallet("a", 1), ([TWO], [wallet("a", 2)])),
        ("addActionToGroup", ONE, ([TWO, ONE], [wallet("a", 2)])),
        ("addPkpToGroup", wallet("a", 1), ([TWO, ONE], [wallet("a", 2), wallet("a", 1)])),
    ]
    names = {"addActionToGroup": "ActionAddedToGroup", "removeActionFromGroup": "ActionRemovedFromGroup"}
    names |= {"addPkpToGroup": "PkpAddedToGroup", "removePkpFromGroup": "PkpRemovedFromGroup"}
    for function, value, after in steps:
        receipt = await world.pay(function, account, 1, value)
        assert receipt.named(names[function]) == [(account, 1, value)]
        assert len(receipt.events) == 1
        assert await listed(world, account, 1) == after


async def test_adding_what_is_there_changes_nothing_and_says_nothing(world: World) -> None:
    account = await world.managed("a", wallets=2)
    await world.group(account, [ONE, 0], [wallet("a", 1), ZERO])
    before = await listed(world, account, 1)
    for function, value in [
        ("addActionToGroup", ONE),
        ("addActionToGroup", 0),
        ("addPkpToGroup", wallet("a", 1)),
        ("addPkpToGroup", ZERO),
    ]:
        assert (await world.pay(function, account, 1, value)).events == ()
    assert await listed(world, account, 1) == before


async def test_only_wallets_of_the_account_enter_its_groups(world: World) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    await world.group(account, [], [])
    foreign = wallet("b", 0)
    for function, arguments, group in [
        ("addPkpToGroup", (1, foreign), 1),
        ("updateGroup", (1, "", "", [], [wallet("a", 0), foreign]), 1),
        ("addGroup", ("", "", [], [foreign]), 2),
    ]:
        assert await world.refusal(PAYER, function, account, *arguments) == (
            "PkpDoesNotExist",
            (account, group, foreign),
        )
    assert await world.call("pkpCountOf", other) == 1


async def test_actions_are_registered_once_with_or_without_their_cid(world: World) -> None:
    account = await world.managed("a")
    cid = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"
    receipt = await world.pay("addActionWithCid", account, "with", "its cid", cid)
    assert receipt.named("ActionAdded") == [(account, key_hash(cid))]
    await world.pay("addAction", account, "by hash", "", ONE)
    with_cid = {"actionHash": key_hash(cid), "name": "with", "description": "its cid", "cid": cid}
    by_hash = {"actionHash": ONE, "name": "by hash", "description": "", "cid": ""}
    assert await world.call("listActions", account, 0, 5) == ([with_cid, by_hash], 2)
    assert await world.call("getAction", account, ONE) == by_hash
    for function, value, taken in [
        ("addAction", key_hash(cid), key_hash(cid)),
        ("addAction", ONE, ONE),
        ("addActionWithCid", cid, key_hash(cid)),
    ]:
        assert await world.refusal(PAYER, function, account, "", "", value) == ("AccountAlreadyExists", (taken,))
    for function, empty in [("addAction", 0), ("addActionWithCid", "")]:
        assert (await world.refusal(PAYER, function, account, "", "", empty))[0] == "InvalidRequest"
    receipt = await world.pay("updateActionMetadata", account, key_hash(cid), 0, "new", "words")
    assert receipt.named("ActionMetadataUpdated") == [(account, key_hash(cid))]
    assert await world.call("getAction", account, key_hash(cid)) == with_cid | {"name": "new", "description": "words"}


async def test_renaming_an_action_of_a_group_wants_it_listed_there(world: World) -> None:
    account = await world.managed("a")
    await world.group(account, [ONE], [])
    for action in (ONE, TWO):
        await world.pay("addAction", account, "", "", action)
    await world.pay("updateActionMetadata", account, ONE, 1, "n", "d")
    for action, group, refused in [
        (TWO, 1, ("ActionDoesNotExist", (account, 1, TWO))),
        (ONE, 2, ("GroupDoesNotExist", (account, 2))),
        (THREE, 0, ("ActionDoesNotExist", (account, 0, THREE))),
    ]:
        assert await world.refusal(PAYER, "updateActionMetadata", account, action, group, "", "") == refused


async def test_a_deleted_action_leaves_every_group_and_comes_back_empty(world: World) -> None:
    account = await world.managed("a", wallets=2)
    key = await world.key(account, "k", Grants(execute=[1, 2]))
    await world.pay("addActionWithCid", account, "name", "words", "Qm1")
    action = key_hash("Qm1")
    await world.group(account, [ONE, action], [wallet("a", 1)])
    await world.group(account, [action], [wallet("a", 1)])
    assert await world.call("canExecuteActionAndUseWallet", key, action, wallet("a", 1)) == (True, True)
    receipt = await world.pay("removeAction", account, action)
    assert [event.name for event in receipt.events] == ["ActionRemoved"]
    assert await listed(world, account, 1) == ([ONE], [wallet("a", 1)])
    assert await listed(world, account, 2) == ([], [wallet("a", 1)])
    assert await world.call("canExecuteActionAndUseWallet", key, action, wallet("a", 1)) == (False, False)
    assert await world.refusal(PAYER, "removeAction", account, action) == ("ActionDoesNotExist", (account, 0, action))
    assert await world.refusal(PAYER, "removeActionFromGroup", account, 1, action) == (
        "ActionDoesNotExist",
        (account, 1, action),
    )
    await world.pay("addAction", account, "", "", action)
    assert await world.call("getAction", account, action) == {
        "actionHash": action,
        "name": "",
        "description": "",
        "cid": "",
    }
    assert await listed(world, account, 1) == ([ONE], [wallet("a", 1)])
    assert not await world.call("canExecuteAction", key, action)
    await world.pay("addActionToGroup", account, 2, action)
    await world.pay("addActionToGroup", account, 1, action)
    assert await listed(world, account, 1) == ([ONE, action], [wallet("a", 1)])
    assert await listed(world, account, 2) == ([action], [wallet("a", 1)])
    assert await world.call("canExecuteActionAndUseWallet", key, action, wallet("a", 1)) == (True, True)


async def test_deleting_an_action_does_not_touch_another_accounts(world: World) -> None:
    accounts = [await world.managed("a"), await world.managed("b")]
    for account in accounts:
        await world.pay("addAction", account, "n", "d", ONE)
        await world.group(account, [ONE], [])
    await world.pay("removeAction", accounts[0], ONE)
    assert await listed(world, accounts[0], 1) == ([], [])
    assert await listed(world, accounts[1], 1) == ([ONE], [])
    assert (await world.call("getAction", accounts[1], ONE))["name"] == "n"


async def test_an_action_that_was_never_registered_can_be_listed(world: World) -> None:
    account = await world.managed("a")
    await world.group(account, [ONE], [])
    blank = {"actionHash": ONE, "name": "", "description": "", "cid": ""}
    assert await world.call("listActionsInGroup", account, 1, 0, 5) == ([blank], 1)
    assert await world.refusal(PAYER, "removeAction", account, ONE) == ("ActionDoesNotExist", (account, 0, ONE))
    await world.pay("addAction", account, "now", "known", ONE)
    named = blank | {"name": "now", "description": "known"}
    assert await world.call("listActionsInGroup", account, 1, 0, 5) == ([named], 1)


async def test_wallets_take_ids_in_order_and_are_unique_per_account(world: World) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    receipt = await world.pay("registerWalletDerivation", account, ALICE, 2**256 - 1, "n", "d")
    assert receipt.named("WalletDerivationRegistered") == [(account, ALICE, 2**256 - 1)]
    expected = {"id": 1, "pkpId": ALICE, "derivationPath": 2**256 - 1, "name": "n", "description": "d"}
    assert await world.call("getPkp", account, ALICE) == expected == await world.call("getPkpById", account, 1)
    assert await world.call("getWalletDerivation", account, ALICE) == 2**256 - 1
    for pkp, path, error in [
        (ALICE, 9, ("AccountAlreadyExists", (int(ALICE, 16),))),
        (BOB, 2**256 - 1, ("AccountAlreadyExists", (2**256 - 1,))),
        (BOB, 0, ("InvalidRequest", ("zero derivation path",))),
        (ZERO, 9, ("InvalidRequest", ("zero wallet address",))),
    ]:
        assert await world.refusal(PAYER, "registerWalletDerivation", account, pkp, path, "", "") == error
    await world.wallet(other, ALICE, 2**256 - 1)
    assert await world.call("pkpCount") == 4
    for view, absent in [("getPkp", BOB), ("getWalletDerivation", BOB)]:
        assert await world.refusal(PAYER, view, account, absent) == ("PkpDoesNotExist", (account, 0, BOB))
    for absent_id in (2, 2**256 - 1):
        assert await world.refusal(PAYER, "getPkpById", account, absent_id) == ("PkpDoesNotExist", (account, 0, ZERO))


async def test_the_first_wallet_of_an_account_without_one_is_its_master_wallet(world: World) -> None:
    own = await world.unmanaged(ALICE)
    bare = key_hash("bare")
    await world.pay("newAccount", bare, True, "", "", BOB)
    for account, sender in [(own, ALICE), (bare, PAYER)]:
        assert await world.refusal(PAYER, "getPkpById", account, 0) == ("PkpDoesNotExist", (account, 0, ZERO))
        for number in (0, 1):
            await world.wallet(account, wallet("x", number), number + 1, sender)
            assert (await world.call("getPkpById", account, number))["pkpId"] == wallet("x", number)
        key = await world.key(account, f"key of {account}", Grants(execute=[0]), sender)
        await world.group(account, [0], [ZERO], sender)
        decision = await world.call("authorisation", key, ONE, [wallet("x", 0), wallet("x", 1)])
        assert decision["canUseWallets"] == [False, True]


async def test_everything_works_through_an_alias_and_events_name_the_master(world: World) -> None:
    account = await world.managed("a")
    await world.pay("convertToChainSecuredAccount", account, ALICE)
    from_alias = wallet_hash(ALICE)
    for function, arguments in [
        ("addGroup", ("", "", [ONE], [])),
        ("addAction", ("", "", ONE)),
        ("registerWalletDerivation", (BOB, 55, "", "")),
        ("setUsageApiKey", (key_hash("k"), *EVERYTHING.arguments())),
        ("addPkpToGroup", (1, BOB)),
        ("removePkpFromGroup", (1, BOB)),
        ("removeActionFromGroup", (1, ONE)),
        ("removeUsageApiKey", (key_hash("k"),)),
    ]:
        receipt = await world.send(ALICE, function, from_alias, *arguments)
        assert {event.arguments[0] for event in receipt.events} == {account}, function
