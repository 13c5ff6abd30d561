"""Permissions on ChainSecured accounts (spec 4), through HTTP; the accounts are made on the contract."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from node.values import hash_of_text, u256_hex
from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, Account, new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Answer, Client
from tests.support.contract import address_of
from tests.support.node import running_node

ANY_WALLET = "0x" + "00" * 20
PAYER = address_of("a payer that is none of the node's")
UNKNOWN_KEY = "A" * 43 + "="
DEADLINE_S = 60.0
CID = "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"
WRITES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("add_usage_api_key", {"name": "x"}),
    ("update_usage_api_key", {"usage_api_key": UNKNOWN_KEY, "name": "x"}),
    ("update_usage_api_key_metadata", {"usage_api_key": UNKNOWN_KEY, "name": "x"}),
    ("remove_usage_api_key", {"usage_api_key": UNKNOWN_KEY}),
    ("create_wallet", {}),
    ("add_group", {"group_name": "x"}),
    ("update_group", {"group_id": 1, "name": "x", "pkp_ids_permitted": [], "cid_hashes_permitted": []}),
    ("remove_group", {"group_id": 1}),
    ("add_pkp_to_group", {"group_id": 1, "pkp_id": ANY_WALLET}),
    ("remove_pkp_from_group", {"group_id": 1, "pkp_id": ANY_WALLET}),
    ("add_action", {"action_ipfs_cid": CID, "name": "x"}),
    ("add_action_to_group", {"group_id": 1, "action_ipfs_cid": CID}),
    ("update_action_metadata", {"hashed_cid": u256_hex(1), "name": "x"}),
    ("delete_action", {"hashed_cid": u256_hex(1)}),
    ("remove_action_from_group", {"group_id": 1, "hashed_cid": u256_hex(1)}),
)
LISTS = ("list_wallets", "list_groups", "list_actions", "list_wallets_in_group?group_id=1", "list_actions?group_id=1")
EVERYTHING: Mapping[str, Any] = {"flags": True, "manage": (0,), "add": (0,), "remove": (0,), "execute": (0,)}


@dataclass(frozen=True)
class World:
    """`converted` was opened over HTTP with a wallet, an action and a group of both; `direct` never had a key.

    Group 1 of `converted` lists action and wallet, `apart` lists the second wallet without an action.
    """

    converted: ChainSecured
    old_key: Client
    usage_key: Client
    direct: ChainSecured
    action_hash: int
    wallet: str
    second_wallet: str
    apart: int


def opened_and_converted(chain: ChainWriter, account: Account, wallets: list[str]) -> ChainSecured:
    admin = address_of("the new admin of the converted account")
    master_hash = hash_of_text(account.key)
    chain.write(PAYER, "convertToChainSecuredAccount", master_hash, admin)
    assert [wallet["wallet_address"] for wallet in account.client.get("list_wallets").ok()[1:]] == wallets
    return ChainSecured(chain, account.client.with_key(None), master_hash, admin)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """On a node of its own, whose contract gets a payer more."""
    with running_node(tmp_path_factory.mktemp("chain_secured")) as node:
        client = client_of(node)
        chain = ChainWriter(node.log_value("chain"), client.get("get_node_chain_config").ok()["contract_address"])
        chain.write(client.get("get_admin_api_payer").ok(), "addApiPayers", [PAYER])
        account = new_account(client)
        wallet, second = account.wallet(), account.wallet()
        _, hashed = account.action(SIGNING_CODE)
        account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet])
        apart = account.group(pkp_ids_permitted=[second])
        usage_key = account.usage_key(execute_in_groups=[1])
        converted = opened_and_converted(chain, account, [wallet, second])
        direct = ChainSecured.opened(chain, client, address_of("a wallet with an account of its own"))
        direct.group([int(hashed, 16)])
        yield World(converted, account.client, usage_key, direct, int(hashed, 16), wallet, second, int(apart))


def sign(key: Client, wallet: str) -> Answer:
    return key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}})


def trivial(key: Client) -> Answer:
    return key.post("svc_action", {"code": TRIVIAL_CODE})


def eventually(ask: Callable[[], Answer], status: int) -> Answer:
    """A right that is taken away on chain ends at the listener's next poll at the latest (spec 4)."""
    deadline = time.monotonic() + DEADLINE_S
    while (answer := ask()).status != status:
        assert time.monotonic() < deadline, (answer.status, answer.body)
    return answer


