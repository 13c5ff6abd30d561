"""Live reads against the real contract: every record field, every page, expiry, and one round trip each."""

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import Page
from node.errors import DomainError
from node.permissions.grants import Caller, Grants
from node.values import U256_MAX, ZERO_ADDRESS, checksum_address, hash_of_address
from tests.support.contract import Revert
from tests.support.populated_account import (
    ACTION,
    ACTIONS,
    EVERY_READ,
    FAR,
    GRANTS,
    GROUPS,
    MASTER,
    MASTER_WALLET,
    OF_AN_ACCOUNT,
    OTHER_MASTER,
    PLAIN,
    PLAIN_RECORD,
    SECOND_WALLET,
    THIRD_WALLET,
    UNKNOWN,
    USAGE,
    USAGE_RECORD,
    WALLETS,
    Bench,
    usage_arguments,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- who a key is -------------------------------------------------------------------------------------------------


async def test_the_account_key_is_the_owner(bench: Bench) -> None:
    assert await bench.reader.caller(MASTER) == Caller(MASTER, MASTER, managed=True, grants=None)


async def test_a_usage_key_comes_with_its_grants_expiry_and_cap(bench: Bench) -> None:
    expected = Caller(USAGE, MASTER, managed=True, grants=GRANTS, expiration=FAR, cap_cents=777)
    assert await bench.reader.caller(USAGE) == expected
    assert await bench.reader.caller(PLAIN) == Caller(PLAIN, MASTER, managed=True, grants=Grants())


@pytest.mark.parametrize("key", [UNKNOWN, 0, U256_MAX])
async def test_an_unknown_key_is_nobody(bench: Bench, key: int) -> None:
    assert await bench.reader.caller(key) is None


async def test_an_account_has_the_name_that_its_owner_chose(bench: Bench) -> None:
    assert await bench.reader.account_name(MASTER) == "account"
    assert await bench.reader.account_name(UNKNOWN) == ""


async def test_a_removed_key_is_nobody(bench: Bench) -> None:
    await bench.chain.write("removeUsageApiKey", MASTER, USAGE)
    assert await bench.reader.caller(USAGE) is None
    assert await bench.reader.usage_key(MASTER, USAGE) is None


@pytest.mark.parametrize(("now", "known"), [(FAR - 1, True), (FAR - 0.001, True), (FAR, False), (FAR + 9, False)])
async def test_a_key_expires_by_the_nodes_clock(bench: Bench, now: float, known: bool) -> None:
    bench.now = now
    assert (await bench.reader.caller(USAGE) is not None) is known
    decision = await bench.reader.authorisation(USAGE, ACTION, [SECOND_WALLET])
    assert (decision.may_execute, list(decision.wallets)) == (known, [known])
    assert (decision.master_hash, decision.expiration) == (MASTER, FAR)


async def test_a_key_expires_by_the_chains_clock_when_the_nodes_is_slow(bench: Bench) -> None:
    soon = await bench.chain.head_timestamp() + 1000
    await bench.chain.write(
        "setUsageApiKey", *usage_arguments(USAGE_RECORD)[:2], soon, *usage_arguments(USAGE_RECORD)[3:]
    )
    await bench.chain.mine_at(soon - 1)
    assert await bench.reader.caller(USAGE) is not None
    await bench.chain.mine_at(soon)
    assert await bench.reader.caller(USAGE) is None
    assert not (await bench.reader.authorisation(USAGE, ACTION, ())).may_execute


async def test_after_conversion_nobody_is_managed_and_usage_keys_go_on(bench: Bench) -> None:
    await bench.chain.write("convertToChainSecuredAccount", MASTER, bench.chain.stranger)
    for key in (MASTER, hash_of_address(bench.chain.stranger)):
        assert await bench.reader.caller(key) == Caller(key, MASTER, managed=False, grants=None)
        assert not (await bench.reader.authorisation(key, ACTION, ())).may_execute
    usage = await bench.reader.caller(USAGE)
    assert usage is not None
    assert (usage.managed, usage.grants) == (False, GRANTS)
    assert (await bench.reader.authorisation(USAGE, ACTION, ())).may_execute


# --- may it run ---------------------------------------------------------------------------------------------------


async def test_a_decision_names_its_block_and_decides_each_wallet_in_order(bench: Bench) -> None:
    wallets = [MASTER_WALLET, SECOND_WALLET, THIRD_WALLET]
    decision = await bench.reader.authorisation(USAGE, ACTION, wallets)
    assert (decision.may_execute, list(decision.wallets)) == (True, [False, True, False])
    assert (decision.managed, decision.is_account_key, decision.cap_cents) == (True, False, 777)
    assert decision.block_number == int(await bench.chain.rpc.ask("eth_blockNumber"), 16)
    assert decision.block_timestamp == await bench.chain.head_timestamp()


async def test_the_account_key_runs_anything_with_its_own_wallets(bench: Bench) -> None:
    decision = await bench.reader.authorisation(MASTER, 12345, [SECOND_WALLET, "0x" + "dd" * 20])
    assert (decision.is_account_key, decision.may_execute, list(decision.wallets)) == (True, True, [True, False])


async def test_other_keys_run_nothing(bench: Bench) -> None:
    for key, master in ((PLAIN, MASTER), (UNKNOWN, 0)):
        decision = await bench.reader.authorisation(key, ACTION, [SECOND_WALLET])
        assert (decision.may_execute, list(decision.wallets), decision.master_hash) == (False, [False], master)


# --- lists and look-ups -------------------------------------------------------------------------------------------


async def test_every_list_shows_every_field_in_creation_order(bench: Bench) -> None:
    reader, page = bench.reader, Page(0, 100)
    assert (await reader.usage_keys(MASTER, page)).items == (USAGE_RECORD, PLAIN_RECORD)
    assert list((await reader.wallets(MASTER, page)).items) == WALLETS
    assert list((await reader.actions(MASTER, page)).items) == ACTIONS
    assert list((await reader.groups(MASTER, page)).items) == GROUPS
    assert list((await reader.group_actions(MASTER, 1, page)).items) == ACTIONS[:1]
    assert list((await reader.group_wallets(MASTER, 1, page)).items) == WALLETS[1:2]


async def test_pages_cut_the_list_and_tell_its_length(bench: Bench) -> None:
    for number, expected in ((0, WALLETS[:2]), (1, WALLETS[2:]), (2, []), (2**200, [])):
        page = await bench.reader.wallets(MASTER, Page(number, 2))
        assert (list(page.items), page.total) == (expected, 3)


async def test_order_survives_a_removal(bench: Bench) -> None:
    await bench.chain.write("removeGroup", MASTER, 1)
    groups = await bench.reader.groups(MASTER, Page(0, 100))
    assert (list(groups.items), groups.total) == (GROUPS[1:], 2)


async def test_wildcards_show_as_such(bench: Bench) -> None:
    (action,) = (await bench.reader.group_actions(MASTER, 3, Page(0, 10))).items
    (wallet,) = (await bench.reader.group_wallets(MASTER, 3, Page(0, 10))).items
    assert (action.action_hash, action.cid) == (0, None)
    assert (wallet.address, wallet.id) == (ZERO_ADDRESS, U256_MAX)


async def test_look_ups_find_one_thing(bench: Bench) -> None:
    reader = bench.reader
    assert await reader.usage_key(MASTER, USAGE) == USAGE_RECORD
    assert await reader.wallet(MASTER, SECOND_WALLET.lower()) == WALLETS[1]
    assert [await reader.wallet_by_id(MASTER, each.id) for each in WALLETS] == WALLETS
    assert [await reader.action(MASTER, each.action_hash) for each in ACTIONS] == ACTIONS


async def test_a_group_says_of_each_thing_whether_it_is_in(bench: Bench) -> None:
    reader = bench.reader
    for group in GROUPS:
        for action in (0, 77, *(each.action_hash for each in ACTIONS)):
            assert await reader.is_action_in_group(MASTER, group.id, action) is (action in group.action_hashes)
        for wallet in (ZERO_ADDRESS, *(each.address for each in WALLETS)):
            assert await reader.is_wallet_in_group(MASTER, group.id, wallet) is (wallet in group.wallets)
    for account, number in ((MASTER, 0), (MASTER, 4), (MASTER, U256_MAX), (OTHER_MASTER, 1)):
        assert await reader.is_action_in_group(account, number, ACTION) is False
        assert await reader.is_wallet_in_group(account, number, SECOND_WALLET) is False


async def test_look_ups_of_what_is_not_there_or_of_another_account_find_none(bench: Bench) -> None:
    reader = bench.reader
    for account, key in ((MASTER, UNKNOWN), (OTHER_MASTER, USAGE), (MASTER, MASTER), (MASTER, OTHER_MASTER)):
        assert await reader.usage_key(account, key) is None
    for account, wallet in ((MASTER, "0x" + "dd" * 20), (OTHER_MASTER, SECOND_WALLET), (MASTER, ZERO_ADDRESS)):
        assert await reader.wallet(account, wallet) is None
    for account, number in ((MASTER, 3), (MASTER, U256_MAX), (OTHER_MASTER, 1)):
        assert await reader.wallet_by_id(account, number) is None
    for account, action in ((MASTER, 0), (MASTER, 77), (OTHER_MASTER, ACTION)):
        assert await reader.action(account, action) is None


@pytest.mark.parametrize("name", OF_AN_ACCOUNT)
async def test_an_unknown_account_is_not_found(bench: Bench, name: str) -> None:
    with pytest.raises(DomainError) as caught:
        await OF_AN_ACCOUNT[name](bench.reader, UNKNOWN)
    assert as_node_error(caught.value).code is ErrorCode.NOT_FOUND


async def test_the_lists_of_an_unknown_group_are_not_found(bench: Bench) -> None:
    for read in (bench.reader.group_wallets, bench.reader.group_actions):
        with pytest.raises(DomainError) as caught:
            await read(MASTER, 99, Page(0, 10))
        assert (as_node_error(caught.value).code, dict(caught.value.details)) == (
            ErrorCode.NOT_FOUND,
            {"group_id": "99"},
        )


async def test_an_alias_finds_the_account(bench: Bench) -> None:
    await bench.chain.write("newChainSecuredAccount", "secured", "", sender=bench.chain.stranger)
    alias = hash_of_address(bench.chain.stranger)
    caller = await bench.reader.caller(alias)
    assert caller is not None
    assert (caller.managed, caller.is_account_key) == (False, True)
    assert (await bench.reader.groups(alias, Page(0, 10))).total == 0


async def test_names_that_are_not_utf_8_do_not_hide_a_list(bench: Bench) -> None:
    data = bench.chain.contract.encode("addGroup", MASTER, "XYZ", "", [], [])
    await bench.chain.contract.send_data(bench.chain.payer, data.replace(b"XYZ", b"\xff\xfe\xfd"))
    groups = await bench.reader.groups(MASTER, Page(0, 100))
    assert groups.items[3].name == "���"


async def test_payers(bench: Bench) -> None:
    assert list(await bench.reader.api_payers()) == [checksum_address(bench.chain.payer)]
    assert await bench.reader.admin_api_payer() == checksum_address(bench.chain.admin_payer)


@pytest.mark.parametrize("name", EVERY_READ)
async def test_each_read_is_one_round_trip_and_one_more_when_the_head_has_moved(bench: Bench, name: str) -> None:
    await EVERY_READ[name](bench.reader)
    bench.proxy.seen.clear()
    await EVERY_READ[name](bench.reader)
    assert len(bench.proxy.seen) == 1
    bench.proxy.seen.clear()
    await bench.chain.write("addGroup", MASTER, "later", "", [], [])
    await EVERY_READ[name](bench.reader)
    assert len(bench.proxy.seen) == 2


async def test_a_page_too_large_for_one_call_is_read_in_parts(bench: Bench) -> None:
    for number in range(60):
        actions = [1000 * number + entry for entry in range(1, 101)]
        await bench.chain.write("addGroup", MASTER, f"full {number}", "", actions, [])
    with pytest.raises(Revert):
        await bench.chain.contract.call("listGroups", MASTER, 0, 100)
    found = await bench.reader.groups(MASTER, Page(0, 100))
    assert found.total == len(found.items) == len(GROUPS) + 60
    assert list(found.items[: len(GROUPS)]) == list(GROUPS)
    assert [group.name for group in found.items[len(GROUPS) :]] == [f"full {number}" for number in range(60)]
    assert all(len(group.action_hashes) == 100 for group in found.items[len(GROUPS) :])
