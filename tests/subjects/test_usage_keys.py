import pytest

from node.values import KEY_PATTERN, hash_of_text, u256_hex
from tests.subjects.conftest import Account

pytestmark = pytest.mark.asyncio(loop_scope="module")

NEVER_MADE = "A" * 43 + "="
DEFAULTS = {
    "description": "",
    "can_create_groups": False,
    "can_delete_groups": False,
    "can_create_pkps": False,
    "can_manage_ipfs_ids_in_groups": [],
    "can_add_pkp_to_groups": [],
    "can_remove_pkp_from_groups": [],
    "can_execute_in_groups": [],
}
EVERYTHING = {
    "description": "described",
    "can_create_groups": True,
    "can_delete_groups": True,
    "can_create_pkps": True,
    "manage_ipfs_ids_in_groups": [0],
    "add_pkp_to_groups": ["3", 1, "0x2"],
    "remove_pkp_from_groups": [18446744073709551615],
    "execute_in_groups": [7, "7", "0x7"],
}


async def the_key(account: Account) -> dict[str, object]:
    (item,) = await account.listed("/list_api_keys")
    return item


async def test_a_new_key_is_shown_once_and_listed_by_its_hash(account: Account) -> None:
    answer = await account.ok("/add_usage_api_key", {"name": "Worker"})
    key = answer["usage_api_key"]
    assert set(answer) == {"success", "usage_api_key", "transaction_hash", "block_number"}
    assert KEY_PATTERN.fullmatch(key)
    key_hash = u256_hex(hash_of_text(key))
    item = await the_key(account)
    assert (
        item == {"id": key_hash, "api_key_hash": key_hash, "name": "Worker", "expiration": "0", "balance": 0} | DEFAULTS
    )
    assert await account.spent_cents() == 1
    assert (await account.world.get("/list_wallets", key=key)).status == 200


async def test_every_field_arrives_in_one_form_whatever_form_it_came_in(account: Account) -> None:
    expiration = int(account.world.clock.now) + 3600
    await account.usage_key(**EVERYTHING, expiration=str(expiration), balance=500)
    assert await the_key(account) | {"id": "", "api_key_hash": ""} == {
        "id": "",
        "api_key_hash": "",
        "name": "usage",
        "description": "described",
        "expiration": str(expiration),
        "balance": 500,
        "can_create_groups": True,
        "can_delete_groups": True,
        "can_create_pkps": True,
        "can_manage_ipfs_ids_in_groups": ["0"],
        "can_add_pkp_to_groups": ["1", "2", "3"],
        "can_remove_pkp_from_groups": ["18446744073709551615"],
        "can_execute_in_groups": ["7"],
    }


async def test_an_update_resets_what_is_left_out_but_keeps_expiration_and_cap(account: Account) -> None:
    expiration = int(account.world.clock.now) + 3600
    key = await account.usage_key(**EVERYTHING, expiration=expiration, balance=500)
    await account.ok("/update_usage_api_key", {"usage_api_key": key, "name": "reset"})
    kept: dict[str, object] = {"name": "reset", "expiration": str(expiration), "balance": 500} | DEFAULTS
    assert (await the_key(account)).items() >= kept.items()
    await account.ok("/update_usage_api_key", {"usage_api_key": key, "name": "reset", "balance": 0})
    assert (await the_key(account)).items() >= (kept | {"balance": 0}).items()
    await account.ok("/update_usage_api_key", {"usage_api_key": key, "name": "reset", "expiration": "0", "balance": 9})
    assert (await the_key(account)).items() >= (kept | {"expiration": "0", "balance": 9}).items()


async def test_new_metadata_changes_nothing_else(account: Account) -> None:
    key = await account.usage_key(**EVERYTHING, balance=500)
    before = await the_key(account)
    await account.ok("/update_usage_api_key_metadata", {"usage_api_key": key, "name": "renamed"})
    assert await the_key(account) == before | {"name": "renamed", "description": ""}


