"""Minting for a verified signature: its account, its frequency, and that nothing is stored."""

import base64
import sqlite3
from contextlib import closing

import pytest

from node.chain.records import account_of_admin, mints_for
from node.chainsecured.envelope import PrimaryType
from node.values import hash_of_address, hash_of_text, keccak256
from tests.chainsecured.conftest import Secured
from tests.support.contract import key_hash
from tests.support.envelopes import Eoa, envelope

pytestmark = pytest.mark.asyncio(loop_scope="module")

WALLET = "/create_wallet_with_signature"
KEY = "/add_usage_api_key_with_signature"


async def minted(secured: Secured, path: str, eoa: Eoa) -> dict[str, str]:
    primary_type = PrimaryType.CREATE_WALLET if path == WALLET else PrimaryType.ADD_USAGE_API_KEY
    reply = await secured.world.post(path, eoa.request(primary_type.value, secured.now))
    assert reply.status == 200, reply.body
    assert reply.headers["Cache-Control"] == "no-store"
    body: dict[str, str] = reply.body
    return body


def derived(secured: Secured, owner: int, body: dict[str, str]) -> str:
    return secured.world.keyring.wallet(owner, int(body["derivation_path"], 16)).address


async def test_a_wallet_is_derived_under_the_signers_account(secured: Secured) -> None:
    body = await minted(secured, WALLET, secured.admin)
    assert set(body) == {"success", "wallet_address", "derivation_path"}
    assert len(body["derivation_path"]) == 66
    assert derived(secured, hash_of_address(secured.admin.address), body) == body["wallet_address"]


async def test_a_wallet_of_nobody_is_derived_under_the_hash_its_account_will_have(secured: Secured) -> None:
    eoa = Eoa.of("has no account yet")
    for path in (WALLET, KEY):
        body = await minted(secured, path, eoa)
        assert derived(secured, hash_of_address(eoa.address), body) == body["wallet_address"]
    assert await secured.open_account(eoa.address) == hash_of_address(eoa.address)


async def test_after_a_transfer_the_new_admin_mints_for_the_account_and_the_old_one_for_nobody(
    secured: Secured,
) -> None:
    first, second = Eoa.of("hands on"), Eoa.of("is handed to")
    master = await secured.open_account(first.address)
    await secured.as_wallet(first.address, "transferChainSecuredAccountOwnership", master, second.address)
    body = await minted(secured, WALLET, second)
    assert derived(secured, master, body) == body["wallet_address"]
    # The former admin's own hash is the account's master hash, for ever. What it mints is registered to nobody: the
    # account takes it from its current admin alone, and another account's registration is under another hash.
    await minted(secured, WALLET, first)
    with pytest.raises(Exception, match="NoAccountAccess"):
        await secured.as_wallet(first.address, "registerWalletDerivation", master, second.address, 1, "", "")


async def test_a_usage_key_that_is_a_wallets_hash_makes_nobody_its_admin(secured: Secured) -> None:
    """Anybody may attach any number as a usage key's hash, so that the wallet's hash finds the attacker's account."""
    victim, attacker = Eoa.of("victim"), Eoa.of("attacker")
    master = await secured.open_account(attacker.address)
    hash_ = hash_of_address(victim.address)
    nothing: tuple[list[int], ...] = ([], [], [], [])
    await secured.as_wallet(attacker.address, "setUsageApiKey", master, hash_, 0, 0, "", "", True, True, True, *nothing)
    body = await minted(secured, WALLET, victim)
    assert derived(secured, hash_, body) == body["wallet_address"]
    assert (await secured.balance(victim.header(secured.now))).body["details"]["reason"] == "no_account"


async def test_the_master_wallet_of_a_managed_account_is_no_admin(secured: Secured) -> None:
    eoa = Eoa.of("named by a payer")
    await secured.world.write("newAccount", key_hash("managed by a payer"), True, "", "", eoa.address)
    body = await minted(secured, WALLET, eoa)
    assert derived(secured, hash_of_address(eoa.address), body) == body["wallet_address"]
    assert (await secured.balance(eoa.header(secured.now))).body["details"]["reason"] == "no_account"


