"""Writes that outlast the request: 504 first, and the same Idempotency-Key leads to the final answer."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from node.values import hash_of_text
from tests.subjects.conftest import Account
from tests.support.http_server import Reply
from tests.support.subjects import Subjects, subjects

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = {"Idempotency_Key": "11111111-2222-3333-4444-555555555555"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Subjects]:
    async with subjects(tmp_path_factory.mktemp("late"), receipt_timeout_s=3.0) as running:
        yield running


async def sent_but_not_mined(world: Subjects, path: str, body: object, key: str | None) -> Reply:
    """A write while the chain makes no blocks, then the block."""
    await world.chain.automine(on=False)
    reply = await world.post(path, body, key=key, **KEY)
    assert (reply.status, reply.body["error"]) == (504, "chain_timeout")
    assert reply.body["details"]["transaction_hash"].startswith("0x")
    return reply


async def mined(world: Subjects) -> None:
    await world.chain.mine()
    await world.chain.automine(on=True)


@pytest.mark.exhaustive
async def test_a_late_group_has_its_id_and_is_paid_once(account: Account) -> None:
    late = await sent_but_not_mined(account.world, "/add_group", {"group_name": "late"}, account.key)
    balance = await account.world.ledger.balance(account.master_hash)
    assert (balance.credit_microdollars, balance.reserved_microdollars) == (100_000_000, 10_000)
    await mined(account.world)
    answer = await account.ok("/add_group", {"group_name": "late"}, **KEY)
    assert answer["transaction_hash"] == late.body["details"]["transaction_hash"]
    (group,) = await account.listed("/list_groups")
    assert answer["group_id"] == group["id"]
    assert await account.spent_cents() == 1


@pytest.mark.exhaustive
async def test_a_late_usage_key_is_the_one_that_was_drawn_first(account: Account) -> None:
    body = {"name": "late", "can_create_pkps": True}
    await sent_but_not_mined(account.world, "/add_usage_api_key", body, account.key)
    await mined(account.world)
    key = (await account.ok("/add_usage_api_key", body, **KEY))["usage_api_key"]
    assert len(await account.listed("/list_api_keys")) == 1
    await account.ok("/create_wallet", key=key)
    assert await account.spent_cents() == 2


@pytest.mark.exhaustive
async def test_a_late_membership_tells_its_transaction(account: Account) -> None:
    body = {"group_id": await account.group(), "pkp_id": "0"}
    late = await sent_but_not_mined(account.world, "/add_pkp_to_group", body, account.key)
    await mined(account.world)
    answer = await account.ok("/add_pkp_to_group", body, **KEY)
    assert answer["transaction_hash"] == late.body["details"]["transaction_hash"]
    assert await account.spent_cents() == 2


@pytest.mark.exhaustive
async def test_a_late_removal_is_no_404(account: Account) -> None:
    body = {"group_id": await account.group()}
    await sent_but_not_mined(account.world, "/remove_group", body, account.key)
    await mined(account.world)
    assert "block_number" in await account.ok("/remove_group", body, **KEY)
    assert await account.spent_cents() == 2


@pytest.mark.exhaustive
async def test_a_late_account_is_the_same_account_and_its_email_is_known(world: Subjects) -> None:
    body = {"account_name": "late", "email": "late@example.com"}
    await sent_but_not_mined(world, "/new_account", body, None)
    assert list(world.new_accounts.emails.values()).count("late@example.com") == 1
    await mined(world)
    reply = await world.post("/new_account", body, **KEY)
    assert reply.status == 200
    assert world.new_accounts.emails[hash_of_text(reply.body["api_key"])] == "late@example.com"
    assert (await world.get("/account_exists", key=reply.body["api_key"])).body is True