@pytest.mark.parametrize("by", ["usage_api_key", "api_key_hash"])
async def test_a_key_is_named_by_value_or_by_hash(account: Account, by: str) -> None:
    key = await account.usage_key()
    named = {by: key if by == "usage_api_key" else u256_hex(hash_of_text(key))}
    await account.ok("/update_usage_api_key", named | {"name": "a", "can_create_pkps": True})
    await account.ok("/update_usage_api_key_metadata", named | {"name": "b"})
    await account.ok("/create_wallet", key=key)
    await account.ok("/remove_usage_api_key", named)
    assert await account.listed("/list_api_keys") == []
    assert (await account.world.post("/create_wallet", key=key)).status == 401


CHANGES: list[tuple[str, dict[str, object]]] = [
    ("/update_usage_api_key", {"name": "x"}),
    ("/update_usage_api_key", {"name": "x", "expiration": 0, "balance": 0}),
    ("/update_usage_api_key_metadata", {"name": "x"}),
    ("/remove_usage_api_key", {}),
]


@pytest.mark.parametrize(("path", "body"), CHANGES)
async def test_an_unknown_key_is_404_and_never_made(account: Account, path: str, body: dict[str, object]) -> None:
    await account.refused(404, path, {"usage_api_key": NEVER_MADE} | body)
    await account.refused(404, path, {"api_key_hash": u256_hex(0)} | body)
    assert await account.listed("/list_api_keys") == []


@pytest.mark.parametrize(("path", "body"), CHANGES)
async def test_a_removed_key_is_404(account: Account, path: str, body: dict[str, object]) -> None:
    key = await account.usage_key()
    await account.ok("/remove_usage_api_key", {"usage_api_key": key})
    await account.refused(404, path, {"usage_api_key": key} | body)


@pytest.mark.parametrize(("path", "body"), CHANGES)
async def test_another_accounts_key_is_404(
    account: Account, stranger: Account, path: str, body: dict[str, object]
) -> None:
    key = await stranger.usage_key(can_create_pkps=True)
    await account.refused(404, path, {"usage_api_key": key} | body)
    await stranger.ok("/create_wallet", key=key)


@pytest.mark.parametrize(("path", "body"), CHANGES)
async def test_the_account_key_is_no_usage_key(account: Account, path: str, body: dict[str, object]) -> None:
    await account.refused(404, path, {"usage_api_key": account.key} | body)


@pytest.mark.parametrize(("path", "body"), [*CHANGES, ("/add_usage_api_key", {"name": "x"})])
async def test_a_usage_key_manages_no_keys_not_even_itself(
    account: Account, path: str, body: dict[str, object]
) -> None:
    key = await account.usage_key(**EVERYTHING)
    sent = body if path == "/add_usage_api_key" else {"usage_api_key": key} | body
    details = await account.refused(403, path, sent, key=key)
    assert details["missing"] == "account_key"
    assert (await account.world.get("/list_api_keys", key=key)).status == 403


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, "name"),
        ({"name": 7}, "name"),
        ({"name": "x" * 257}, "name"),
        ({"name": "x", "description": "x" * 2049}, "description"),
        ({"name": "x", "can_create_groups": 1}, "can_create_groups"),
        ({"name": "x", "can_create_groups": "true"}, "can_create_groups"),
        ({"name": "x", "execute_in_groups": 0}, "execute_in_groups"),
        ({"name": "x", "execute_in_groups": [True]}, "execute_in_groups"),
        ({"name": "x", "execute_in_groups": [1.0]}, "execute_in_groups"),
        ({"name": "x", "execute_in_groups": [-1]}, "execute_in_groups"),
        ({"name": "x", "execute_in_groups": [2**64]}, "execute_in_groups"),
        ({"name": "x", "balance": -1}, "balance"),
        ({"name": "x", "balance": 1.5}, "balance"),
        ({"name": "x", "expiration": 1}, "expiration"),
        ({"name": "x", "can_execute_in_groups": [0]}, "can_execute_in_groups"),
        ({"name": "x", "execute_in_groups": list(range(1, 102))}, "execute_in_groups"),
        (
            {"name": "x", "execute_in_groups": list(range(60)), "add_pkp_to_groups": list(range(41))},
            "add_pkp_to_groups",
        ),
    ],
)
async def test_malformed_settings_are_400_and_name_the_field(
    account: Account, fields: dict[str, object], wrong: str
) -> None:
    assert wrong in (await account.refused(400, "/add_usage_api_key", fields))["fields"]
    update = {"usage_api_key": NEVER_MADE} | fields
    assert wrong in (await account.refused(400, "/update_usage_api_key", update))["fields"]


