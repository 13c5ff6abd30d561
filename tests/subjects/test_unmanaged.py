"""Accounts that were converted to ChainSecured, directly on the contract: over HTTP nobody administers them."""

from dataclasses import dataclass

import pytest
import pytest_asyncio

from node.engine.cid import cid_of_source
from node.values import u256_hex
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")

CID = cid_of_source("function main() {}")
KEY = "A" * 43 + "="
WRITES: list[tuple[str, dict[str, object]]] = [
    ("/add_usage_api_key", {"name": "x"}),
    ("/update_usage_api_key", {"usage_api_key": KEY, "name": "x"}),
    ("/update_usage_api_key_metadata", {"usage_api_key": KEY, "name": "x"}),
    ("/remove_usage_api_key", {"usage_api_key": KEY}),
    ("/create_wallet", {}),
    ("/add_group", {"group_name": "x"}),
    ("/update_group", {"group_id": 1, "name": "x", "pkp_ids_permitted": [], "cid_hashes_permitted": []}),
    ("/remove_group", {"group_id": 1}),
    ("/add_pkp_to_group", {"group_id": 1, "pkp_id": "0"}),
    ("/remove_pkp_from_group", {"group_id": 1, "pkp_id": "0"}),
    ("/add_action", {"action_ipfs_cid": CID, "name": "x"}),
    ("/add_action_to_group", {"group_id": 1, "action_ipfs_cid": CID}),
    ("/update_action_metadata", {"hashed_cid": u256_hex(1), "name": "x"}),
    ("/delete_action", {"hashed_cid": u256_hex(1)}),
    ("/remove_action_from_group", {"group_id": 1, "hashed_cid": u256_hex(1)}),
]


@dataclass(frozen=True)
class Converted:
    account: Account
    usage_key: str


@pytest_asyncio.fixture(loop_scope="module")
async def converted(account: Account) -> Converted:
    usage_key = await account.usage_key(
        can_create_groups=True,
        can_delete_groups=True,
        can_create_pkps=True,
        manage_ipfs_ids_in_groups=[0],
        add_pkp_to_groups=[0],
        remove_pkp_from_groups=[0],
    )
    await account.group(pkp_ids_permitted=["0"])
    admin = "0x" + f"{account.master_hash:064x}"[-40:]
    await account.world.write("convertToChainSecuredAccount", account.master_hash, admin)
    return Converted(account, usage_key)


@pytest.mark.parametrize(("path", "body"), WRITES, ids=[path for path, _ in WRITES])
async def test_every_write_by_any_key_is_403(converted: Converted, path: str, body: dict[str, object]) -> None:
    account = converted.account
    assert (await account.refused(403, path, body))["missing"] == "admin_wallet"
    assert (await account.refused(403, path, body, key=converted.usage_key))["missing"] == "admin_wallet"


async def test_minting_by_get_is_403_too(converted: Converted) -> None:
    for key in (converted.account.key, converted.usage_key):
        assert (await converted.account.world.get("/create_wallet", key=key)).status == 403


async def test_the_old_key_still_lists_asks_and_sees_its_balance(converted: Converted) -> None:
    account = converted.account
    assert len(await account.listed("/list_api_keys")) == 1
    for path in ("/list_wallets", "/list_groups", "/list_actions", "/list_wallets_in_group?group_id=1"):
        await account.listed(path)
    assert (await account.world.get("/account_exists", key=account.key)).body is True
    balance = await account.world.get("/billing/balance", key=account.key)
    assert balance.body["credit_cents"] == 10_000 - 2
