"""The dashboard says of a key what the node and its contract decide."""

from pathlib import Path
from random import Random

from node.permissions.grants import Allowed, Caller, Decided, Denial, Grants, reason
from node.values import u256_hex
from tests.permissions.strategies import ACTIONS, GROUP_IDS, MASTER, WALLETS, ZERO, deciding_groups
from tests.permissions.truth_table import GroupContents, may_execute, may_use_wallet
from tests.support.javascript import ran_javascript

ACCOUNTS = 150
STRANGER = "0x" + "44" * 20
DECIDE = """
import { decide } from "./permissions.mjs";
console.log(JSON.stringify(given.map(({ key, account, asked }) => asked.map(([action, wallet]) => decide(key, action, wallet, account)))));
"""
WORDS = """
import { decide, decisionText, grantPhrases, limitPhrases } from "./permissions.mjs";
const { key, account } = given;
const said = [...grantPhrases(key, account.groups), ...limitPhrases(key, 2_000_000_000)];
for (const wallet of account.wallets) said.push(decisionText(decide(key, "other", wallet.address, account), account.groups));
console.log(JSON.stringify(said));
"""


def test_it_decides_as_the_node_does(modules: Path) -> None:
    chance = Random(7)
    cases = [drawn_account(chance) for _ in range(ACCOUNTS)]
    given = [{"key": as_key(grants), "account": as_account(groups), "asked": questions()} for grants, groups in cases]
    expected = [
        [decision(grants, groups, action, wallet) for action in ASKED_ACTIONS for wallet in ASKED_WALLETS]
        for grants, groups in cases
    ]
    found = ran_javascript(DECIDE, given, modules)
    assert found == expected
    outcomes = [(each["allowed"], each["missing"], each["group"] is None) for case in expected for each in case]
    assert len(set(outcomes)) == 5, "every outcome must be among the cases"


def test_wildcards_are_spelled_out_and_a_removed_group_is_named(modules: Path) -> None:
    key = as_key(Grants(execute_in_groups=frozenset({0}), add_pkp_to_groups=frozenset({9}), can_create_pkps=True))
    account = as_account([GroupContents(1, frozenset({0}), frozenset({ZERO}))])
    limits = {"expires": 1_000_000_000, "capCents": 1_250}
    *phrases, expiry, cap, master, second, third = ran_javascript(
        WORDS, {"key": key | limits, "account": account}, modules
    )
    assert phrases == [
        "run any code, with the wallets of any group that lists both",
        "add wallets to group 9 (removed)",
        "create wallets",
    ]
    assert expiry.startswith("expired ")
    assert "2001" in expiry
    assert cap == "cap $12.50"
    assert master == (
        "Refused: no group that the key runs lists this action and this wallet together. Add the wallet to the group one."
    )
    assert (second, third) == ("Allowed through the group one.",) * 2


# Code that no list names decides like the hash of unregistered code.
ASKED_ACTIONS = (*(action for action in ACTIONS if action), 99)
ASKED_WALLETS = (None, *(wallet for wallet in WALLETS if wallet != ZERO), STRANGER)


def drawn_account(chance: Random) -> tuple[Grants, list[GroupContents]]:
    """The grants of a key, and the groups of its account."""

    def some(values: tuple[int, ...] | tuple[str, ...]) -> frozenset[object]:
        return frozenset(value for value in values if chance.random() < 0.3)

    groups = [GroupContents(each, some(ACTIONS), some(WALLETS)) for each in GROUP_IDS if chance.random() < 0.8]  # type: ignore[arg-type]
    chance.shuffle(groups)
    lists = [some((0, *GROUP_IDS)) for _ in range(4)]
    return Grants(False, False, False, *lists), groups  # type: ignore[arg-type]


def decision(grants: Grants, groups: list[GroupContents], action: int, wallet: str | None) -> dict[str, object]:
    """The node's decision, as the dashboard writes it."""
    caller = Caller(key_hash=2, master_hash=1, managed=True, grants=grants)
    # A wallet that the account does not have is asked about as the zero address is, which no group lists.
    named = ZERO if wallet == STRANGER else wallet
    may_use = None if named is None else may_use_wallet(caller, action, named, MASTER, groups) is None
    decided = Decided(False, True, may_execute(caller, action, groups) is None, may_use)
    found = reason(caller, decided, deciding_groups(caller, action, named, MASTER, groups))
    missing = found.missing.value if isinstance(found, Denial) else None
    group = None if found.group is None else str(found.group)
    return {"allowed": isinstance(found, Allowed), "missing": missing, "group": group}


def questions() -> list[list[str | None]]:
    """Every action with every wallet."""
    return [["other" if each == 99 else u256_hex(each), wallet] for each in ASKED_ACTIONS for wallet in ASKED_WALLETS]


def as_key(grants: Grants) -> dict[str, object]:
    """A usage key as the dashboard's account lists it."""
    return {
        "executeIn": texts(grants.execute_in_groups),
        "manageActionsIn": texts(grants.manage_ipfs_ids_in_groups),
        "addWalletsIn": texts(grants.add_pkp_to_groups),
        "removeWalletsFrom": texts(grants.remove_pkp_from_groups),
        "createWallets": grants.can_create_pkps,
        "createGroups": grants.can_create_groups,
        "deleteGroups": grants.can_delete_groups,
    }


def as_account(groups: list[GroupContents]) -> dict[str, object]:
    """Groups and wallets as the dashboard's account lists them."""
    names = {1: "one", 2: "two", 3: "three"}
    listed = [
        {
            "id": str(each.id),
            "name": names[each.id],
            "actions": [u256_hex(action) for action in sorted(each.action_hashes)],
            "wallets": sorted(each.wallets),
        }
        for each in groups
    ]
    addresses = [MASTER, *(wallet for wallet in WALLETS if wallet not in (ZERO, MASTER))]
    return {"groups": listed, "wallets": [{"id": str(n), "address": each} for n, each in enumerate(addresses)]}


def texts(groups: frozenset[int]) -> list[str]:
    """Group ids as the API lists them."""
    return [str(group) for group in sorted(groups)]
