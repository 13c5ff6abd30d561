"""A stored answer is shown again to who may still make the call, and to nobody else."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, Account, new_account
from tests.support.client import Answer, Client

UNLISTED_CODE = "function main() { return 'never registered'; }"


@dataclass(frozen=True)
class World:
    """An account with an action and a wallet in `group`; `other` is empty."""

    account: Account
    values: Mapping[str, str]


@pytest.fixture
def world(anonymous: Client) -> World:
    account = new_account(anonymous)
    cid, hashed = account.action(SIGNING_CODE)
    unlisted = account.client.post("get_svc_action_ipfs_id", UNLISTED_CODE).ok()
    wallet, late = account.wallet(), account.wallet()
    group = account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet])
    values = {"$cid": cid, "$hashed": hashed, "$wallet": wallet, "$late": late, "$group": group}
    return World(account, {**values, "$other": account.group(), "$unlisted": unlisted})


def filled(given: Any, values: Mapping[str, str]) -> Any:
    if isinstance(given, dict):
        return {name: filled(each, values) for name, each in given.items()}
    if isinstance(given, list):
        return [filled(each, values) for each in given]
    return values.get(given, given) if isinstance(given, str) else given


def replayed(answer: Answer) -> bool:
    return answer.headers.get("Idempotency-Replayed") == "true"


RUN = {"code": SIGNING_CODE, "js_params": {"wallet": "$wallet", "text": "hello"}}
ROWS: dict[str, tuple[Mapping[str, Any], Any, Mapping[str, Any], str]] = {
    "add_group": ({"can_create_groups": True}, {"group_name": "mine"}, {}, "can_create_groups"),
    "remove_group": ({"can_delete_groups": True}, {"group_id": "$other"}, {}, "can_delete_groups"),
    "create_wallet": ({"can_create_pkps": True}, {}, {}, "can_create_pkps"),
    "add_pkp_to_group": (
        {"add_pkp_to_groups": ["$group"]},
        {"group_id": "$group", "pkp_id": "$late"},
        {"add_pkp_to_groups": ["$other"]},
        "add_pkp_to_groups",
    ),
    "remove_pkp_from_group": (
        {"remove_pkp_from_groups": ["$group"]},
        {"group_id": "$group", "pkp_id": "$wallet"},
        {"remove_pkp_from_groups": ["$other"]},
        "remove_pkp_from_groups",
    ),
    "add_action_to_group": (
        {"manage_ipfs_ids_in_groups": ["0"]},
        {"group_id": "$group", "action_ipfs_cid": "$unlisted"},
        {"manage_ipfs_ids_in_groups": ["$other"]},
        "manage_ipfs_ids_in_groups",
    ),
    "remove_action_from_group": (
        {"manage_ipfs_ids_in_groups": ["$group"]},
        {"group_id": "$group", "hashed_cid": "$hashed"},
        {"manage_ipfs_ids_in_groups": ["$other"]},
        "manage_ipfs_ids_in_groups",
    ),
    "svc_action": (
        {"execute_in_groups": ["$group"]},
        RUN,
        {"execute_in_groups": ["$other"]},
        "execute_in_groups",
    ),
}
"""By endpoint: what the key is granted, the request, what is left of the grants afterwards, and what is missing then."""


@pytest.mark.parametrize("path", ROWS)
def test_who_lost_the_permission_is_refused_and_who_has_it_back_is_answered(world: World, path: str) -> None:
    grants, body, left, missing = (filled(each, world.values) for each in ROWS[path])
    owner, key = world.account.client, str(uuid.uuid4())
    made = owner.post("add_usage_api_key", {"name": "k", **grants}).ok()["usage_api_key"]
    usage = owner.with_key(made)
    first = usage.post(path, body, Idempotency_Key=key)
    assert usage.post(path, body, Idempotency_Key=key).ok() == first.ok()
    owner.post("update_usage_api_key", {"usage_api_key": made, "name": "k", **left}).ok()
    details = usage.post(path, body, Idempotency_Key=key).refused(403, "forbidden")
    assert details["missing"] == missing
    owner.post("update_usage_api_key", {"usage_api_key": made, "name": "k", **grants}).ok()
    again = usage.post(path, body, Idempotency_Key=key)
    assert (again.ok(), replayed(again)) == (first.ok(), True), "its own subject may be gone"


@pytest.mark.parametrize(
    ("write", "body", "missing"),
    [
        ("remove_action_from_group", {"group_id": "$group", "hashed_cid": "$hashed"}, "execute_in_groups"),
        ("remove_pkp_from_group", {"group_id": "$group", "pkp_id": "$wallet"}, "wallet_in_group"),
        ("remove_group", {"group_id": "$group"}, "execute_in_groups"),
    ],
)
def test_a_run_is_shown_again_while_its_action_and_its_wallets_are_permitted(
    world: World, write: str, body: Any, missing: str
) -> None:
    usage, key = world.account.usage_key(execute_in_groups=[world.values["$group"]]), str(uuid.uuid4())
    run = filled(RUN, world.values)
    first = usage.post("svc_action", run, Idempotency_Key=key)
    assert not first.ok()["has_error"]
    assert usage.post("svc_action", run, Idempotency_Key=key).ok() == first.ok()
    world.account.client.post(write, filled(body, world.values)).ok()
    refused = usage.post("svc_action", run, Idempotency_Key=key)
    assert refused.refused(403, "forbidden")["missing"] == missing
    assert first.ok()["response"] not in str(refused.body)


def test_a_run_that_used_no_wallet_needs_none_to_be_shown_again(world: World) -> None:
    usage, key = world.account.usage_key(execute_in_groups=["0"]), str(uuid.uuid4())
    run = {"code": TRIVIAL_CODE}
    first = usage.post("svc_action", run, Idempotency_Key=key).ok()
    world.account.client.post("remove_group", {"group_id": world.values["$group"]}).ok()
    again = usage.post("svc_action", run, Idempotency_Key=key)
    assert (again.ok(), replayed(again)) == (first, True)


def test_a_removed_usage_key_is_shown_again_as_removed(world: World) -> None:
    owner, key = world.account.client, str(uuid.uuid4())
    made = owner.post("add_usage_api_key", {"name": "k"}).ok()["usage_api_key"]
    first = owner.post("remove_usage_api_key", {"usage_api_key": made}, Idempotency_Key=key)
    again = owner.post("remove_usage_api_key", {"usage_api_key": made}, Idempotency_Key=key)
    assert (again.ok(), replayed(again)) == (first.ok(), True)
