"""Accounts: opening, converting, handing on, aliases; and the order in which what is wrong is said."""

from typing import Any

import pytest

from tests.chain.contract.world import EVERYTHING, OWNER, PAYER, STRANGER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash, wallet_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE, BOB, CAROL = address_of("alice"), address_of("bob"), address_of("carol")
NOTHING: dict[str, Any] = {
    "masterHash": 0,
    "managed": False,
    "isMaster": False,
    "adminWallet": ZERO,
    "name": "",
    "description": "",
}


async def test_a_managed_account_and_its_master_wallet_are_one_transaction(world: World) -> None:
    account = key_hash("new")
    receipt = await world.pay("createManagedAccount", account, "name", "what for", ALICE, 7)
    assert [event.name for event in receipt.events] == ["AccountCreated", "WalletDerivationRegistered"]
    assert receipt.named("AccountCreated") == [(account, ALICE, True)]
    assert receipt.named("WalletDerivationRegistered") == [(account, ALICE, 7)]
    shown = await world.call("getAccount", account)
    assert (shown["masterHash"], shown["managed"], shown["isMaster"]) == (account, True, True)
    assert (shown["adminWallet"], shown["name"], shown["description"]) == (ALICE, "name", "what for")
    assert [shown[each] for each in ("apiKeyCount", "groupCount", "pkpCount", "actionCount")] == [0, 0, 1, 0]
    assert (await world.call("getPkpById", account, 0))["pkpId"] == ALICE
    assert await world.call("getAccountWalletAddress", account) == ALICE
    assert await world.call("accountExistsAndIsMutable", account)
    assert await world.call("accountCount") == await world.call("pkpCount") == 1


@pytest.mark.parametrize(("admin", "path"), [(ZERO, 1), (ALICE, 0)])
async def test_a_managed_account_without_wallet_or_path_is_refused_whole(world: World, admin: str, path: int) -> None:
    assert (await world.refusal(PAYER, "createManagedAccount", 1, "", "", admin, path))[0] == "InvalidRequest"


async def test_a_hash_is_taken_once(world: World) -> None:
    account = await world.managed("a")
    for function, arguments in {
        "createManagedAccount": (account, "", "", BOB, 1),
        "newAccount": (account, True, "", "", BOB),
    }.items():
        assert await world.refusal(PAYER, function, *arguments) == ("AccountAlreadyExists", (account,))
    own = await world.unmanaged(ALICE)
    assert await world.refusal(ALICE, "newChainSecuredAccount", "", "") == ("AccountAlreadyExists", (own,))
    assert (await world.refusal(ALICE, "newAccount", own, False, "", "", ALICE))[0] == "AccountAlreadyExists"


async def test_unknown_hashes_are_all_zero_and_never_revert(world: World) -> None:
    await world.managed("a")
    for unknown in (0, 1, key_hash("unknown"), 2**256 - 1):
        shown = await world.call("getAccount", unknown)
        assert {name: shown[name] for name in NOTHING} == NOTHING
        assert await world.call("resolveMaster", unknown) == 0
        assert not await world.call("accountExistsAndIsMutable", unknown)
        assert await world.refusal(PAYER, "listPkps", unknown, 0, 9) == ("AccountDoesNotExist", (unknown,))


async def test_conversion_keeps_everything_but_the_payers_power(world: World) -> None:
    account = await world.managed("a", wallets=2)
    key = await world.key(account, "key", EVERYTHING)
    await world.group(account, [1], [wallet("a", 1)])
    before = await world.call("getAccount", account)
    receipt = await world.pay("convertToChainSecuredAccount", account, BOB)
    assert receipt.events[0].name == "AccountConvertedToChainSecured"
    assert receipt.named("AccountConvertedToChainSecured") == [(account, BOB)]
    assert await world.call("getAccount", account) == before | {"managed": False, "adminWallet": BOB}
    assert await world.call("resolveMaster", wallet_hash(BOB)) == account
    assert not await world.call("accountExistsAndIsMutable", account)
    assert await world.call("canUseWalletInAction", key, 1, wallet("a", 1))
    writes: dict[str, tuple[Any, ...]] = {"addGroup": ("", "", [], []), "clearUsageApiKeys": ()}
    for function, arguments in writes.items():
        refused = await world.refusal(PAYER, function, account, *arguments)
        assert refused == ("NoAccountAccess", (account, PAYER))
        await world.send(BOB, function, wallet_hash(BOB), *arguments)


