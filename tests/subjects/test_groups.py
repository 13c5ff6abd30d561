import asyncio

import pytest

from node.values import ZERO_ADDRESS, u256_hex
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")

ACTION = u256_hex(0xABCDEF)
CID = "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"
NO_WALLET = "0x" + "77" * 20


async def the_group(account: Account) -> dict[str, object]:
    (item,) = await account.listed("/list_groups")
    return item


async def test_a_group_is_listed_as_it_was_made(account: Account) -> None:
    wallet = await account.wallet()
    body = {
        "group_name": "Signers",
        "group_description": "described",
        "pkp_ids_permitted": [wallet.lower(), "0", "0x" + wallet[2:].upper()],
        "cid_hashes_permitted": ["0x" + ACTION[2:].upper()],
    }
    answer = await account.ok("/add_group", body)
    assert set(answer) == {"success", "group_id", "transaction_hash", "block_number"}
    assert await the_group(account) == {
        "id": answer["group_id"],
        "name": "Signers",
        "description": "described",
        "pkp_ids_permitted": [wallet, account.wallet_address],
        "cid_hashes_permitted": [ACTION],
    }


async def test_wildcards_are_listed_in_full(account: Account) -> None:
    for action in ("0", "0x0", u256_hex(0)):
        await account.group(pkp_ids_permitted=[ZERO_ADDRESS], cid_hashes_permitted=[action])
    for group in await account.listed("/list_groups"):
        assert group["pkp_ids_permitted"] == [ZERO_ADDRESS]
        assert group["cid_hashes_permitted"] == [u256_hex(0)]


async def test_the_wallet_wildcard_in_a_groups_wallets_has_no_running_number(account: Account) -> None:
    group = await account.group(pkp_ids_permitted=[ZERO_ADDRESS])
    (item,) = await account.listed(f"/list_wallets_in_group?group_id={group}")
    assert item == {
        "id": ZERO_ADDRESS,
        "pkp_id": ZERO_ADDRESS,
        "wallet_address": ZERO_ADDRESS,
        "name": "",
        "description": "",
    }
    await account.ok("/remove_pkp_from_group", {"group_id": group, "pkp_id": item["id"]})


async def test_a_membership_asked_for_many_times_at_once_is_one_transaction(account: Account) -> None:
    group = await account.group()
    spent = await account.spent_cents()
    for path, body in (
        ("/add_pkp_to_group", {"group_id": group, "pkp_id": "0"}),
        ("/add_action_to_group", {"group_id": group, "action_ipfs_cid": CID}),
    ):
        answers = await asyncio.gather(*(account.ok(path, body) for _ in range(5)))
        assert sorted("transaction_hash" in answer for answer in answers) == [False] * 4 + [True]
    assert await account.spent_cents() == spent + 2


async def test_groups_made_at_once_each_answer_their_own_id(account: Account) -> None:
    names = [f"group {number}" for number in range(20)]
    answers = await asyncio.gather(*(account.ok("/add_group", {"group_name": name}) for name in names))
    made = {answer["group_id"]: name for answer, name in zip(answers, names, strict=True)}
    listed = {group["id"]: group["name"] for group in await account.listed("/list_groups?page_size=100")}
    assert made == listed
    assert sorted(map(int, made)) == list(range(1, 21))


async def test_an_update_replaces_names_and_both_lists(account: Account) -> None:
    wallet = await account.wallet()
    group = await account.group(pkp_ids_permitted=["0"], cid_hashes_permitted=[ACTION], group_description="old")
    body = {"group_id": int(group), "name": "new", "pkp_ids_permitted": [1], "cid_hashes_permitted": []}
    answer = await account.ok("/update_group", body)
    assert set(answer) == {"success", "transaction_hash", "block_number"}
    assert await the_group(account) == {
        "id": group,
        "name": "new",
        "description": "",
        "pkp_ids_permitted": [wallet],
        "cid_hashes_permitted": [],
    }


@pytest.mark.parametrize("missing", ["group_id", "name", "pkp_ids_permitted", "cid_hashes_permitted"])
async def test_an_update_needs_both_lists(account: Account, missing: str) -> None:
    body: dict[str, object] = {"group_id": 1, "name": "x", "pkp_ids_permitted": [], "cid_hashes_permitted": []}
    del body[missing]
    assert missing in (await account.refused(400, "/update_group", body))["fields"]


async def test_a_removed_group_is_gone_and_its_id_is_not_used_again(account: Account) -> None:
    first = await account.group()
    await account.ok("/remove_group", {"group_id": first})
    assert await account.listed("/list_groups") == []
    await account.refused(404, "/remove_group", {"group_id": first})
    assert int(await account.group()) == int(first) + 1


@pytest.mark.parametrize("form", [int, str, lambda group: hex(int(group))])
async def test_a_group_is_named_in_every_form(account: Account, form: object) -> None:
    group = await account.group()
    assert callable(form)
    await account.ok("/remove_group", {"group_id": form(group)})


@pytest.mark.parametrize("pkp_id", ["$address", "$lower", "1", 1, "0x0000000000000000000000000000000000000000", "0"])
async def test_a_wallet_enters_and_leaves_in_every_form(account: Account, pkp_id: str | int) -> None:
    address = await account.wallet()
    named = {"$address": address, "$lower": address.lower()}.get(str(pkp_id), pkp_id)
    body = {"group_id": await account.group(), "pkp_id": named}
    entered = await account.ok("/add_pkp_to_group", body)
    assert "transaction_hash" in entered
    spent = await account.spent_cents()
    assert await account.ok("/add_pkp_to_group", body) == {"success": True}
    assert await account.spent_cents() == spent
    await account.ok("/remove_pkp_from_group", body)
    assert (await the_group(account))["pkp_ids_permitted"] == []
    await account.refused(404, "/remove_pkp_from_group", body)


