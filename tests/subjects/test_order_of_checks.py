"""Body 400, then permission 403, then credit 402, then what simulation says: on an account without a cent."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from node.engine.cid import cid_of_source
from node.values import u256_hex
from tests.subjects.conftest import Account
from tests.support.subjects import subjects

pytestmark = pytest.mark.asyncio(loop_scope="module")

CID = cid_of_source("function main() {}")
NOWHERE = "99"
UNKNOWN_KEY = "A" * 43 + "="
SCOPED: list[tuple[str, dict[str, object]]] = [
    ("/create_wallet", {}),
    ("/add_group", {"group_name": "x", "pkp_ids_permitted": [NOWHERE]}),
    ("/remove_group", {"group_id": NOWHERE}),
    ("/add_pkp_to_group", {"group_id": NOWHERE, "pkp_id": NOWHERE}),
    ("/remove_pkp_from_group", {"group_id": NOWHERE, "pkp_id": NOWHERE}),
    ("/add_action_to_group", {"group_id": NOWHERE, "action_ipfs_cid": CID}),
    ("/remove_action_from_group", {"group_id": NOWHERE, "hashed_cid": u256_hex(1)}),
]
ACCOUNT_KEY_ONLY: list[tuple[str, dict[str, object]]] = [
    ("/add_usage_api_key", {"name": "x"}),
    ("/update_usage_api_key", {"usage_api_key": UNKNOWN_KEY, "name": "x"}),
    ("/update_usage_api_key_metadata", {"usage_api_key": UNKNOWN_KEY, "name": "x"}),
    ("/remove_usage_api_key", {"usage_api_key": UNKNOWN_KEY}),
    ("/update_group", {"group_id": NOWHERE, "name": "x", "pkp_ids_permitted": [9], "cid_hashes_permitted": []}),
    ("/add_action", {"action_ipfs_cid": CID, "name": "x"}),
    ("/update_action_metadata", {"hashed_cid": u256_hex(1), "name": "x"}),
    ("/delete_action", {"hashed_cid": u256_hex(1)}),
]
WRITES = SCOPED + ACCOUNT_KEY_ONLY


@dataclass(frozen=True)
class Drained:
    account: Account
    powerless_key: str
    group: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def drained(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Drained]:
    async with subjects(tmp_path_factory.mktemp("drained"), starter_cents=2) as world:
        body = (await world.post("/new_account", {"account_name": "poor"})).body
        account = Account(world, body["api_key"], body["wallet_address"])
        yield Drained(account, await account.usage_key(), await account.group(pkp_ids_permitted=["0"]))


PAID = [(path, body) for path, body in WRITES if path != "/remove_usage_api_key"]
"""A key is removed without credit, too: a leaked one may have spent everything."""


@pytest.mark.parametrize(("path", "body"), PAID, ids=[path for path, _ in PAID])
async def test_credit_comes_before_what_simulation_would_say(
    drained: Drained, path: str, body: dict[str, object]
) -> None:
    details = await drained.account.refused(402, path, body)
    assert details == {"scope": "account", "needed_cents": 1, "credit_cents": 0}


@pytest.mark.parametrize(("path", "body"), WRITES, ids=[path for path, _ in WRITES])
async def test_permission_comes_before_credit(drained: Drained, path: str, body: dict[str, object]) -> None:
    details = await drained.account.refused(403, path, body, key=drained.powerless_key)
    if (path, body) in ACCOUNT_KEY_ONLY:
        assert details["missing"] == "account_key"


@pytest.mark.parametrize(("path", "body"), WRITES, ids=[path for path, _ in WRITES])
async def test_the_body_comes_before_permission_and_credit(
    drained: Drained, path: str, body: dict[str, object]
) -> None:
    for key in (drained.account.key, drained.powerless_key):
        details = await drained.account.refused(400, path, body | {"unknown": 1}, key=key)
        assert details == {"fields": {"unknown": "is not a field of this request"}}


async def test_minting_by_get_is_no_way_around(drained: Drained) -> None:
    world = drained.account.world
    assert (await world.get("/create_wallet", key=drained.account.key)).status == 402
    assert (await world.get("/create_wallet", key=drained.powerless_key)).status == 403
    assert len(await drained.account.listed("/list_wallets")) == 1


async def test_what_is_free_goes_on(drained: Drained) -> None:
    account = drained.account
    there = {"group_id": drained.group, "pkp_id": 0}
    assert await account.ok("/add_pkp_to_group", there) == {"success": True}
    assert len(await account.listed("/list_groups")) == 1
    assert (await account.world.post("/new_account", {"account_name": "another"})).status == 200


async def test_a_leaked_key_is_removed_when_all_credit_is_spent(tmp_path: Path) -> None:
    async with subjects(tmp_path, starter_cents=1) as world:
        body = (await world.post("/new_account", {"account_name": "spent"})).body
        account = Account(world, body["api_key"], body["wallet_address"])
        leaked = await account.usage_key(can_create_pkps=True)
        await account.refused(402, "/create_wallet")
        await account.ok("/remove_usage_api_key", {"usage_api_key": leaked})
        assert await account.listed("/list_api_keys") == []
        assert (await world.get("/create_wallet", key=leaked)).status == 401
        assert (await world.get("/billing/balance", key=account.key)).body["credit_cents"] == 0
