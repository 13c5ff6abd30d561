"""POST /explain on a real node: what it answers, and that every refusal elsewhere gives the same reason."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from node.values import hash_of_text
from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, Account, new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainWriter
from tests.support.client import Client
from tests.support.contract import address_of
from tests.support.node import running_node

ANY_WALLET = "0x" + "00" * 20
PAYER = address_of("a payer that is none of the node's")


@dataclass(frozen=True)
class World:
    """Group `acts` lists the action, `signs` the action and the wallet, `holds` the second wallet alone."""

    account: Account
    cid: str
    hashed_cid: str
    wallet: str
    second: str
    acts: str
    signs: str
    holds: str

    def key(self, *groups: str, **grants: Any) -> Client:
        """A usage key that executes in these groups."""
        return self.account.usage_key(execute_in_groups=[int(group) for group in groups], **grants)


@pytest.fixture(scope="module")
def world(anonymous: Client) -> World:
    account = new_account(anonymous)
    cid, hashed = account.action(SIGNING_CODE)
    wallet, second = account.wallet(), account.wallet()
    acts = account.group(cid_hashes_permitted=[hashed])
    signs = account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet])
    return World(account, cid, hashed, wallet, second, acts, signs, account.group(pkp_ids_permitted=[second]))


def verdict(key: Client, **question: Any) -> dict[str, Any]:
    """The decision and its reason; block and price are what they are in every answer."""
    answer: dict[str, Any] = key.post("explain", {"code": SIGNING_CODE} | question).ok()
    assert answer.pop("block_number") > 0
    assert answer.pop("price_cents_per_second") == 1
    return answer


def sign(key: Client, wallet: str) -> Any:
    """The body of a run that signs with a wallet."""
    return key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}}).ok()


@pytest.mark.exhaustive
def test_an_allow_names_the_first_group_it_rests_on(world: World) -> None:
    assert verdict(world.key(world.acts)) == {"decision": "allow", "group": world.acts}
    assert verdict(world.key(world.signs, world.acts)) == {"decision": "allow", "group": world.acts}
    key = world.key(world.acts, world.signs, world.holds)
    assert verdict(key, pkp_id=world.wallet) == {"decision": "allow", "group": world.signs}


@pytest.mark.exhaustive
def test_the_action_may_be_named_by_its_cid(world: World) -> None:
    key = world.key(world.signs)
    by_code = key.post("explain", {"code": SIGNING_CODE, "pkp_id": world.wallet}).ok()
    by_cid = key.post("explain", {"action_ipfs_cid": world.cid, "pkp_id": world.wallet}).ok()
    assert by_cid == by_code | {"block_number": by_cid["block_number"]}
    other = key.post("get_svc_action_ipfs_id", TRIVIAL_CODE).ok()
    assert key.post("explain", {"action_ipfs_cid": other}).ok()["decision"] == "deny"


def test_a_wallet_may_be_named_by_its_running_id(world: World) -> None:
    listed = {each["pkp_id"]: each["id"] for each in world.account.client.get("list_wallets").ok()}
    key = world.key(world.signs)
    for pkp_id in (listed[world.wallet], int(listed[world.wallet]), world.wallet.lower()):
        assert verdict(key, pkp_id=pkp_id) == {"decision": "allow", "group": world.signs}
    assert verdict(key, pkp_id=listed[world.second]) == {
        "decision": "deny",
        "missing": "wallet_in_group",
        "group": world.signs,
    }


def test_without_a_grant_the_bare_missing_grant_is_told(world: World) -> None:
    for key in (world.key(), world.key(world.holds)):
        for question in ({}, {"pkp_id": world.wallet}):
            assert verdict(key, **question) == {"decision": "deny", "missing": "execute_in_groups"}


def test_a_key_is_told_of_a_group_of_its_own_lists_that_would_let_it(world: World) -> None:
    for grant in ("manage_ipfs_ids_in_groups", "add_pkp_to_groups", "remove_pkp_from_groups"):
        key = world.key(world.holds, **{grant: [int(world.signs)]})
        assert verdict(key) == {"decision": "deny", "missing": "execute_in_groups", "group": world.signs}
    everywhere = world.key(manage_ipfs_ids_in_groups=[0])
    assert verdict(everywhere)["group"] == world.acts
    assert verdict(everywhere, pkp_id=world.wallet)["group"] == world.signs


def test_execute_everywhere_allows_any_code_and_lends_no_wallet(world: World) -> None:
    key = world.key("0")
    assert verdict(key, code=TRIVIAL_CODE) == {"decision": "allow", "group": "0"}
    assert verdict(key) == {"decision": "allow", "group": "0"}
    assert verdict(key, pkp_id=world.wallet) == {"decision": "allow", "group": world.signs}
    assert verdict(key, code=TRIVIAL_CODE, pkp_id=world.wallet) == {"decision": "deny", "missing": "wallet_in_group"}
    held = verdict(key, pkp_id=world.second)
    assert held == {"decision": "deny", "missing": "wallet_in_group", "group": world.acts}


def test_the_master_wallet_is_not_in_the_wallet_wildcard(world: World) -> None:
    account = world.account
    group = account.group(cid_hashes_permitted=["0"], pkp_ids_permitted=[ANY_WALLET])
    key = world.key(group)
    assert verdict(key, code=TRIVIAL_CODE, pkp_id=world.second) == {"decision": "allow", "group": group}
    for master in ("0", 0, account.wallet_address):
        assert verdict(key, pkp_id=master) == {"decision": "deny", "missing": "wallet_in_group", "group": group}
    account.client.post("add_pkp_to_group", {"group_id": group, "pkp_id": "0"}).ok()
    assert verdict(key, pkp_id="0") == {"decision": "allow", "group": group}
    account.client.post("remove_group", {"group_id": group}).ok()


def test_the_account_key_may_run_anything_with_any_of_its_wallets(world: World) -> None:
    for question in ({}, {"code": "no such code at all"}, {"pkp_id": world.wallet}, {"pkp_id": "0"}):
        assert verdict(world.account.client, **question) == {"decision": "allow"}


def test_a_wallet_the_account_does_not_have_is_404(world: World, anonymous: Client) -> None:
    strange = new_account(anonymous).wallet_address
    for key in (world.account.client, world.key("0"), world.key()):
        for pkp_id in (strange, "99", 99):
            key.post("explain", {"code": SIGNING_CODE, "pkp_id": pkp_id}).refused(404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"code": None},
        {"pkp_id": "0"},
        {"code": SIGNING_CODE, "action_ipfs_cid": "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"},
        {"code": 1},
        {"code": "\ud800"},
        {"action_ipfs_cid": "0x" + "11" * 32},
        {"action_ipfs_cid": "Qm"},
        {"code": SIGNING_CODE, "pkp_id": ANY_WALLET},
        {"code": SIGNING_CODE, "pkp_id": "0x12"},
        {"code": SIGNING_CODE, "pkp_id": True},
        {"code": SIGNING_CODE, "min_block": 1},
        [],
    ],
)
def test_a_question_that_is_none_is_400(world: World, body: object) -> None:
    world.account.client.post("explain", body).refused(400, "bad_request")


def test_the_empty_text_is_a_source_too(world: World) -> None:
    assert verdict(world.key("0"), code="") == {"decision": "allow", "group": "0"}


@pytest.mark.exhaustive
def test_only_a_live_key_may_ask(world: World, anonymous: Client) -> None:
    for key in (None, "A" * 43 + "=", "no key"):
        anonymous.with_key(key).post("explain", {"code": SIGNING_CODE}).refused(401, "unauthorized")
    removed = world.key("0")
    assert verdict(removed)["decision"] == "allow"
    world.account.client.post("remove_usage_api_key", {"usage_api_key": removed.key}).ok()
    removed.post("explain", {"code": SIGNING_CODE}).refused(401, "unauthorized")
    expiring = world.key("0", expiration=int(time.time()) + 6)
    deadline = time.monotonic() + 60
    while (answer := expiring.post("explain", {"code": SIGNING_CODE})).status == 200:
        assert time.monotonic() < deadline, "the key never expired"
    answer.refused(401, "unauthorized")


def test_it_is_free_and_sees_a_write_at_once(world: World) -> None:
    client = world.account.client
    key = world.key(world.signs)
    before = client.get("billing/balance").ok()["credit_cents"]
    assert verdict(key, pkp_id=world.second)["decision"] == "deny"
    assert client.get("billing/balance").ok()["credit_cents"] == before
    added = client.post("add_pkp_to_group", {"group_id": world.signs, "pkp_id": world.second}).ok()
    answer = key.post("explain", {"code": SIGNING_CODE, "pkp_id": world.second}).ok()
    assert (answer["decision"], answer["group"]) == ("allow", world.signs)
    assert answer["block_number"] >= added["block_number"]
    client.post("remove_pkp_from_group", {"group_id": world.signs, "pkp_id": world.second}).ok()
    assert verdict(key, pkp_id=world.second)["decision"] == "deny"


def test_what_is_missing_is_what_the_refusals_say(world: World) -> None:
    keys = [world.key(*groups) for groups in ((), (world.holds,), (world.acts,), (world.signs,), ("0",))]
    kinds = set[str]()
    for key in keys:
        run = key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": world.second, "text": "hello"}})
        told = verdict(key)
        if run.status == 403:
            assert told == {"decision": "deny"} | run.body["details"]
            assert verdict(key, pkp_id=world.second)["missing"] == told["missing"]
        else:
            assert (told["decision"], run.ok()["error"]["name"]) == ("allow", "Forbidden")
            told = verdict(key, pkp_id=world.second)
            assert told["missing"] == "wallet_in_group"
        kinds.add(told["missing"])
        assert sign(world.account.client, world.second)["has_error"] is False
    assert kinds == {"execute_in_groups", "wallet_in_group"}


@pytest.fixture(scope="module")
def sparing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, ChainWriter]]:
    """A node that answers three questions a minute and account, and charges nothing; and its chain."""
    settings = {"SVC_EXPLAIN_PER_MINUTE_PER_ACCOUNT": "3", "SVC_BILLING": "off"}
    with running_node(tmp_path_factory.mktemp("sparing"), settings) as node:
        client = client_of(node)
        chain = ChainWriter(node.log_value("chain"), client.get("get_node_chain_config").ok()["contract_address"])
        chain.write(client.get("get_admin_api_payer").ok(), "addApiPayers", [PAYER])
        yield client, chain


@pytest.mark.exhaustive
def test_an_account_asks_so_often_with_all_its_keys_together(sparing: tuple[Client, ChainWriter]) -> None:
    assert sparing[0].get("get_svc_action_client_config").ok()["explain_per_minute_per_account"] == 3
    first, other = new_account(sparing[0]), new_account(sparing[0])
    keys = [first.client, first.usage_key(), first.usage_key()]
    for key in keys:
        assert key.post("explain", {"code": TRIVIAL_CODE}).ok()["price_cents_per_second"] == 0
    for key in keys:
        answer = key.post("explain", {"code": TRIVIAL_CODE})
        answer.refused(429, "too_many_requests")
        assert 0 < int(answer.headers["Retry-After"]) <= 20
    other.client.post("explain", {"code": TRIVIAL_CODE}).ok()
    assert first.client.post("svc_action", {"code": TRIVIAL_CODE}).ok()["has_error"] is False


@pytest.mark.exhaustive
def test_after_a_conversion_usage_keys_ask_on_and_the_old_key_is_403(sparing: tuple[Client, ChainWriter]) -> None:
    client, chain = sparing
    account = new_account(client)
    key = account.usage_key(execute_in_groups=[0])
    chain.write(PAYER, "convertToChainSecuredAccount", hash_of_text(account.key), address_of("the new admin"))
    assert key.post("explain", {"code": TRIVIAL_CODE}).ok()["decision"] == "allow"
    for path in ("explain", "svc_action"):
        details = account.client.post(path, {"code": TRIVIAL_CODE}).refused(403, "forbidden")
        assert details["missing"] == "admin_wallet"
