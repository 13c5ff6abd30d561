"""Every kind of permission denial, through HTTP (spec 4): one row, one refusal."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, Account, new_account
from tests.support.client import Answer, Client

UNKNOWN_KEY = "A" * 43 + "="
ANY_WALLET = "0x" + "00" * 20


@dataclass(frozen=True)
class World:
    """An account with two groups: `group` lists the action and the wallet, `other_group` is empty."""

    account: Account
    cid: str
    hashed_cid: str
    wallet: str
    group: str
    other_group: str

    @property
    def values(self) -> dict[str, str]:
        """What the `$names` of a row stand for."""
        return {
            "$cid": self.cid,
            "$hashed": self.hashed_cid,
            "$wallet": self.wallet,
            "$group": self.group,
            "$other": self.other_group,
        }


@pytest.fixture(scope="module")
def world(anonymous: Client) -> World:
    account = new_account(anonymous)
    cid, hashed = account.action(SIGNING_CODE)
    wallet = account.wallet()
    group = account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet])
    return World(account, cid, hashed, wallet, group, account.group())


def sign(key: Client, wallet: str) -> Answer:
    return key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}})


ADD_GROUP = ("add_group", {"group_name": "mine"})
ADD_GROUP_WITH_ACTION = ("add_group", {"group_name": "mine", "cid_hashes_permitted": ["$hashed"]})
ADD_GROUP_WITH_WALLET = ("add_group", {"group_name": "mine", "pkp_ids_permitted": ["$wallet"]})
ADD_GROUP_WITH_NO_WALLET = ("add_group", {"group_name": "mine", "pkp_ids_permitted": ["99"]})
ADD_GROUP_WITH_ANY_ACTION = ("add_group", {"group_name": "mine", "cid_hashes_permitted": ["0"]})
ADD_GROUP_WITH_ANY_WALLET = ("add_group", {"group_name": "mine", "pkp_ids_permitted": [ANY_WALLET]})
ADD_GROUP_WITH_MASTER = ("add_group", {"group_name": "mine", "pkp_ids_permitted": ["0"]})
REMOVE_GROUP = ("remove_group", {"group_id": "$other"})
CREATE_WALLET: tuple[str, Mapping[str, Any]] = ("create_wallet", {})
ADD_ACTION = ("add_action_to_group", {"group_id": "$other", "action_ipfs_cid": "$cid"})
REMOVE_ACTION = ("remove_action_from_group", {"group_id": "$group", "hashed_cid": "$hashed"})
ADD_PKP = ("add_pkp_to_group", {"group_id": "$other", "pkp_id": "$wallet"})
ADD_MASTER = ("add_pkp_to_group", {"group_id": "$other", "pkp_id": 0})
REMOVE_PKP = ("remove_pkp_from_group", {"group_id": "$group", "pkp_id": "$wallet"})
RUN = ("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": "$wallet", "text": "hello"}})
RUN_OTHER = ("svc_action", {"code": TRIVIAL_CODE, "js_params": None})


@dataclass(frozen=True)
class Denial:
    """A usage key with these grants is refused this call for this reason; `$name` stands for the world's value."""

    name: str
    call: tuple[str, Mapping[str, Any]]
    missing: str
    grants: Mapping[str, Any] = field(default_factory=dict)