async def test_conversion_says_what_is_wrong_in_this_order(world: World) -> None:
    """Unknown, then already unmanaged, then access, then the master's hash, then the zero wallet, then a known admin."""
    account = await world.managed("a")
    own = await world.unmanaged(ALICE)
    key = await world.key(account, "key", EVERYTHING)
    convert = "convertToChainSecuredAccount"
    assert await world.refusal(STRANGER, convert, 5, ZERO) == ("AccountDoesNotExist", (5,))
    assert (await world.refusal(STRANGER, convert, own, ZERO))[0] == "InvalidRequest"
    assert await world.refusal(STRANGER, convert, account, ZERO) == ("NoAccountAccess", (account, STRANGER))
    assert await world.refusal(PAYER, convert, key, ZERO) == ("NotMasterAccount", (key,))
    assert (await world.refusal(PAYER, convert, account, ZERO))[0] == "InvalidRequest"
    assert await world.refusal(PAYER, convert, account, ALICE) == ("AccountAlreadyExists", (own,))


async def test_conversion_refuses_whoever_ever_administered_an_account(world: World) -> None:
    account, other = await world.managed("a"), await world.managed("b")
    handed = await world.unmanaged(ALICE)
    await world.send(ALICE, "transferChainSecuredAccountOwnership", handed, BOB)
    for admin in (ALICE, BOB, wallet("a", 0), wallet("b", 0)):
        refused = await world.refusal(PAYER, "convertToChainSecuredAccount", account, admin)
        assert refused == ("AccountAlreadyExists", (wallet_hash(admin),))
    await world.pay("convertToChainSecuredAccount", other, CAROL)
    assert (await world.refusal(PAYER, "convertToChainSecuredAccount", other, STRANGER))[0] == "InvalidRequest"


async def test_a_transfer_says_what_is_wrong_in_this_order(world: World) -> None:
    """The six reverts of the document, each call wrong in every later way too where that is possible."""
    managed, own = await world.managed("a"), await world.unmanaged(ALICE)
    await world.unmanaged(CAROL)
    transfer = "transferChainSecuredAccountOwnership"
    assert (await world.refusal(STRANGER, transfer, 5, ZERO))[0] == "InvalidRequest"
    assert await world.refusal(STRANGER, transfer, 5, CAROL) == ("AccountDoesNotExist", (5,))
    assert (await world.refusal(STRANGER, transfer, managed, CAROL))[0] == "InvalidRequest"
    for new in (ALICE, CAROL, BOB):
        assert await world.refusal(STRANGER, transfer, own, new) == ("NoAccountAccess", (own, STRANGER))
    assert (await world.refusal(ALICE, transfer, own, ALICE))[0] == "InvalidRequest"
    for new in (CAROL, wallet("a", 0)):
        assert await world.refusal(ALICE, transfer, own, new) == ("AccountAlreadyExists", (wallet_hash(new),))
    receipt = await world.send(ALICE, transfer, own, BOB)
    assert receipt.named("ChainSecuredAccountOwnershipTransferred") == [(own, ALICE, BOB)]


async def test_no_access_names_the_hash_as_passed_and_the_event_the_master(world: World) -> None:
    own = await world.unmanaged(ALICE)
    await world.send(ALICE, "transferChainSecuredAccountOwnership", own, BOB)
    alias = wallet_hash(BOB)
    transfer = "transferChainSecuredAccountOwnership"
    assert await world.refusal(ALICE, transfer, alias, CAROL) == ("NoAccountAccess", (alias, ALICE))
    receipt = await world.send(BOB, transfer, alias, CAROL)
    assert receipt.named("ChainSecuredAccountOwnershipTransferred") == [(own, BOB, CAROL)]


async def test_former_admins_aliases_find_the_account_and_open_nothing(world: World) -> None:
    own = await world.unmanaged(ALICE)
    await world.send(ALICE, "transferChainSecuredAccountOwnership", own, BOB)
    await world.send(BOB, "transferChainSecuredAccountOwnership", own, CAROL)
    for former in (ALICE, BOB):
        shown = await world.call("getAccount", wallet_hash(former))
        assert (shown["masterHash"], shown["adminWallet"], shown["isMaster"]) == (own, CAROL, True)
        for known in (own, wallet_hash(former), wallet_hash(CAROL)):
            refused = await world.refusal(former, "addGroup", known, "", "", [], [])
            assert refused == ("NoAccountAccess", (known, former))
        back = await world.refusal(CAROL, "transferChainSecuredAccountOwnership", own, former)
        assert back == ("AccountAlreadyExists", (wallet_hash(former),))
        again = await world.refusal(former, "newChainSecuredAccount", "", "")
        assert again == ("AccountAlreadyExists", (wallet_hash(former),))