@pytest.mark.parametrize("pkp_id", [NO_WALLET, "7", 7])
async def test_a_wallet_must_be_the_accounts(account: Account, pkp_id: str | int) -> None:
    group = await account.group()
    body = {"group_id": group, "pkp_id": pkp_id}
    await account.refused(404, "/add_pkp_to_group", body)
    await account.refused(404, "/remove_pkp_from_group", body)
    await account.refused(404, "/add_group", {"group_name": "x", "pkp_ids_permitted": [pkp_id]})
    lists = {"pkp_ids_permitted": [pkp_id], "cid_hashes_permitted": []}
    await account.refused(404, "/update_group", {"group_id": group, "name": "x"} | lists)
    assert len(await account.listed("/list_groups")) == 1


async def test_another_accounts_groups_and_wallets_are_unknown(account: Account, stranger: Account) -> None:
    theirs, wallet = await stranger.group(), await stranger.wallet()
    await account.refused(404, "/remove_group", {"group_id": theirs})
    await account.refused(404, "/add_pkp_to_group", {"group_id": theirs, "pkp_id": "0"})
    mine = await account.group()
    await account.refused(404, "/add_pkp_to_group", {"group_id": mine, "pkp_id": wallet})
    await account.refused(404, "/add_pkp_to_group", {"group_id": mine, "pkp_id": stranger.wallet_address})


async def test_a_hundred_entries_together_are_the_limit(account: Account) -> None:
    hashes = [u256_hex(number) for number in range(1, 101)]
    await account.group(cid_hashes_permitted=hashes[:50])
    alone = {"group_name": "x", "cid_hashes_permitted": hashes}
    refused = await account.refused(400, "/add_group", alone)
    assert refused["limit"] == "write_gas_limit_max", "a hundred pass the count, and need more gas than one cent buys"
    body = {"group_name": "x", "cid_hashes_permitted": hashes, "pkp_ids_permitted": ["0"]}
    assert set((await account.refused(400, "/add_group", body))["fields"]) == {
        "cid_hashes_permitted",
        "pkp_ids_permitted",
    }
    lists = {"cid_hashes_permitted": hashes, "pkp_ids_permitted": ["0"]}
    await account.refused(400, "/update_group", {"group_id": 1, "name": "x"} | lists)


async def test_what_a_usage_key_may_put_into_a_new_group(account: Account) -> None:
    wallet = await account.wallet()
    key = await account.usage_key(
        can_create_groups=True, add_pkp_to_groups=[0], manage_ipfs_ids_in_groups=[0], can_delete_groups=True
    )
    contents = {"pkp_ids_permitted": [wallet, "1"], "cid_hashes_permitted": [ACTION]}
    group = (await account.ok("/add_group", {"group_name": "x"} | contents, key=key))["group_id"]
    for wider in ("0", account.wallet_address, account.wallet_address.lower(), ZERO_ADDRESS):
        body = {"group_name": "x", "pkp_ids_permitted": [wider]}
        assert (await account.refused(403, "/add_group", body, key=key))["missing"] == "account_key"
        into = {"group_id": group, "pkp_id": wider}
        details = await account.refused(403, "/add_pkp_to_group", into, key=key)
        assert details == {"missing": "account_key", "group": group}
    body = {"group_name": "x", "cid_hashes_permitted": ["0"]}
    assert (await account.refused(403, "/add_group", body, key=key))["missing"] == "account_key"
    await account.ok("/remove_group", {"group_id": group}, key=key)


async def test_a_key_without_the_grant_learns_nothing_of_groups_and_wallets(account: Account) -> None:
    key, group = await account.usage_key(), await account.group()
    for there in (group, "99"):
        for pkp_id in (account.wallet_address, NO_WALLET, "0", "99"):
            body = {"group_id": there, "pkp_id": pkp_id}
            details = await account.refused(403, "/add_pkp_to_group", body, key=key)
            assert details == {"missing": "add_pkp_to_groups"}
            details = await account.refused(403, "/remove_pkp_from_group", body, key=key)
            assert details == {"missing": "remove_pkp_from_groups"}
        details = await account.refused(403, "/remove_group", {"group_id": there}, key=key)
        assert details == {"missing": "can_delete_groups"}
    creator = await account.usage_key(can_create_groups=True)
    for pkp_id in (account.wallet_address, NO_WALLET, "0", "99"):
        new_group = {"group_name": "x", "pkp_ids_permitted": [pkp_id]}
        assert await account.refused(403, "/add_group", new_group, key=creator) == {"missing": "add_pkp_to_groups"}


@pytest.mark.parametrize("group_id", [0, "0", "0x0", -1, 1.0, True, None, "one", 2**64, "", [1]])
async def test_the_target_of_a_write_is_one_group(account: Account, group_id: object) -> None:
    for path, body in (
        ("/remove_group", {}),
        ("/add_pkp_to_group", {"pkp_id": "0"}),
        ("/remove_pkp_from_group", {"pkp_id": "0"}),
        ("/update_group", {"name": "x", "pkp_ids_permitted": [], "cid_hashes_permitted": []}),
    ):
        assert "group_id" in (await account.refused(400, path, {"group_id": group_id} | body))["fields"]
