"""What an error says is about what was asked for: the account or the group, the one thing that is taken."""

import pytest

from node.engine.cid import cid_of_source
from node.values import hash_of_text, u256_hex
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")

STRANGE = "0x" + "11" * 20
CID = cid_of_source("function main() { return 2; }")
HASHED = u256_hex(hash_of_text(CID))
ACCOUNTS_WALLETS = ("The account has no such wallet.", "list_wallets shows the account's wallets.")
GROUPS_WALLETS = ("The group has no such wallet.", "list_wallets_in_group shows the group's wallets.")
ACCOUNTS_ACTIONS = ("The account has no such action.", "list_actions shows the account's actions.")
GROUPS_ACTIONS = ("The group has no such action.", "list_actions with the group_id shows the group's actions.")

MISSING: list[tuple[str, dict[str, object], tuple[str, str], bool]] = [
    ("/add_group", {"group_name": "x", "pkp_ids_permitted": [STRANGE]}, ACCOUNTS_WALLETS, False),
    ("/add_group", {"group_name": "x", "pkp_ids_permitted": [99]}, ACCOUNTS_WALLETS, False),
    (
        "/update_group",
        {"group_id": 1, "name": "x", "pkp_ids_permitted": [STRANGE], "cid_hashes_permitted": []},
        ACCOUNTS_WALLETS,
        False,
    ),
    ("/add_pkp_to_group", {"group_id": 1, "pkp_id": STRANGE}, ACCOUNTS_WALLETS, False),
    ("/add_pkp_to_group", {"group_id": 1, "pkp_id": 99}, ACCOUNTS_WALLETS, False),
    ("/remove_pkp_from_group", {"group_id": 1, "pkp_id": STRANGE}, GROUPS_WALLETS, True),
    ("/remove_pkp_from_group", {"group_id": 1, "pkp_id": 99}, ACCOUNTS_WALLETS, False),
    ("/remove_action_from_group", {"group_id": 1, "hashed_cid": HASHED}, GROUPS_ACTIONS, True),
    ("/delete_action", {"hashed_cid": HASHED}, ACCOUNTS_ACTIONS, False),
    ("/update_action_metadata", {"hashed_cid": HASHED, "name": "x"}, ACCOUNTS_ACTIONS, False),
]


@pytest.mark.parametrize(("path", "body", "texts", "names_group"), MISSING)
async def test_what_is_missing_is_looked_for_where_the_call_needs_it(
    account: Account, path: str, body: dict[str, object], texts: tuple[str, str], names_group: bool
) -> None:
    assert await account.group() == "1"
    reply = await account.world.post(path, body, key=account.key)
    assert (reply.status, reply.body["message"], reply.body["fix"]) == (404, *texts)
    assert ("group_id" in reply.body["details"]) is names_group


async def test_an_action_that_is_there_is_called_an_action(account: Account) -> None:
    await account.ok("/add_action", {"action_ipfs_cid": CID, "name": "x"})
    reply = await account.world.post("/add_action", {"action_ipfs_cid": CID, "name": "y"}, key=account.key)
    assert (reply.status, reply.body["message"]) == (409, "The account has this action already.")
    assert "update_action_metadata" in reply.body["fix"]
    assert reply.body["details"] == {"hash": HASHED}
    for other in ("key", "wallet", "administrator"):
        assert other not in reply.body["message"]