@pytest.mark.parametrize(("path", "body"), WRITES, ids=[path for path, _ in WRITES])
def test_every_administrative_write_by_any_key_is_403(world: World, path: str, body: Mapping[str, Any]) -> None:
    for key in (world.old_key, world.converted.usage_key(**EVERYTHING), world.direct.usage_key(**EVERYTHING)):
        before = key.get("billing/balance").ok()
        assert key.post(path, body).refused(403, "forbidden")["missing"] == "admin_wallet"
        key.post(path, {**body, "unknown": 1}).refused(400, "bad_request")
        assert key.get("billing/balance").ok() == before


def test_minting_by_get_is_403_too(world: World) -> None:
    for key in (world.old_key, world.converted.usage_key(**EVERYTHING), world.direct.usage_key(**EVERYTHING)):
        assert key.get("create_wallet").refused(403, "forbidden")["missing"] == "admin_wallet"


def test_the_old_key_lists_asks_and_sees_its_balance_but_runs_nothing(world: World) -> None:
    for path in (*LISTS, "list_api_keys", "billing/balance"):
        world.old_key.get(path).ok()
    assert world.old_key.get("account_exists").ok() is True
    assert trivial(world.old_key).refused(403, "forbidden")["missing"] == "admin_wallet"
    assert sign(world.old_key, world.wallet).refused(403, "forbidden")["missing"] == "admin_wallet"
    for path, body in (
        ("create_payment_intent", {"amount_cents": 500}),
        ("confirm_payment", {"payment_intent_id": "p"}),
    ):
        world.old_key.post(f"billing/{path}", body).refused(403, "forbidden")


def test_usage_keys_list_and_ask_but_never_list_keys(world: World) -> None:
    for key in (world.usage_key, world.direct.usage_key()):
        for path in (*LISTS, "billing/balance"):
            key.get(path).ok()
        assert key.get("account_exists").ok() is True
        assert key.get("list_api_keys").refused(403, "forbidden")["missing"] == "account_key"


def test_a_usage_key_of_before_the_conversion_goes_on_and_is_charged(world: World) -> None:
    before = world.usage_key.get("billing/balance").ok()["credit_cents"]
    answer = sign(world.usage_key, world.wallet).ok()
    assert answer["has_error"] is False
    after = world.usage_key.get("billing/balance").ok()["credit_cents"]
    assert before - after == answer["charged_cents"] > 0


def test_a_master_or_an_alias_as_hash_authorises_nothing(world: World) -> None:
    for value in (u256_hex(world.converted.master_hash), u256_hex(world.direct.master_hash), world.direct.admin):
        world.direct.client.with_key(value).get("account_exists").refused(401, "unauthorized")


# The kinds of denial, each on an account that is administered on chain alone.


def test_an_empty_key_runs_nothing(world: World) -> None:
    for account in (world.converted, world.direct):
        assert trivial(account.usage_key()).refused(403, "forbidden") == {"missing": "execute_in_groups"}


def test_managing_is_not_running(world: World) -> None:
    key = world.direct.usage_key(**{**EVERYTHING, "execute": ()})
    assert trivial(key).refused(403, "forbidden")["missing"] == "execute_in_groups"


def test_a_group_that_does_not_list_the_code_does_not_run_it(world: World) -> None:
    key = world.direct.usage_key(execute=(1,))
    assert key.post("svc_action", {"code": SIGNING_CODE}).ok()["has_error"] is True  # it runs, without a wallet
    trivial(key).refused(403, "forbidden")


def test_the_same_group_id_of_another_account_is_another_group(world: World) -> None:
    group = world.direct.group()
    assert world.apart == group == 2
    world.converted.write("addActionToGroup", group, world.action_hash)
    sign(world.direct.usage_key(execute=(group,)), world.wallet).refused(403, "forbidden")
    world.converted.write("removeActionFromGroup", group, world.action_hash)


