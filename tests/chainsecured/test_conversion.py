"""Handing a managed account to a wallet: who may, when, to whom, and what stays."""

import asyncio
from typing import Any

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.errors import DomainError
from node.values import hash_of_address, hash_of_text, u256_hex
from tests.chainsecured.conftest import Secured
from tests.support.contract_wallets.deployed import OwnerWallet
from tests.support.envelopes import Eoa, digest_of, envelope
from tests.support.http_server import Reply

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONVERT = "/convert_to_chain_secured_account"


async def convert(secured: Secured, key: str, eoa: Eoa, **more: Any) -> Reply:
    request = eoa.request("ConvertAccount", secured.now, new_admin_wallet_address=eoa.address)
    return await secured.world.post(CONVERT, request, key=key, **more)


async def test_an_account_becomes_its_new_admins_and_keeps_everything_else(secured: Secured) -> None:
    key, eoa = await secured.managed(), Eoa.of("takes an account")
    world, master = secured.world, hash_of_text(key)
    wallet = (await world.post("/create_wallet", key=key)).body["wallet_address"]
    await world.post("/add_group", {"group_name": "g", "pkp_ids_permitted": [wallet]}, key=key)
    usage = (await world.post("/add_usage_api_key", {"name": "u", "execute_in_groups": [1]}, key=key)).body["usage_api_key"]  # fmt: skip
    lists = ("/list_wallets", "/list_groups", "/list_actions", "/list_api_keys", "/billing/balance")
    before = [(await world.get(path, key=key)).body for path in lists]

    reply = await convert(secured, key, eoa)
    assert reply.status == 200, reply.body
    assert reply.body["wallet_address"] == eoa.address
    assert reply.body["api_key_hash"] == u256_hex(master)
    assert reply.body["transaction_hash"].startswith("0x")

    account = await secured.contract.call("getAccount", master)
    assert (account["managed"], account["adminWallet"]) == (False, eoa.address)
    assert [(await world.get(path, key=key)).body for path in lists] == before, "free, and nothing is lost"
    assert (await world.get("/account_exists", key=key)).body is True
    assert (await world.get("/account_exists", key=usage)).body is True
    refused = await world.post("/create_wallet", key=key)
    assert (refused.status, refused.body["details"]["missing"]) == (403, "admin_wallet")
    assert (await secured.balance(eoa.header(secured.now))).body == before[-1], "the wallet sees the account's credit"
    again = await convert(secured, key, eoa)
    assert (again.status, again.body["error"]) == (409, "conflict")


async def test_a_contract_wallet_takes_an_account(secured: Secured) -> None:
    key, owner = await secured.managed(), Eoa.of("owns a contract wallet")
    sender = (await secured.rpc.ask("eth_accounts"))[0]
    wallet = await OwnerWallet.deployed(secured.rpc, sender, secured.world.keyring.admin_payer())
    typed_data = envelope("ConvertAccount", wallet.address, secured.now)
    body = {"typed_data": typed_data, "new_admin_wallet_address": wallet.address}
    refused = await secured.world.post(CONVERT, {**body, "signature": owner.sign(typed_data)}, key=key)
    assert refused.body["details"]["reason"] == "signature_rejected"
    signature = "0x" + wallet.sign(digest_of(typed_data)).hex()
    assert (await secured.world.post(CONVERT, {**body, "signature": signature}, key=key)).status == 200


async def test_a_usage_key_converts_nothing(secured: Secured) -> None:
    key, eoa = await secured.managed(), Eoa.of("by a usage key")
    flags = {"can_create_groups": True, "can_delete_groups": True, "can_create_pkps": True}
    usage = (await secured.world.post("/add_usage_api_key", {"name": "u", **flags, "execute_in_groups": [0]}, key=key)).body["usage_api_key"]  # fmt: skip
    reply = await convert(secured, usage, eoa)
    assert (reply.status, reply.body["details"]) == (403, {"missing": "account_key"})
    assert (await convert(secured, key, eoa)).status == 200
    assert (await convert(secured, usage, eoa)).status == 409, "already converted, which is said before who may"
    missing = await convert(secured, "A" * 43 + "=", eoa)
    assert missing.status == 401