async def test_a_hundred_entries_together_are_fine(account: Account) -> None:
    await account.usage_key(execute_in_groups=list(range(1, 61)), add_pkp_to_groups=list(range(1, 41)))


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"usage_api_key": NEVER_MADE, "api_key_hash": u256_hex(1)},
        {"usage_api_key": u256_hex(1)},
        {"usage_api_key": "short"},
        {"api_key_hash": NEVER_MADE},
        {"usage_api_key": None},
    ],
)
async def test_a_key_is_named_exactly_once(account: Account, named: dict[str, object]) -> None:
    for path, body in CHANGES:
        await account.refused(400, path, {**named, **body})


async def test_a_key_that_expires_now_is_past_already(account: Account) -> None:
    now = int(account.world.clock.now)
    await account.refused(400, "/add_usage_api_key", {"name": "x", "expiration": now})
    await account.usage_key(expiration=now + 1)


async def test_an_expiration_in_milliseconds_is_told(account: Account) -> None:
    now = int(account.world.clock.now)
    longest = now + 100 * 31_556_952
    key = await account.usage_key(expiration=longest)
    changes: dict[str, dict[str, object]] = {"/add_usage_api_key": {}, "/update_usage_api_key": {"usage_api_key": key}}
    for path, named in changes.items():
        for far in (longest + 1, (now + 3600) * 1000, 2**64 - 1):
            refused = await account.refused(400, path, {**named, "name": "x", "expiration": str(far)})
            assert refused["fields"] == {"expiration": "is more than 100 years ahead"}
    # One that is on chain already stays what it is.
    await account.ok("/update_usage_api_key", {"usage_api_key": key, "name": "x"})


async def test_a_cap_stops_its_key_and_no_other(account: Account) -> None:
    key = await account.usage_key(can_create_pkps=True, balance=1)
    await account.ok("/create_wallet", key=key)
    assert (await account.refused(402, "/create_wallet", key=key))["scope"] == "usage_key"
    await account.ok("/create_wallet")
    await account.ok(
        "/update_usage_api_key", {"usage_api_key": key, "name": "x", "can_create_pkps": True, "balance": 2}
    )
    await account.ok("/create_wallet", key=key)
    await account.refused(402, "/create_wallet", key=key)


async def test_keys_are_listed_in_creation_order_which_removals_do_not_change(account: Account) -> None:
    keys = [await account.usage_key(name=f"key {number}") for number in range(4)]
    await account.ok("/remove_usage_api_key", {"usage_api_key": keys[1]})
    names = [item["name"] for item in await account.listed("/list_api_keys")]
    assert names == ["key 0", "key 2", "key 3"]
    reply = await account.world.get("/list_api_keys?page_number=1&page_size=2", key=account.key)
    assert [item["name"] for item in reply.body] == ["key 3"]
    assert reply.headers["X-Total-Count"] == "3"


async def test_a_repeated_request_shows_the_same_key_and_costs_once(account: Account) -> None:
    headers = {"Idempotency_Key": "11111111-2222-3333-4444-555555555555"}
    first = await account.ok("/add_usage_api_key", {"name": "x"}, **headers)
    assert await account.ok("/add_usage_api_key", {"name": "x"}, **headers) == first
    assert len(await account.listed("/list_api_keys")) == 1
    assert await account.spent_cents() == 1