DENIALS = (
    # 1-7: each grant missing (an empty key)
    Denial("create a group without the grant", ADD_GROUP, "can_create_groups"),
    Denial("remove a group without the grant", REMOVE_GROUP, "can_delete_groups"),
    Denial("create a wallet without the grant", CREATE_WALLET, "can_create_pkps"),
    Denial("add an action without the grant", ADD_ACTION, "manage_ipfs_ids_in_groups"),
    Denial("remove an action without the grant", REMOVE_ACTION, "manage_ipfs_ids_in_groups"),
    Denial("add a wallet without the grant", ADD_PKP, "add_pkp_to_groups"),
    Denial("remove a wallet without the grant", REMOVE_PKP, "remove_pkp_from_groups"),
    Denial("run without the grant", RUN, "execute_in_groups"),
    # 8: each group list names another group
    Denial(
        "add an action to a group not listed",
        ADD_ACTION,
        "manage_ipfs_ids_in_groups",
        {"manage_ipfs_ids_in_groups": ["$group"]},
    ),
    Denial(
        "remove an action from a group not listed",
        REMOVE_ACTION,
        "manage_ipfs_ids_in_groups",
        {"manage_ipfs_ids_in_groups": ["$other"]},
    ),
    Denial("add a wallet to a group not listed", ADD_PKP, "add_pkp_to_groups", {"add_pkp_to_groups": ["$group"]}),
    Denial(
        "remove a wallet from a group not listed",
        REMOVE_PKP,
        "remove_pkp_from_groups",
        {"remove_pkp_from_groups": ["$other"]},
    ),
    Denial("run in a group that does not list the code", RUN, "execute_in_groups", {"execute_in_groups": ["$other"]}),
    Denial("run other code than the group's", RUN_OTHER, "execute_in_groups", {"execute_in_groups": ["$group"]}),
    # 9: one grant is not another
    Denial("adding wallets does not remove them", REMOVE_PKP, "remove_pkp_from_groups", {"add_pkp_to_groups": [0]}),
    Denial("removing wallets does not add them", ADD_PKP, "add_pkp_to_groups", {"remove_pkp_from_groups": [0]}),
    Denial(
        "managing everything does not run",
        RUN,
        "execute_in_groups",
        {
            "manage_ipfs_ids_in_groups": [0],
            "add_pkp_to_groups": [0],
            "remove_pkp_from_groups": [0],
            "can_create_groups": True,
        },
    ),
    Denial("running does not manage", ADD_ACTION, "manage_ipfs_ids_in_groups", {"execute_in_groups": [0]}),
    Denial("creating groups does not delete them", REMOVE_GROUP, "can_delete_groups", {"can_create_groups": True}),
    # 10: no grant widens itself
    Denial(
        "a new group with an action",
        ADD_GROUP_WITH_ACTION,
        "manage_ipfs_ids_in_groups",
        {"can_create_groups": True, "manage_ipfs_ids_in_groups": ["$group"]},
    ),
    Denial(
        "a new group with a wallet",
        ADD_GROUP_WITH_WALLET,
        "add_pkp_to_groups",
        {"can_create_groups": True, "add_pkp_to_groups": ["$group"]},
    ),
    Denial(
        "a new group with a wallet nobody has",
        ADD_GROUP_WITH_NO_WALLET,
        "add_pkp_to_groups",
        {"can_create_groups": True},
    ),
    Denial(
        "the action wildcard",
        ADD_GROUP_WITH_ANY_ACTION,
        "account_key",
        {"can_create_groups": True, "manage_ipfs_ids_in_groups": [0]},
    ),
    Denial(
        "the wallet wildcard",
        ADD_GROUP_WITH_ANY_WALLET,
        "account_key",
        {"can_create_groups": True, "add_pkp_to_groups": [0]},
    ),
    Denial(
        "the master wallet in a new group",
        ADD_GROUP_WITH_MASTER,
        "account_key",
        {"can_create_groups": True, "add_pkp_to_groups": [0]},
    ),
    Denial("the master wallet in a group", ADD_MASTER, "account_key", {"add_pkp_to_groups": [0]}),
)

NEEDS_ACCOUNT_KEY = (
    ("add_usage_api_key", {"name": "more"}),
    ("update_usage_api_key", {"usage_api_key": "$own", "name": "more", "execute_in_groups": [0]}),
    ("update_usage_api_key_metadata", {"usage_api_key": "$own", "name": "renamed"}),
    ("remove_usage_api_key", {"usage_api_key": "$own"}),
    ("add_action", {"action_ipfs_cid": "$cid", "name": "mine"}),
    ("update_action_metadata", {"hashed_cid": "$hashed", "name": "mine"}),
    ("delete_action", {"hashed_cid": "$hashed"}),
    ("update_group", {"group_id": "$group", "name": "mine", "cid_hashes_permitted": [], "pkp_ids_permitted": []}),
)

EVERY_GRANT: Mapping[str, Any] = {
    "can_create_groups": True,
    "can_delete_groups": True,
    "can_create_pkps": True,
    "manage_ipfs_ids_in_groups": [0],
    "add_pkp_to_groups": [0],
    "remove_pkp_from_groups": [0],
    "execute_in_groups": [0],
}


def filled(template: Any, values: Mapping[str, str]) -> Any:
    """The template with each `$name` replaced by its value."""
    if isinstance(template, str):
        return values.get(template, template)
    if isinstance(template, list):
        return [filled(entry, values) for entry in template]
    if isinstance(template, Mapping):
        return {name: filled(entry, values) for name, entry in template.items()}
    return template