async def test_what_was_signed_is_looked_at_only_for_who_may_convert(secured: Secured) -> None:
    key, eoa = await secured.managed(), Eoa.of("signs nothing")
    usage = (await secured.world.post("/add_usage_api_key", {"name": "u"}, key=key)).body["usage_api_key"]
    body = {**eoa.request("BillingAuth", secured.now), "new_admin_wallet_address": eoa.address}
    assert (await secured.world.post(CONVERT, body, key=usage)).status == 403
    assert (await secured.world.post(CONVERT, body, key=key)).status == 400


@pytest.mark.parametrize("address", ["0x" + "00" * 20, "0x12", "", None, 5, "no address"])
async def test_to_no_address_it_is_400(secured: Secured, managed_key: str, address: object) -> None:
    body = {**secured.admin.request("ConvertAccount", secured.now), "new_admin_wallet_address": address}
    reply = await secured.world.post(CONVERT, body, key=managed_key)
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, ["new_admin_wallet_address"])


async def test_the_wallet_that_signs_is_the_wallet_that_is_named(secured: Secured, managed_key: str) -> None:
    eoa, other = Eoa.of("signs"), Eoa.of("is named")
    body = {**eoa.request("ConvertAccount", secured.now), "new_admin_wallet_address": other.address}
    reply = await secured.world.post(CONVERT, body, key=managed_key)
    assert (reply.status, reply.body["details"]["reason"]) == (400, "address_mismatch")
    lower = {**eoa.request("ConvertAccount", secured.now), "new_admin_wallet_address": eoa.address.lower()}
    assert (await secured.world.post(CONVERT, lower, key=await secured.managed())).status == 200


async def test_whoever_ever_administered_an_account_takes_no_other(secured: Secured, managed_key: str) -> None:
    former, current = Eoa.of("former owner"), Eoa.of("current owner")
    master = await secured.open_account(former.address)
    await secured.as_wallet(former.address, "transferChainSecuredAccountOwnership", master, current.address)
    for eoa in (secured.admin, former, current):
        reply = await convert(secured, managed_key, eoa)
        assert (reply.status, reply.body["error"]) == (409, "conflict"), reply.body
    assert (await secured.world.get("/list_wallets", key=managed_key)).status == 200


async def test_two_conversions_at_once_are_one(secured: Secured) -> None:
    key = await secured.managed()
    wallets = [Eoa.of(f"at once {number}") for number in range(4)]
    replies = await asyncio.gather(*(convert(secured, key, eoa) for eoa in wallets))
    assert sorted(reply.status for reply in replies) == [200, 409, 409, 409]
    (winner,) = [eoa for eoa, reply in zip(wallets, replies, strict=True) if reply.status == 200]
    assert (await secured.contract.call("getAccount", hash_of_text(key)))["adminWallet"] == winner.address


async def test_what_another_node_converted_meanwhile_is_a_conflict_too(secured: Secured) -> None:
    """Between this node's look at the account and its simulation: the contract's own refusal, as it stands there."""
    key, eoa = await secured.managed(), Eoa.of("converted elsewhere")
    assert (await convert(secured, key, eoa)).status == 200
    with pytest.raises(DomainError) as refused:
        await secured.world.write("convertToChainSecuredAccount", hash_of_text(key), Eoa.of("too late").address)
    assert as_node_error(refused.value).code is ErrorCode.CONFLICT


async def test_a_repeated_request_is_told_of_its_conversion(secured: Secured) -> None:
    key, eoa = await secured.managed(), Eoa.of("converts once")
    once = {"Idempotency_Key": "convert-0123456789-012345"}
    request = eoa.request("ConvertAccount", secured.now, new_admin_wallet_address=eoa.address)
    first, again = [await secured.world.post(CONVERT, request, key=key, **once) for _ in range(2)]
    assert (first.status, again.status, again.body) == (200, 200, first.body)


async def test_the_alias_of_the_new_admin_finds_the_account(secured: Secured) -> None:
    key, eoa = await secured.managed(), Eoa.of("is an alias")
    assert (await convert(secured, key, eoa)).status == 200
    alias = hash_of_address(eoa.address)
    assert await secured.contract.call("resolveMaster", alias) == hash_of_text(key)
    minted = (await secured.mint(eoa.request("CreateWallet", secured.now))).body
    path = int(minted["derivation_path"], 16)
    assert secured.world.keyring.wallet(hash_of_text(key), path).address == minted["wallet_address"]
