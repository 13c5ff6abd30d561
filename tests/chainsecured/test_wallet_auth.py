"""X-Wallet-Auth: whose balance a wallet sees, in which encodings, and that it never falls through to a key."""

import base64
import json

import pytest

from node.ledger.port import MICRODOLLARS_PER_CENT, Spender
from node.values import hash_of_address
from tests.chainsecured.conftest import Secured
from tests.support.contract_wallets.deployed import OwnerWallet
from tests.support.envelopes import Eoa, digest_of, envelope, header_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

CREDIT = 10_000


async def test_the_admin_wallet_sees_its_accounts_balance_without_a_key(secured: Secured) -> None:
    reply = await secured.balance(secured.admin.header(secured.now))
    assert (reply.status, reply.body["credit_cents"]) == (200, CREDIT)
    spender = Spender(hash_of_address(secured.admin.address), None, 0)
    await secured.world.ledger.reserve(spender, "a charge", 5 * MICRODOLLARS_PER_CENT)
    reply = await secured.balance(secured.admin.header(secured.now))
    assert (reply.status, reply.body["reserved_cents"]) == (200, 5)
    await secured.world.ledger.release("a charge")


async def test_a_contract_wallet_sees_its_accounts_balance(secured: Secured) -> None:
    sender = (await secured.rpc.ask("eth_accounts"))[0]
    wallet = await OwnerWallet.deployed(secured.rpc, sender, secured.world.keyring.admin_payer())
    await secured.open_account(wallet.address)
    typed_data = envelope("BillingAuth", wallet.address, secured.now)
    contents = {"typed_data": typed_data, "signature": "0x" + wallet.sign(digest_of(typed_data)).hex()}
    assert (await secured.balance(header_of(contents))).status == 200
    contents["signature"] = "0x" + wallet.sign(bytes(32)).hex()
    assert (await secured.balance(header_of(contents))).body["details"]["reason"] == "signature_rejected"


async def test_standard_and_url_safe_padded_or_not(secured: Secured) -> None:
    raw = base64.b64decode(secured.admin.header(secured.now))
    # Blanks in front move the text through every alignment, and line it up with the letters that differ.
    for blanks in range(4):
        text = b" " * blanks + raw + b" " * 3
        for encoded in (base64.b64encode(text).decode(), base64.urlsafe_b64encode(text).decode()):
            for value in (encoded, encoded.rstrip("="), f"  {encoded} "):
                assert (await secured.balance(value)).status == 200


MALFORMED = (
    "", " ", "garbage!", "=", "====", "Bearer x", "{}", "e30", "bnVsbA==", "W10=", "Int9Ig==", "AAAA", "_w==", "a", "a===",
    "e30=e30=", "e30\te30",
)  # fmt: skip


@pytest.mark.parametrize("value", MALFORMED)
async def test_what_is_malformed_is_401_and_no_key_beside_it_counts(
    secured: Secured, managed_key: str, value: str
) -> None:
    reply = await secured.balance(value, key=managed_key)
    assert (reply.status, reply.body["error"]) == (401, "unauthorized")
    assert reply.body["details"]["reason"] in {"header_malformed", "header_members"}


async def test_members_are_exactly_two(secured: Secured, managed_key: str) -> None:
    contents = secured.admin.request("BillingAuth", secured.now)
    wrong: list[object] = [
        {**contents, "nonce": 1},
        {"typed_data": contents["typed_data"]},
        {"signature": contents["signature"]},
        {**contents, "signature": None},
        [contents],
    ]
    for each in wrong:
        reply = await secured.balance(header_of(each), key=managed_key)
        assert (reply.status, reply.body["details"]["reason"]) == (401, "header_members")
    doubled = json.dumps(contents).replace('"signature":', '"signature": "0x", "signature":', 1)
    reply = await secured.balance(base64.b64encode(doubled.encode()).decode(), key=managed_key)
    assert (reply.status, reply.body["details"]["reason"]) == (401, "header_malformed")


async def test_typed_data_may_be_a_text(secured: Secured) -> None:
    contents = secured.admin.request("BillingAuth", secured.now)
    contents["typed_data"] = json.dumps(contents["typed_data"])
    assert (await secured.balance(header_of(contents))).status == 200


async def test_sent_twice_it_is_401(secured: Secured) -> None:
    value = secured.admin.header(secured.now)
    port = secured.world.server.port
    request = f"GET /core/v1/billing/balance HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    for headers, status in ((f"X-Wallet-Auth: {value}\r\n", b"200"), (f"X-Wallet-Auth: {value}\r\n" * 2, b"401")):
        answer = await secured.world.server.raw(f"{request}{headers}\r\n".encode())
        assert answer.split()[1] == status
        assert (b'"header_repeated"' in answer) == (status == b"401")


async def test_a_wallet_without_an_account_and_a_former_admin_are_401(secured: Secured, managed_key: str) -> None:
    former, current = Eoa.of("was an admin"), Eoa.of("is an admin")
    master = await secured.open_account(former.address)
    assert (await secured.balance(former.header(secured.now))).status == 200
    await secured.as_wallet(former.address, "transferChainSecuredAccountOwnership", master, current.address)
    for eoa in (former, Eoa.of("nobody")):
        reply = await secured.balance(eoa.header(secured.now), key=managed_key)
        assert (reply.status, reply.body["details"]["reason"]) == (401, "no_account")
    assert (await secured.balance(current.header(secured.now))).status == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [("create_payment_intent", {"amount_cents": 500}), ("confirm_payment", {"payment_intent_id": "p"})],
)
async def test_the_other_billing_endpoints_take_it_too(secured: Secured, path: str, body: dict[str, object]) -> None:
    """There is no card processor here, which is said to whoever may ask, and to nobody else."""
    paid = await secured.world.post(f"/billing/{path}", body, X_Wallet_Auth=secured.admin.header(secured.now))
    assert (paid.status, paid.body["error"]) == (503, "billing_disabled")
    wrong = secured.admin.header(secured.now, "CreateWallet")
    assert (await secured.world.post(f"/billing/{path}", body, X_Wallet_Auth=wrong)).status == 401


@pytest.mark.parametrize("path", ["/list_wallets", "/list_api_keys", "/account_exists"])
async def test_elsewhere_it_stands_for_no_key(secured: Secured, path: str) -> None:
    reply = await secured.world.get(path, X_Wallet_Auth=secured.admin.header(secured.now))
    assert (reply.status, reply.body["error"]) == (401, "unauthorized")


async def test_writes_are_not_billings(secured: Secured) -> None:
    header = secured.admin.header(secured.now)
    reply = await secured.world.post("/create_wallet", X_Wallet_Auth=header)
    assert reply.status == 401
