"""Every row of the mutation table through HTTP, at the mints, at the conversion, and as X-Wallet-Auth: none ends in a 500."""

import json
from typing import Any

import pytest

from node.http.reading import HEADER_MAX_BYTES
from tests.chainsecured.conftest import Secured
from tests.chainsecured.mutations import ROWS, Row
from tests.support.envelopes import header_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

MINTS = {"/create_wallet_with_signature": "CreateWallet", "/add_usage_api_key_with_signature": "AddUsageApiKey"}
CONVERT = "/convert_to_chain_secured_account"


async def test_the_table_is_as_large_as_it_should_be() -> None:
    assert len(ROWS) >= 80
    assert len({row.name for row in ROWS}) == len(ROWS)


def mutated(secured: Secured, row: Row, primary_type: str, **more: Any) -> dict[str, Any]:
    return row.applied(secured.admin, secured.admin.request(primary_type, secured.now, **more))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_at_the_mints(secured: Secured, row: Row) -> None:
    for path, primary_type in MINTS.items():
        reply = await secured.world.post(path, mutated(secured, row, primary_type))
        if row.reason is None:
            assert (reply.status, reply.body["success"]) == (200, True), reply.body
            continue
        assert (reply.status, reply.body["error"]) == (400, "bad_request"), reply.body
        assert reply.body["details"]["reason"] == row.reason


@pytest.mark.parametrize("row", [row for row in ROWS if row.reason], ids=lambda row: row.name)
async def test_at_the_conversion(secured: Secured, managed_key: str, row: Row) -> None:
    request = mutated(secured, row, "ConvertAccount", new_admin_wallet_address=secured.admin.address)
    reply = await secured.world.post(CONVERT, request, key=managed_key)
    assert (reply.status, reply.body["details"]["reason"]) == (400, row.reason), reply.body


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_as_a_header_it_is_401_and_the_key_beside_it_counts_for_nothing(
    secured: Secured, managed_key: str, row: Row
) -> None:
    request = mutated(secured, row, "BillingAuth")
    header = header_of(request)
    reply = await secured.balance(header, key=managed_key)
    if len(header) > HEADER_MAX_BYTES:
        assert reply.status == 431, "no header is that large, and no key beside it is looked at"
        return
    if row.reason is None:
        assert (reply.status, reply.body["credit_cents"]) == (200, 10_000), "the wallet's account, not the key's"
        return
    assert (reply.status, reply.body["error"]) == (401, "unauthorized"), reply.body
    assert reply.body["details"]["reason"] in {row.reason, "typed_data_members", "header_malformed", "header_members"}


@pytest.mark.parametrize("field", ["typed_data", "signature"])
async def test_a_field_that_is_missing_is_named(secured: Secured, field: str) -> None:
    request = secured.admin.request("CreateWallet", secured.now)
    del request[field]
    reply = await secured.mint(request)
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, [field])


@pytest.mark.parametrize("value", [None, 1, True, [], {}], ids=repr)
async def test_a_signature_that_is_no_text_is_named(secured: Secured, value: object) -> None:
    reply = await secured.mint({**secured.admin.request("CreateWallet", secured.now), "signature": value})
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, ["signature"])


async def test_a_field_more_is_named(secured: Secured) -> None:
    reply = await secured.mint(secured.admin.request("CreateWallet", secured.now, nonce=1))
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, ["nonce"])


@pytest.mark.parametrize("member", ["types", "primaryType", "chainId", "address", "issuedAt", "signature"])
async def test_a_member_said_twice_in_the_body_itself_is_refused(secured: Secured, member: str) -> None:
    text = json.dumps(secured.admin.request("CreateWallet", secured.now))
    doubled = text.replace(f'"{member}":', f'"{member}": null, "{member}":', 1)
    assert doubled != text
    headers = {"Content-Type": "application/json"}
    reply = await secured.world.server.call("POST", "/create_wallet_with_signature", data=doubled.encode(), headers=headers)  # fmt: skip
    assert (reply.status, reply.body["details"]) == (400, {"reason": "duplicate_field"})


@pytest.mark.parametrize("primary_type", ["CreateWallet", "AddUsageApiKey", "ConvertAccount", "BillingAuth"])
async def test_a_signature_for_one_purpose_is_nothing_to_the_others(
    secured: Secured, managed_key: str, primary_type: str
) -> None:
    request = secured.admin.request(primary_type, secured.now)
    for path, own in MINTS.items():
        reply = await secured.world.post(path, request)
        assert reply.status == (200 if own == primary_type else 400)
    if primary_type != "ConvertAccount":
        body = {**request, "new_admin_wallet_address": secured.admin.address}
        reply = await secured.world.post(CONVERT, body, key=managed_key)
        assert reply.body["details"]["reason"] == "primary_type"
    reply = await secured.balance(header_of(request))
    assert reply.status == (200 if primary_type == "BillingAuth" else 401)


async def test_a_large_body_of_one_value_is_refused_by_its_size(secured: Secured) -> None:
    for typed_data in ("x" * 200_000, {"types": "x" * 200_000}):
        reply = await secured.mint({"typed_data": typed_data, "signature": "0x"})
        assert (reply.status, reply.body["details"]["reason"]) == (400, "typed_data_size")


async def test_a_refusal_repeats_nothing_of_what_was_sent(secured: Secured) -> None:
    for value in ("hush-hush", {"hush-hush": "hush-hush"}):
        reply = await secured.mint({"typed_data": value, "signature": "0xhush-hush"})
        assert b"hush" not in reply.raw