@pytest.mark.parametrize("has_another", [False, True], ids=["without an account", "admin of another account"])
async def test_nothing_is_minted_for_a_managed_account_that_a_payer_opened_under_a_wallets_hash(
    secured: Secured, has_another: bool
) -> None:
    """Its keys would have the keys of what the wallet mints, also where the wallet registers that in another account."""
    victim, giver = Eoa.of(f"its hash is taken {has_another}"), Eoa.of("hands on to a wallet whose hash is taken")
    derived_wallet = Eoa.of(f"the managed account's {has_another}").address
    await secured.world.write("newAccount", hash_of_address(victim.address), True, "", "", derived_wallet)
    if has_another:
        master = await secured.open_account(giver.address)
        await secured.as_wallet(giver.address, "transferChainSecuredAccountOwnership", master, victim.address)
    for path, primary_type in ((WALLET, PrimaryType.CREATE_WALLET), (KEY, PrimaryType.ADD_USAGE_API_KEY)):
        reply = await secured.world.post(path, victim.request(primary_type.value, secured.now))
        assert (reply.status, reply.body["error"]) == (409, "conflict"), reply.body
    assert (await secured.balance(victim.header(secured.now))).body["details"]["reason"] == "no_account"


ADMIN = "0x" + "aB" * 20


@pytest.mark.parametrize(
    ("master", "managed", "is_master", "admin", "found"),
    [
        (5, False, True, ADMIN.lower(), 5),
        (5, False, True, "0x" + "11" * 20, None),
        (5, False, False, ADMIN.lower(), None),
        (5, True, True, ADMIN.lower(), None),
        (0, False, True, ADMIN.lower(), None),
    ],
)
async def test_an_admin_is_one_by_every_word_of_the_record(
    master: int, managed: bool, is_master: bool, admin: str, found: int | None
) -> None:
    assert account_of_admin(((master, managed, is_master, admin, "name"),), ADMIN) == found


OWN = hash_of_address(ADMIN)


@pytest.mark.parametrize(
    ("master", "managed", "is_master", "admin", "owner"),
    [
        (5, False, True, ADMIN.lower(), 5),
        (0, False, False, "0x" + "00" * 20, OWN),
        (OWN, False, True, "0x" + "11" * 20, OWN),
        (5, False, True, "0x" + "11" * 20, OWN),
        (5, True, False, ADMIN.lower(), OWN),
        (OWN, True, True, ADMIN.lower(), None),
        (OWN, True, True, "0x" + "11" * 20, None),
    ],
    ids=["admin", "nobody", "former, who opened it", "former", "a managed account's usage hash", "taken", "taken too"],
)
async def test_for_whom_is_minted_by_every_word_of_the_record(
    master: int, managed: bool, is_master: bool, admin: str, owner: int | None
) -> None:
    assert mints_for(((master, managed, is_master, admin, "name"),), ADMIN) == owner


async def test_a_usage_key_comes_with_the_wallet_of_its_hash(secured: Secured) -> None:
    body = await minted(secured, KEY, secured.admin)
    assert set(body) == {"success", "usage_api_key", "wallet_address", "derivation_path"}
    assert len(base64.b64decode(body["usage_api_key"], validate=True)) == 32
    usage_hash = hash_of_text(body["usage_api_key"])
    path = keccak256(keccak256(b"svc/v1/usage-key-wallet-path") + usage_hash.to_bytes(32))
    assert body["derivation_path"] == "0x" + path.hex()
    assert derived(secured, hash_of_address(secured.admin.address), body) == body["wallet_address"]