def test_everywhere_runs_any_code_but_lends_no_wallet(world: World) -> None:
    key = world.converted.usage_key(execute=(0,))
    assert trivial(key).ok()["response"] == "done"
    assert sign(key, world.second_wallet).ok()["error"]["name"] == "Forbidden"
    assert sign(key, world.wallet).ok()["has_error"] is False


def test_action_and_wallet_must_be_in_one_and_the_same_group(world: World) -> None:
    key = world.converted.usage_key(execute=(1, world.apart))
    assert sign(key, world.second_wallet).ok()["error"]["name"] == "Forbidden"
    world.converted.write("addPkpToGroup", 1, world.second_wallet)
    assert sign(key, world.second_wallet).ok()["has_error"] is False
    world.converted.write("removePkpFromGroup", 1, world.second_wallet)
    deadline = time.monotonic() + DEADLINE_S
    while not sign(key, world.second_wallet).ok()["has_error"]:
        assert time.monotonic() < deadline


def test_the_master_wallet_is_not_in_the_wallet_wildcard(world: World) -> None:
    account = world.converted
    group = account.group([0], [ANY_WALLET])
    key = account.usage_key(execute=(group,))
    master = world.old_key.get("list_wallets").ok()[0]["wallet_address"]
    assert sign(key, world.second_wallet).ok()["has_error"] is False
    assert sign(key, master).ok()["error"]["name"] == "Forbidden"
    account.write("addPkpToGroup", group, master)
    assert sign(key, master).ok()["has_error"] is False
    account.write("removeGroup", group)


def test_a_wallet_of_another_account_is_no_wallet(world: World) -> None:
    assert sign(world.direct.usage_key(execute=(0,)), world.wallet).ok()["error"]["name"] == "NotFound"


def test_a_copied_registration_gives_no_key(world: World) -> None:
    path = next(
        entry["derivationPath"]
        for entry in world.direct.chain.read("listPkps", world.converted.master_hash, 0, 10)[0]
        if world.wallet in entry.values()
    )
    world.direct.write("registerWalletDerivation", world.wallet, path, "copied", "")
    group = world.direct.group([0], [world.wallet])
    world.direct.write("addPkpToGroup", 1, world.wallet)
    answer = sign(world.direct.usage_key(execute=(1, group)), world.wallet).ok()
    assert answer["error"]["name"] == "KeyUnavailable"


def test_an_update_on_chain_replaces_what_a_key_may(world: World) -> None:
    key = world.direct.usage_key(execute=(0,))
    assert trivial(key).ok()["has_error"] is False
    world.direct.usage_key(key.key, flags=True)
    assert eventually(lambda: trivial(key), 403).refused(403, "forbidden")["missing"] == "execute_in_groups"
    world.direct.usage_key(key.key, execute=(0,))
    assert trivial(key).ok()["has_error"] is False


def test_a_removed_key_is_nobody(world: World) -> None:
    key = world.direct.usage_key(execute=(0,))
    assert key.key is not None
    world.direct.write("removeUsageApiKey", hash_of_text(key.key))
    eventually(lambda: trivial(key), 401)
    eventually(lambda: key.get("list_wallets"), 401)


@pytest.mark.exhaustive
def test_an_expired_key_is_nobody(world: World) -> None:
    key = world.direct.usage_key(expiration=int(time.time()) + 2, execute=(0,))
    eventually(lambda: key.get("list_wallets"), 401)
    trivial(key).refused(401, "unauthorized")


def test_every_key_is_cleared_at_once(world: World) -> None:
    account = ChainSecured.opened(world.direct.chain, world.direct.client, address_of("clears its keys"))
    keys = [account.usage_key(execute=(0,)) for _ in range(2)]
    account.write("clearUsageApiKeys")
    for key in keys:
        assert key.get("account_exists").ok() is False
        trivial(key).refused(401, "unauthorized")


def test_after_a_transfer_the_usage_keys_go_on(world: World) -> None:
    account = ChainSecured.opened(world.direct.chain, world.direct.client, address_of("transfers its account"))
    key = account.usage_key(execute=(0,))
    account.write("transferChainSecuredAccountOwnership", address_of("gets an account"))
    assert trivial(key).ok()["response"] == "done"
    assert key.post("add_group", {"group_name": "x"}).refused(403, "forbidden")["missing"] == "admin_wallet"