@pytest.mark.parametrize("row", DENIALS, ids=lambda row: row.name)
def test_a_missing_grant_is_refused_by_name_and_costs_nothing(world: World, row: Denial) -> None:
    key = world.account.usage_key(**filled(row.grants, world.values))
    path, body = row.call
    before = world.account.client.get("billing/balance").ok()
    details = key.post(path, filled(body, world.values)).refused(403, "forbidden")
    assert details["missing"] == row.missing
    assert world.account.client.get("billing/balance").ok() == before


@pytest.mark.parametrize(("path", "body"), NEEDS_ACCOUNT_KEY, ids=[path for path, _ in NEEDS_ACCOUNT_KEY])
def test_a_usage_key_with_every_grant_cannot_do_what_needs_the_account_key(
    world: World, path: str, body: Mapping[str, Any]
) -> None:
    key = world.account.usage_key(**EVERY_GRANT)
    assert key.key is not None
    sent = filled(body, {**world.values, "$own": key.key})
    assert key.post(path, sent).refused(403, "forbidden")["missing"] == "account_key"


@pytest.mark.parametrize(("path", "body"), NEEDS_ACCOUNT_KEY, ids=[path for path, _ in NEEDS_ACCOUNT_KEY])
def test_what_is_wrong_with_a_body_comes_before_whose_key_it_is(
    world: World, path: str, body: Mapping[str, Any]
) -> None:
    sent = filled(body, {**world.values, "$own": UNKNOWN_KEY}) | {"unknown": 1}
    fields = world.account.usage_key().post(path, sent).refused(400, "bad_request")["fields"]
    assert list(fields) == ["unknown"]


def test_minting_by_get_needs_the_grant_too(world: World) -> None:
    key = world.account.usage_key()
    assert key.get("create_wallet").refused(403, "forbidden")["missing"] == "can_create_pkps"


def test_a_usage_key_cannot_list_usage_keys(world: World) -> None:
    world.account.usage_key(**EVERY_GRANT).get("list_api_keys").refused(403, "forbidden")


def test_a_key_with_every_grant_may_do_what_usage_keys_may(world: World) -> None:
    key = world.account.usage_key(**EVERY_GRANT)
    wallet = key.post("create_wallet").ok()["wallet_address"]
    contents = {"cid_hashes_permitted": [world.hashed_cid], "pkp_ids_permitted": [wallet]}
    group = key.post("add_group", {"group_name": "mine"} | contents).ok()["group_id"]
    key.post("remove_pkp_from_group", {"group_id": group, "pkp_id": wallet}).ok()
    key.post("add_pkp_to_group", {"group_id": group, "pkp_id": wallet}).ok()
    key.post("remove_action_from_group", {"group_id": group, "hashed_cid": world.hashed_cid}).ok()
    key.post("add_action_to_group", {"group_id": group, "action_ipfs_cid": world.cid}).ok()
    assert sign(key, wallet).ok()["has_error"] is False
    key.post("remove_group", {"group_id": group}).ok()


def test_the_wildcard_reaches_every_group_and_a_specific_grant_only_its_own(world: World) -> None:
    everywhere = world.account.usage_key(add_pkp_to_groups=[0], remove_pkp_from_groups=[0])
    here = world.account.usage_key(add_pkp_to_groups=[int(world.other_group)])
    everywhere.post("add_pkp_to_group", {"group_id": world.other_group, "pkp_id": world.wallet}).ok()
    everywhere.post("remove_pkp_from_group", {"group_id": world.other_group, "pkp_id": world.wallet}).ok()
    here.post("add_pkp_to_group", {"group_id": world.other_group, "pkp_id": world.wallet}).ok()
    here.post("add_pkp_to_group", {"group_id": world.group, "pkp_id": world.wallet}).refused(403, "forbidden")
    everywhere.post("remove_pkp_from_group", {"group_id": world.other_group, "pkp_id": world.wallet}).ok()


def test_a_wallet_needs_one_and_the_same_group_to_list_it_and_the_action(world: World) -> None:
    account = world.account
    only_here = account.wallet()
    apart = account.group(pkp_ids_permitted=[only_here])
    key = account.usage_key(execute_in_groups=[int(world.group), int(apart)])
    answer = sign(key, only_here).ok()
    assert answer["has_error"] is True
    assert answer["response"] is None
    assert sign(key, world.wallet).ok()["has_error"] is False


def test_execute_everywhere_runs_any_code_but_does_not_lift_the_wallet_rule(world: World) -> None:
    key = world.account.usage_key(execute_in_groups=[0])
    assert key.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).ok()["response"] == "done"
    assert sign(key, world.account.wallet()).ok()["has_error"] is True


