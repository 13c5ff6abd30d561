import pytest

from node.engine.cid import cid_of_source
from node.values import hash_of_text, u256_hex
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")

CID = cid_of_source("function main() { return 1; }")
HASHED = u256_hex(hash_of_text(CID))
CID_V1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
CID_V1_AS_V0 = "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"
RAW_LEAF_CID = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"


async def test_an_action_is_registered_listed_renamed_and_deleted(account: Account) -> None:
    body = {"action_ipfs_cid": CID, "name": "Sign", "description": "signs"}
    answer = await account.ok("/add_action", body)
    assert set(answer) == {"success", "transaction_hash", "block_number"}
    item = {"id": HASHED, "hashed_cid": HASHED, "name": "Sign", "description": "signs", "action_ipfs_cid": CID}
    assert await account.listed("/list_actions") == [item]
    await account.ok("/update_action_metadata", {"hashed_cid": HASHED, "name": "Renamed"})
    assert await account.listed("/list_actions") == [item | {"name": "Renamed", "description": ""}]
    await account.ok("/delete_action", {"hashed_cid": HASHED})
    assert await account.listed("/list_actions") == []
    assert await account.spent_cents() == 3


async def test_a_cid_v1_is_stored_as_v0(account: Account) -> None:
    await account.ok("/add_action", {"action_ipfs_cid": CID_V1, "name": "x"})
    group = await account.group()
    await account.ok("/add_action_to_group", {"group_id": group, "action_ipfs_cid": CID_V1})
    assert await account.ok("/add_action_to_group", {"group_id": group, "action_ipfs_cid": CID_V1_AS_V0}) == {
        "success": True
    }
    (item,) = await account.listed("/list_actions")
    assert (item["action_ipfs_cid"], item["hashed_cid"]) == (CID_V1_AS_V0, u256_hex(hash_of_text(CID_V1_AS_V0)))


@pytest.mark.parametrize("wrong", [HASHED, RAW_LEAF_CID, "0", "0x0", "", "Qm", CID[:-1], CID + "1", 5, None])
async def test_what_is_no_cid_of_an_action_is_400(account: Account, wrong: object) -> None:
    for path, more in (("/add_action", {"name": "x"}), ("/add_action_to_group", {"group_id": 1})):
        details = await account.refused(400, path, {"action_ipfs_cid": wrong, **more})
        assert list(details["fields"]) == ["action_ipfs_cid"]


@pytest.mark.parametrize("wrong", [CID, CID_V1, HASHED[2:], HASHED[:-1], "", 5, None])
async def test_what_is_no_hashed_cid_is_400(account: Account, wrong: object) -> None:
    await account.refused(400, "/delete_action", {"hashed_cid": wrong})
    await account.refused(400, "/update_action_metadata", {"hashed_cid": wrong, "name": "x"})
    await account.refused(400, "/remove_action_from_group", {"group_id": 1, "hashed_cid": wrong})


async def test_an_action_is_registered_once(account: Account) -> None:
    await account.ok("/add_action", {"action_ipfs_cid": CID, "name": "x"})
    await account.refused(409, "/add_action", {"action_ipfs_cid": CID, "name": "y"})
    (item,) = await account.listed("/list_actions")
    assert item["name"] == "x"


@pytest.mark.parametrize("path", ["/delete_action", "/update_action_metadata"])
async def test_an_unknown_action_is_404(account: Account, stranger: Account, path: str) -> None:
    await stranger.ok("/add_action", {"action_ipfs_cid": CID, "name": "theirs"})
    body = {"hashed_cid": HASHED} | ({"name": "mine"} if path == "/update_action_metadata" else {})
    await account.refused(404, path, body)
    await account.refused(404, path, body | {"hashed_cid": u256_hex(0)})


