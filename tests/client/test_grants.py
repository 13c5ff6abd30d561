"""Grants of usage keys as keyword arguments: what they become in the request, and what is refused with words."""

from itertools import count
from typing import Any

import pytest

from svc_client import Client, InvalidArgument, models
from svc_client.grants import GroupId, WalletId, address_of, grants_body, group_id
from svc_client.statements import Sums

LISTED = models.Group(id="7", name="", description="", pkp_ids_permitted=(), cid_hashes_permitted=())
BODIES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("nothing", {}, {}),
    ("ids of every form", {"execute_in": [1, "2", LISTED]}, {"execute_in_groups": [1, "2", "7"]}),
    ("every group", {"manage_actions_in": (0,)}, {"manage_ipfs_ids_in_groups": [0]}),
    (
        "wallets in and out",
        {"add_wallets_in": [1], "remove_wallets_in": []},
        {"add_pkp_to_groups": [1], "remove_pkp_from_groups": []},
    ),
    ("flags", {"create_wallets": True, "create_groups": False}, {"can_create_pkps": True, "can_create_groups": False}),
    ("limits", {"expires": 1, "cap_cents": 500}, {"expiration": 1, "balance": 500}),
    ("no limits, said", {"expires": None, "cap_cents": None}, {"expiration": 0, "balance": 0}),
]
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("a name that is none", {"expire": 3}, "expire is no grant.*expires"),
    ("the API's own name", {"execute_in_groups": [1]}, "execute_in_groups is no grant.*execute_in"),
    ("no cap by 0", {"cap_cents": 0}, "above 0, or None for no limit"),
    ("a cap below 0", {"cap_cents": -1}, "above 0"),
    ("half a cent", {"cap_cents": 0.5}, "whole number"),
    ("true for a number", {"cap_cents": True}, "whole number"),
    ("never by 0", {"expires": 0}, "above 0, or None for no limit"),
    ("an expiry in milliseconds", {"expires": 1_800_000_000_000}, "more than 100 years ahead.*Milliseconds"),
    ("a date as a text", {"expires": "2026-01-01"}, "whole number"),
    ("a group and no list", {"execute_in": 1}, r"a list of groups.*execute_in=\[group\]"),
    ("a text, which is a sequence", {"execute_in": "12"}, "a list of groups"),
    ("a list of something else", {"execute_in": [1.5]}, "a list of groups"),
    ("true for a group", {"execute_in": [True]}, "a list of groups"),
    ("a number for a flag", {"create_groups": 1}, "True or False"),
]


@pytest.mark.parametrize(("grants", "body"), [each[1:] for each in BODIES], ids=[each[0] for each in BODIES])
def test_grants_become_the_request(grants: dict[str, Any], body: dict[str, Any]) -> None:
    assert grants_body(grants) == body


@pytest.mark.parametrize(("grants", "says"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_what_is_no_grant_is_refused_before_anything_is_sent(grants: dict[str, Any], says: str) -> None:
    with Client("https://localhost:1", "key", app_id="0x" + "00" * 20) as svc:
        with pytest.raises(InvalidArgument, match=says):
            svc.usage_keys.create("a", **grants)
        with pytest.raises(InvalidArgument, match=says):
            svc.usage_keys.update("0x", "a", **grants)


@pytest.mark.parametrize(("group", "said"), [(3, 3), ("3", "3"), (LISTED, "7")])
def test_a_group_is_named_by_its_id_or_itself(group: GroupId, said: int | str) -> None:
    assert group_id(group) == said


@pytest.mark.parametrize(
    "wallet",
    [
        "0xAb",
        models.NewWallet(success=True, wallet_address="0xAb"),
        models.Wallet(id="1", pkp_id="0xAb", wallet_address="0xAb", name="", description=""),
    ],
)
def test_a_wallet_is_named_by_its_address_or_itself(wallet: WalletId) -> None:
    assert address_of(wallet) == "0xAb"


IDS = count()


def charge(cents: int, key: str | None = None, cid: str | None = "Qm", operation: str | None = None) -> models.Usage:
    return models.Usage(
        id=str(next(IDS)),
        time="2026-01-01T00:00:00Z",
        service="write" if operation else "execution",
        charged_cents=cents,
        api_key_hash=key,
        action_ipfs_cid=None if operation else cid,
        operation=operation,
        duration_ms=None if operation else 250,
        request_id=None,
    )


def test_a_statement_sums_by_key_and_by_what_was_done() -> None:
    sums = Sums()
    repeated = charge(2)
    charges = (charge(1), repeated, charge(1, key="0xa"), charge(3, operation="addGroup"), charge(1, cid="Qn"))
    for each in (*charges, repeated):
        sums.add(each)
    statement = sums.statement("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
    assert statement.charged_cents == 8
    assert [
        (line.service, line.item, line.api_key_hash, line.charges, line.duration_ms, line.charged_cents)
        for line in statement.lines
    ] == [
        ("execution", "Qm", None, 2, 500, 3),
        ("write", "addGroup", None, 1, 0, 3),
        ("execution", "Qm", "0xa", 1, 250, 1),
        ("execution", "Qn", None, 1, 250, 1),
    ]


def test_a_period_without_charges_costs_nothing() -> None:
    statement = Sums().statement("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
    assert (statement.charged_cents, statement.lines) == (0, ())