async def test_a_minted_key_is_nobody_until_it_is_attached(secured: Secured) -> None:
    body = await minted(secured, KEY, secured.admin)
    key, master = body["usage_api_key"], hash_of_address(secured.admin.address)
    assert (await secured.world.get("/account_exists", key=key)).body is False
    path = int(body["derivation_path"], 16)
    admin = secured.admin.address
    lists: tuple[list[int], ...] = ([], [], [], [0])
    await secured.as_wallet(admin, "registerWalletDerivation", master, body["wallet_address"], path, "key", "")
    granted = (0, 0, "key", "", False, False, False, *lists)
    await secured.as_wallet(admin, "setUsageApiKey", master, hash_of_text(key), *granted)
    assert (await secured.world.get("/account_exists", key=key)).body is True
    listed = (await secured.world.get("/list_wallets", key=key)).body
    assert body["wallet_address"] in [wallet["wallet_address"] for wallet in listed]


async def test_a_replay_within_the_window_gives_another_of_nobody_and_nothing_is_stored(secured: Secured) -> None:
    request = secured.admin.request("AddUsageApiKey", secured.now)
    rows, blocks = _rows(secured), await secured.rpc.ask("eth_blockNumber")
    bodies = [(await secured.world.post(KEY, request)).body for _ in range(5)]
    for field in ("usage_api_key", "wallet_address", "derivation_path"):
        assert len({body[field] for body in bodies}) == len(bodies)
    request = secured.admin.request("CreateWallet", secured.now)
    assert len({(await secured.world.post(WALLET, request)).body["wallet_address"] for _ in range(5)}) == 5
    assert _rows(secured) == rows
    assert await secured.rpc.ask("eth_blockNumber") == blocks


async def test_with_the_same_idempotency_key_a_replay_gets_the_same_secret_and_no_other_body_does(
    secured: Secured,
) -> None:
    request, once = secured.admin.request("AddUsageApiKey", secured.now), "an-idempotency-key-of-mine"
    first = await secured.world.post(KEY, request, Idempotency_Key=once)
    again = await secured.world.post(KEY, request, Idempotency_Key=once)
    assert (again.body, again.headers["Idempotency-Replayed"]) == (first.body, "true")
    other = await secured.world.post(
        KEY, Eoa.of("guesses").request("AddUsageApiKey", secured.now), Idempotency_Key=once
    )
    assert other.status == 409
    assert "usage_api_key" not in other.body
    assert first.body["usage_api_key"] not in str(other.body)


def _rows(secured: Secured) -> dict[str, int]:
    """Number of rows of each of the node's tables."""
    with closing(sqlite3.connect(secured.world.journal)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}


async def test_an_idempotency_key_gives_the_same_secret_again_to_the_same_request_alone(secured: Secured) -> None:
    request = secured.admin.request("AddUsageApiKey", secured.now)
    once = {"Idempotency_Key": "mint-0123456789-0123456789"}
    first, again = [await secured.world.post(KEY, request, **once) for _ in range(2)]
    assert (again.status, again.body) == (200, first.body)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = await secured.world.post(KEY, secured.admin.request("AddUsageApiKey", secured.now - 1), **once)
    assert other.status == 409


async def test_keys_that_are_sent_are_ignored(secured: Secured) -> None:
    request = secured.admin.request("CreateWallet", secured.now)
    assert (await secured.world.post(WALLET, request, key="garbage")).status == 200


async def test_the_window_is_of_the_nodes_own_clock(secured: Secured) -> None:
    request = secured.admin.request("CreateWallet", secured.now)
    secured.world.clock.advance(300)
    assert (await secured.mint(request)).status == 200
    secured.world.clock.advance(1)
    refused = await secured.mint(request)
    assert refused.body["details"] == {"reason": "issued_at_window", "server_time": secured.now}


async def test_an_envelope_in_any_admitted_form_is_for_the_same_wallet(secured: Secured) -> None:
    eoa = secured.admin
    typed_data = envelope("CreateWallet", eoa.address.lower(), secured.now)
    body = (await secured.mint({"typed_data": typed_data, "signature": eoa.sign(typed_data)})).body
    assert derived(secured, hash_of_address(eoa.address), body) == body["wallet_address"]