async def test_an_action_in_a_group_need_not_be_registered(account: Account) -> None:
    group = await account.group()
    body = {"group_id": group, "action_ipfs_cid": CID}
    assert "transaction_hash" in await account.ok("/add_action_to_group", body)
    spent = await account.spent_cents()
    assert await account.ok("/add_action_to_group", body) == {"success": True}
    assert await account.spent_cents() == spent
    listed = await account.listed(f"/list_actions?group_id={group}")
    assert listed == [{"id": HASHED, "hashed_cid": HASHED, "name": "", "description": "", "action_ipfs_cid": None}]
    assert await account.listed("/list_actions") == []
    leaving = {"group_id": group, "hashed_cid": HASHED}
    await account.ok("/remove_action_from_group", leaving)
    await account.refused(404, "/remove_action_from_group", leaving)
    assert await account.listed(f"/list_actions?group_id={group}") == []


async def test_group_0_lists_the_whole_account(account: Account) -> None:
    await account.ok("/add_action", {"action_ipfs_cid": CID, "name": "registered"})
    other = u256_hex(7)
    group = await account.group(cid_hashes_permitted=[other])
    whole = await account.listed("/list_actions")
    assert [item["hashed_cid"] for item in whole] == [HASHED]
    for zero in ("0", "0x0"):
        assert await account.listed(f"/list_actions?group_id={zero}&page_size=1") == whole
    assert [item["hashed_cid"] for item in await account.listed(f"/list_actions?group_id={group}")] == [other]
    reply = await account.world.get("/list_actions?group_id=", key=account.key)
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, ["group_id"])


async def test_a_deleted_action_leaves_every_group_and_comes_back_to_none(account: Account) -> None:
    await account.ok("/add_action", {"action_ipfs_cid": CID, "name": "x", "description": "old"})
    groups = [await account.group(cid_hashes_permitted=[HASHED]) for _ in range(3)]
    await account.ok("/delete_action", {"hashed_cid": HASHED})
    await account.ok("/add_action", {"action_ipfs_cid": CID, "name": "again"})
    for group in groups:
        assert await account.listed(f"/list_actions?group_id={group}") == []
    (item,) = await account.listed("/list_actions")
    assert item["description"] == ""


async def test_the_wildcard_leaves_a_group_by_the_grant_but_enters_by_the_account_key(account: Account) -> None:
    group = await account.group(cid_hashes_permitted=["0"])
    key = await account.usage_key(manage_ipfs_ids_in_groups=[group])
    await account.ok("/remove_action_from_group", {"group_id": group, "hashed_cid": "0"}, key=key)
    assert await account.listed(f"/list_actions?group_id={group}") == []


async def test_a_usage_key_manages_actions_in_its_groups_alone(account: Account) -> None:
    mine, other = await account.group(), await account.group()
    key = await account.usage_key(manage_ipfs_ids_in_groups=[mine])
    await account.ok("/add_action_to_group", {"group_id": mine, "action_ipfs_cid": CID}, key=key)
    await account.ok("/remove_action_from_group", {"group_id": mine, "hashed_cid": HASHED}, key=key)
    refused = {"missing": "manage_ipfs_ids_in_groups"}
    for path, body in (
        ("/add_action_to_group", {"group_id": other, "action_ipfs_cid": CID}),
        ("/remove_action_from_group", {"group_id": other, "hashed_cid": HASHED}),
        ("/add_action_to_group", {"group_id": "99", "action_ipfs_cid": CID}),
    ):
        assert await account.refused(403, path, body, key=key) == refused


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/add_action", {"action_ipfs_cid": CID, "name": "x"}),
        ("/update_action_metadata", {"hashed_cid": HASHED, "name": "x"}),
        ("/delete_action", {"hashed_cid": HASHED}),
    ],
)
async def test_the_accounts_actions_need_the_account_key(account: Account, path: str, body: dict[str, object]) -> None:
    key = await account.usage_key(
        can_create_groups=True, manage_ipfs_ids_in_groups=[0], execute_in_groups=[0], can_delete_groups=True
    )
    assert (await account.refused(403, path, body, key=key))["missing"] == "account_key"


@pytest.mark.parametrize(("query", "status"), [("?group_id=99", 404), ("?group=1", 400)])
async def test_the_actions_of_no_group_are_not_everything(account: Account, query: str, status: int) -> None:
    assert (await account.world.get(f"/list_actions{query}", key=account.key)).status == status