def test_the_master_wallet_is_not_in_the_wallet_wildcard(world: World) -> None:
    account = world.account
    group = account.group(cid_hashes_permitted=[world.hashed_cid], pkp_ids_permitted=[ANY_WALLET])
    key = account.usage_key(execute_in_groups=[int(group)])
    assert sign(key, account.wallet()).ok()["has_error"] is False
    assert sign(key, account.wallet_address).ok()["has_error"] is True
    account.client.post("add_pkp_to_group", {"group_id": group, "pkp_id": "0"}).ok()
    assert sign(key, account.wallet_address).ok()["has_error"] is False


def test_another_accounts_groups_wallets_actions_and_keys_are_out_of_reach(world: World, anonymous: Client) -> None:
    stranger = new_account(anonymous)
    far_away = "18446744073709551615"
    stranger.client.post("remove_group", {"group_id": far_away}).refused(404, "not_found")
    group = stranger.group()
    stranger.client.post("add_pkp_to_group", {"group_id": group, "pkp_id": world.wallet}).refused(404, "not_found")
    stranger.client.post("delete_action", {"hashed_cid": world.hashed_cid}).refused(404, "not_found")
    victim_key = world.account.usage_key().key
    stranger.client.post("remove_usage_api_key", {"usage_api_key": victim_key}).refused(404, "not_found")
    stranger.client.post(
        "update_usage_api_key", {"usage_api_key": victim_key, "name": "mine", "execute_in_groups": [0]}
    ).refused(404, "not_found")
    assert sign(stranger.client, world.wallet).ok()["has_error"] is True
    key = stranger.usage_key(execute_in_groups=[int(world.group)])
    sign(key, world.wallet).refused(403, "forbidden")


def test_an_update_replaces_every_grant(world: World) -> None:
    key = world.account.usage_key(execute_in_groups=[int(world.group)])
    owner = world.account.client
    assert sign(key, world.wallet).ok()["has_error"] is False
    owner.post("update_usage_api_key", {"usage_api_key": key.key, "name": "reset"}).ok()
    assert sign(key, world.wallet).refused(403, "forbidden")["missing"] == "execute_in_groups"
    granted = {"usage_api_key": key.key, "name": "again", "execute_in_groups": [world.group]}
    owner.post("update_usage_api_key", granted).ok()
    assert sign(key, world.wallet).ok()["has_error"] is False
    owner.post("update_usage_api_key_metadata", {"usage_api_key": key.key, "name": "renamed"}).ok()
    assert sign(key, world.wallet).ok()["has_error"] is False


def test_a_removed_key_is_nobody(world: World) -> None:
    key = world.account.usage_key(execute_in_groups=[0])
    world.account.client.post("remove_usage_api_key", {"usage_api_key": key.key}).ok()
    sign(key, world.wallet).refused(401, "unauthorized")
    key.get("list_wallets").refused(401, "unauthorized")
    assert key.get("account_exists").ok() is False
    world.account.client.post("remove_usage_api_key", {"usage_api_key": key.key}).refused(404, "not_found")


def test_removing_the_action_the_wallet_or_the_group_takes_the_right_away(world: World) -> None:
    account = world.account
    for taken in ("remove_action_from_group", "remove_pkp_from_group", "remove_group"):
        contents = {"cid_hashes_permitted": [world.hashed_cid], "pkp_ids_permitted": [world.wallet]}
        group = account.group(**contents)
        key = account.usage_key(execute_in_groups=[int(group)])
        assert sign(key, world.wallet).ok()["has_error"] is False
        body = {"group_id": group}
        body |= {"hashed_cid": world.hashed_cid} if taken == "remove_action_from_group" else {}
        body |= {"pkp_id": world.wallet} if taken == "remove_pkp_from_group" else {}
        account.client.post(taken, body).ok()
        answer = sign(key, world.wallet)
        if taken == "remove_pkp_from_group":
            assert answer.ok()["has_error"] is True
        else:
            answer.refused(403, "forbidden")


@pytest.mark.exhaustive
def test_an_expired_key_is_nobody(world: World) -> None:
    expiration = int(time.time()) + 6
    key = world.account.usage_key(execute_in_groups=[0], expiration=expiration)
    deadline = time.monotonic() + 60
    while (answer := key.get("list_wallets")).status == 200:
        assert time.monotonic() < deadline, "the key never expired"
    answer.refused(401, "unauthorized")
    sign(key, world.wallet).refused(401, "unauthorized")