async def test_a_managed_accounts_admin_wallet_has_no_alias(world: World) -> None:
    """Actions may hold its key, so it may not even find the account; it may open one of its own."""
    account = await world.managed("a")
    admin = wallet("a", 0)
    assert await world.call("resolveMaster", wallet_hash(admin)) == 0
    own = await world.unmanaged(admin)
    assert await world.call("resolveMaster", own) == own != account
    refused = await world.refusal(admin, "addGroup", account, "", "", [], [])
    assert refused == ("NoAccountAccess", (account, admin))


async def test_registering_somebodys_hash_as_usage_key_blocks_and_shadows_nobody(world: World) -> None:
    """Before and after: the master and the alias win, and their owners are never kept out."""
    attacker = await world.unmanaged(STRANGER)
    victim = await world.managed("victim")
    own = await world.unmanaged(ALICE)
    for taken in (victim, own):
        refused = await world.refusal(STRANGER, "setUsageApiKey", attacker, taken, *EVERYTHING.arguments())
        assert refused == ("AccountAlreadyExists", (taken,))
    coming, master = wallet_hash(BOB), key_hash("an account to come")
    for future in (coming, master):
        await world.send(STRANGER, "setUsageApiKey", attacker, future, *Grants(execute=[0]).arguments())
        assert await world.call("resolveMaster", future) == attacker
    assert await world.unmanaged(BOB) == coming
    await world.pay("createManagedAccount", master, "", "", CAROL, 1)
    for mine in (coming, master):
        shown = await world.call("getAccount", mine)
        assert (shown["masterHash"], shown["isMaster"]) == (mine, True)
    refused = await world.refusal(STRANGER, "addGroup", coming, "", "", [], [])
    assert refused == ("NoAccountAccess", (coming, STRANGER))
    await world.send(STRANGER, "removeUsageApiKey", attacker, coming)
    await world.send(STRANGER, "clearUsageApiKeys", attacker)
    for mine in (coming, master):
        assert await world.call("resolveMaster", mine) == mine
    new = address_of("the next admin")
    await world.send(STRANGER, "setUsageApiKey", attacker, wallet_hash(new), *Grants(execute=[0]).arguments())
    await world.send(BOB, "transferChainSecuredAccountOwnership", coming, new)
    assert await world.call("resolveMaster", wallet_hash(new)) == coming


async def test_wallets_are_found_by_aliases_alone(world: World) -> None:
    """A usage hash registered over a wallet's hash does not mislead the wallet."""
    attacker = await world.unmanaged(STRANGER)
    await world.send(STRANGER, "setUsageApiKey", attacker, wallet_hash(BOB), *EVERYTHING.arguments())
    account = await world.managed("a")
    assert await world.call("resolveMaster", wallet_hash(BOB)) == attacker
    for nobody in (BOB, ZERO, PAYER, wallet("a", 0)):
        assert await world.call("masterOfWallet", nobody) == 0
    await world.pay("convertToChainSecuredAccount", account, BOB)
    await world.send(BOB, "transferChainSecuredAccountOwnership", account, CAROL)
    for admin, found in {STRANGER: attacker, BOB: account, CAROL: account}.items():
        assert await world.call("masterOfWallet", admin) == found


async def test_ownership_moves_in_two_steps_and_is_never_renounced(world: World) -> None:
    await world.send(OWNER, "transferOwnership", ALICE)
    assert await world.call("owner") == OWNER
    assert await world.call("pendingOwner") == ALICE
    assert (await world.refusal(BOB, "acceptOwnership"))[0] == "OwnableUnauthorizedAccount"
    await world.send(ALICE, "acceptOwnership")
    assert await world.call("owner") == ALICE
    assert (await world.refusal(ALICE, "renounceOwnership"))[0] == "InvalidRequest"
    assert (await world.refusal(ALICE, "createManagedAccount", 1, "", "", BOB, 1)) == ("OnlyApiPayer", (ALICE,))
