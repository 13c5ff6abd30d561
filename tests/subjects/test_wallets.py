import asyncio

import pytest

from node.chain.port import Page
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_wallet_is_derived_and_registered(account: Account) -> None:
    answer = await account.ok("/create_wallet")
    assert set(answer) == {"success", "wallet_address", "transaction_hash", "block_number"}
    found = (await account.world.reads.wallets(account.master_hash, Page(0, 10))).items
    assert [wallet.id for wallet in found] == [0, 1]
    derived = account.world.keyring.wallet(account.master_hash, found[1].derivation_path)
    assert derived.address == found[1].address == answer["wallet_address"]
    assert await account.spent_cents() == 1


async def test_a_wallet_has_the_name_and_description_it_was_minted_with(account: Account) -> None:
    named = {"name": "Treasury", "description": "Pays the suppliers — ü"}
    made = [await account.ok("/create_wallet", body) for body in (named, {"name": "x"}, {"description": "y"}, {})]
    assert len({answer["transaction_hash"] for answer in made}) == len(made)
    listed = await account.listed("/list_wallets")
    found = {item["wallet_address"]: (item["name"], item["description"]) for item in listed}
    shown = [found[answer["wallet_address"]] for answer in made]
    assert shown == [("Treasury", "Pays the suppliers — ü"), ("x", ""), ("", "y"), ("", "")]
    group = await account.group(pkp_ids_permitted=[made[0]["wallet_address"]])
    (in_group,) = await account.listed(f"/list_wallets_in_group?group_id={group}")
    assert (in_group["name"], in_group["description"]) == ("Treasury", "Pays the suppliers — ü")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "n" * 257}, "name"),
        ({"name": "ü" * 129}, "name"),
        ({"name": None}, "name"),
        ({"description": "d" * 2049}, "description"),
        ({"description": 1}, "description"),
        ({"nmae": "x"}, "nmae"),
    ],
)
async def test_a_wallets_wrong_name_is_400_and_mints_nothing(account: Account, body: object, field: str) -> None:
    details = await account.refused(400, "/create_wallet", body)
    assert list(details["fields"]) == [field]
    assert len(await account.listed("/list_wallets")) == 1


@pytest.mark.parametrize("body", [b"", b"{}", b" { }\r\n"])
@pytest.mark.parametrize("content_type", [None, "application/json", "application/x-www-form-urlencoded"])
async def test_the_body_of_a_mint_may_be_left_out(account: Account, body: bytes, content_type: str | None) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    reply = await account.world.server.call("POST", "/create_wallet", data=body, key=account.key, headers=headers)
    assert reply.status == 200, reply.body


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"name":"x"}', "text/plain", 415),
        (b"name=x", "application/x-www-form-urlencoded", 415),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b"{", "application/json", 400),
    ],
)
async def test_any_other_body_of_a_mint_is_json_with_its_type(
    account: Account, body: bytes, content_type: str, status: int
) -> None:
    headers = {"Content-Type": content_type}
    reply = await account.world.server.call("POST", "/create_wallet", data=body, key=account.key, headers=headers)
    assert reply.status == status
    assert len(await account.listed("/list_wallets")) == 1


async def test_minting_by_get_does_and_costs_the_same_and_points_to_post(account: Account) -> None:
    reply = await account.world.get("/create_wallet", key=account.key)
    assert reply.status == 200
    assert reply.headers["Deprecation"].startswith("@")
    assert reply.headers["Link"] == '</core/v1/create_wallet>; rel="successor-version"'
    assert reply.headers["Cache-Control"] == "no-store"
    assert await account.spent_cents() == 1
    assert (await account.world.server.call("HEAD", "/create_wallet", key=account.key)).status == 405
    assert (await account.world.get("/create_wallet?again=1", key=account.key)).status == 400
    assert await account.spent_cents() == 1


async def test_wallets_are_listed_with_ids_and_checksummed_addresses(account: Account) -> None:
    address = await account.wallet()
    assert await account.listed("/list_wallets") == [
        {
            "id": "0",
            "pkp_id": account.wallet_address,
            "wallet_address": account.wallet_address,
            "name": "",
            "description": "",
        },
        {"id": "1", "pkp_id": address, "wallet_address": address, "name": "", "description": ""},
    ]
    group = await account.group(pkp_ids_permitted=[address])
    in_group = await account.listed(f"/list_wallets_in_group?group_id={group}")
    assert [wallet["id"] for wallet in in_group] == ["1"]


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?group_id=0", 400), ("?group_id=7", 404), ("?group_id=x", 400)]
)
async def test_a_groups_wallets_need_a_group(account: Account, query: str, status: int) -> None:
    assert (await account.world.get(f"/list_wallets_in_group{query}", key=account.key)).status == status


async def test_minting_needs_the_grant_and_then_comes_from_the_same_account(account: Account) -> None:
    without, granted = await account.usage_key(), await account.usage_key(can_create_pkps=True)
    assert (await account.refused(403, "/create_wallet", key=without))["missing"] == "can_create_pkps"
    assert (await account.world.get("/create_wallet", key=without)).status == 403
    address = (await account.ok("/create_wallet", key=granted))["wallet_address"]
    assert address in {wallet["pkp_id"] for wallet in await account.listed("/list_wallets", key=without)}


async def test_many_wallets_at_once_are_all_different(account: Account) -> None:
    answers = await asyncio.gather(*(account.ok("/create_wallet") for _ in range(20)))
    assert len({answer["wallet_address"] for answer in answers}) == 20
    listed = await account.listed("/list_wallets?page_size=100")
    assert [wallet["id"] for wallet in listed] == [str(number) for number in range(21)]
    assert await account.spent_cents() == 20
