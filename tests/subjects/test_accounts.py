import re
import secrets
from pathlib import Path

import pytest

from node.chain.port import Page
from node.values import KEY_PATTERN, hash_of_text
from tests.subjects.conftest import Account
from tests.support.subjects import Subjects

pytestmark = pytest.mark.asyncio(loop_scope="module")

IDEMPOTENCY_KEY = "11111111-2222-3333-4444-555555555555"


async def test_a_new_account_is_one_transaction_with_its_master_wallet(world: Subjects) -> None:
    before = await world.chain.rpc.call("eth_blockNumber")
    reply = await world.post("/new_account", {"account_name": "Example", "account_description": "described"})
    assert reply.status == 200
    assert set(reply.body) == {"success", "api_key", "wallet_address", "transaction_hash", "block_number"}
    assert KEY_PATTERN.fullmatch(reply.body["api_key"])
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.body["block_number"] == int(str(before), 16) + 1
    key_hash = hash_of_text(reply.body["api_key"])
    listed = await world.reads.wallets(key_hash, Page(0, 10))
    (master,) = listed.items
    path = world.keyring.master_wallet_path(key_hash)
    assert (master.id, master.address, master.derivation_path) == (0, reply.body["wallet_address"], path)
    assert world.keyring.wallet(key_hash, path).address == master.address


async def test_the_email_reaches_the_ledger_and_nothing_else(
    world: Subjects, capfd: pytest.CaptureFixture[str]
) -> None:
    email = "somebody.unmistakable@example.com"
    body = (await world.post("/new_account", {"account_name": "Example", "email": email})).body
    assert world.new_accounts.emails[hash_of_text(body["api_key"])] == email
    receipt = await world.chain.rpc.call("eth_getTransactionByHash", [body["transaction_hash"]])
    needle = "unmistakable"
    assert needle.encode().hex() not in str(receipt)
    assert needle not in "".join(capfd.readouterr())
    for file in Path(world.journal.parent).iterdir():
        assert needle.encode() not in file.read_bytes()


async def test_the_key_is_nowhere_on_disk_or_chain(account: Account) -> None:
    needle = account.key.encode()
    for file in account.world.journal.parent.iterdir():
        assert needle not in file.read_bytes()


async def test_a_repeated_sign_up_is_the_same_account(world: Subjects) -> None:
    body = {"account_name": "Example"}
    first = await world.post("/new_account", body, Idempotency_Key=IDEMPOTENCY_KEY)
    again = await world.post("/new_account", body, Idempotency_Key=IDEMPOTENCY_KEY)
    assert first.status == again.status == 200
    assert first.body == again.body


async def test_a_sign_up_that_is_repeated_from_another_address_is_refused_and_opens_nothing(world: Subjects) -> None:
    body, key = {"account_name": "Example"}, secrets.token_urlsafe()
    made = await world.post("/new_account", body, Idempotency_Key=key, X_Forwarded_For="192.0.2.1")
    block = await world.chain.rpc.call("eth_blockNumber")
    again = await world.post("/new_account", body, Idempotency_Key=key, X_Forwarded_For="192.0.2.2")
    assert (made.status, again.status, again.body["details"]) == (200, 409, {"reason": "other_address"})
    assert await world.chain.rpc.call("eth_blockNumber") == block
    weak = await world.post("/new_account", body, Idempotency_Key="22 printable characters")
    assert (weak.status, weak.body["error"]) == (400, "bad_request")


async def test_an_account_costs_nothing_and_starts_with_credit(account: Account) -> None:
    assert await account.spent_cents() == 0
    reply = await account.world.get("/billing/balance", key=account.key)
    assert reply.body == {
        "balance_cents": -10_000,
        "balance_display": "$100.00",
        "credit_cents": 10_000,
        "reserved_cents": 0,
    }


async def test_account_exists_says_bare_true_or_false(account: Account, world: Subjects) -> None:
    usage_key = await account.usage_key()
    assert (await world.get("/account_exists", key=account.key)).body is True
    assert (await world.get("/account_exists", key=usage_key)).body is True
    assert (await world.get("/account_exists", key="A" * 43 + "=")).body is False
    await account.ok("/remove_usage_api_key", {"usage_api_key": usage_key})
    assert (await world.get("/account_exists", key=usage_key)).body is False
    assert (await world.get("/account_exists")).status == 401


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"account_name": 5},
        {"account_name": "x" * 257},
        {"account_name": "x", "account_description": "x" * 2049},
        {"account_name": "x", "email": "no address"},
        {"account_name": "x", "master": "extra"},
    ],
)
async def test_a_malformed_sign_up_is_400(world: Subjects, body: dict[str, object]) -> None:
    reply = await world.post("/new_account", body)
    assert reply.status == 400
    assert reply.body["details"]["fields"]


async def test_names_of_full_length_and_any_script_come_through(world: Subjects) -> None:
    name, description = "ж" * 64, "\u0000😀" * 25
    body = {"account_name": name, "account_description": description}
    assert (await world.post("/new_account", body)).status == 200


async def test_two_accounts_share_nothing(account: Account, stranger: Account) -> None:
    assert account.key != stranger.key
    assert account.wallet_address != stranger.wallet_address
    assert re.fullmatch("0x[0-9a-fA-F]{40}", account.wallet_address)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/billing/create_payment_intent", {"amount_cents": 500}),
        ("/billing/confirm_payment", {"payment_intent_id": "pi_1"}),
    ],
)
async def test_buying_credit_is_off_but_checks_still_apply(
    account: Account, path: str, body: dict[str, object]
) -> None:
    reply = await account.world.post(path, body, key=account.key)
    assert (reply.status, reply.body["error"]) == (503, "billing_disabled")
    assert int(reply.headers["Retry-After"]) > 0
    assert (await account.world.post(path, body)).status == 401
    assert (await account.world.post(path, {}, key=account.key)).status == 400


@pytest.mark.parametrize("amount", [499, 0, -500, 500.0, "500", True, None, 10**9])
async def test_a_payment_is_a_whole_number_of_at_least_500_cents(account: Account, amount: object) -> None:
    reply = await account.world.post("/billing/create_payment_intent", {"amount_cents": amount}, key=account.key)
    assert reply.status == 400
    assert "amount_cents" in reply.body["details"]["fields"]


async def test_the_processor_config_needs_no_key_and_is_off(world: Subjects) -> None:
    reply = await world.get("/billing/processor_config")
    assert (reply.status, reply.body["error"]) == (503, "billing_disabled")
