"""What a caller is told of a decision: pure rules, and the same words wherever a refusal is spoken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.permissions.grants import (
    Allowed,
    Caller,
    Decided,
    DecidingGroups,
    Denial,
    Grants,
    Missing,
    reason,
    visible_group,
    what_is_missing,
)
from tests.permissions.strategies import (
    MASTER,
    ZERO,
    actions,
    deciding_groups,
    group_ids,
    groups,
    usage_callers,
    wallets,
    with_grants,
)
from tests.permissions.truth_table import GroupContents, may_execute, may_use_wallet

OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)
CONVERTED = Caller(key_hash=1, master_hash=1, managed=False, grants=None)
NO_GROUPS = DecidingGroups()
code = actions.filter(bool)
account_wallets = wallets.filter(lambda wallet: wallet != ZERO)


def decided(caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]) -> Decided:
    """As the contract decides: the truth table."""
    may_use = None if wallet is None else may_use_wallet(caller, action, wallet, MASTER, contents) is None
    return Decided(caller.is_account_key, caller.managed, may_execute(caller, action, contents) is None, may_use)


def told(caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]) -> Allowed | Denial:
    found = deciding_groups(caller, action, wallet, MASTER, contents)
    return reason(caller, decided(caller, action, wallet, contents), found)


@given(usage_callers, code, st.none() | account_wallets, groups)
def test_the_decision_is_the_truth_tables(
    caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]
) -> None:
    verdict = told(caller, action, wallet, contents)
    runs = may_execute(caller, action, contents)
    denied = runs if wallet is None else may_use_wallet(caller, action, wallet, MASTER, contents)
    assert isinstance(verdict, Denial) is (denied is not None)
    if isinstance(verdict, Denial) and denied is not None:
        assert verdict.missing is denied.missing


@given(usage_callers, code, st.none() | account_wallets, groups)
def test_the_group_of_a_yes_is_enough_by_itself(
    caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]
) -> None:
    verdict = told(caller, action, wallet, contents)
    if isinstance(verdict, Allowed):
        assert verdict.group is not None
        alone = with_grants(caller, execute_in_groups=frozenset({verdict.group}))
        kept = [group for group in contents if group.id == verdict.group]
        assert isinstance(told(alone, action, wallet, kept), Allowed)


@given(usage_callers, code, st.none() | account_wallets, groups)
def test_adding_what_is_missing_where_it_is_missing_turns_the_decision(
    caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]
) -> None:
    match told(caller, action, wallet, contents):
        case Denial(Missing.EXECUTE_IN_GROUPS, int() as group):
            assert caller.grants is not None
            more = with_grants(caller, execute_in_groups=caller.grants.execute_in_groups | {group})
            assert isinstance(told(more, action, None, contents), Allowed)
        case Denial(Missing.WALLET_IN_GROUP, int() as group):
            assert wallet is not None
            fuller = [
                GroupContents(each.id, each.action_hashes, each.wallets | {wallet}) if each.id == group else each
                for each in contents
            ]
            assert told(caller, action, wallet, fuller) == Allowed(group)
        case Denial(missing, None):
            assert missing in {Missing.EXECUTE_IN_GROUPS, Missing.WALLET_IN_GROUP}


@given(usage_callers, code, st.none() | account_wallets, groups)
def test_a_usage_key_may_be_told_every_group_it_is_told(
    caller: Caller, action: int, wallet: str | None, contents: list[GroupContents]
) -> None:
    """No group outside its own lists is even looked at: nothing has to be held back."""
    verdict = told(caller, action, wallet, contents)
    if isinstance(verdict, Denial):
        assert visible_group(caller, verdict) == verdict.group


@given(group_ids)
def test_an_unlisted_group_is_held_back_all_the_same(group: int) -> None:
    stranger = Caller(2, 1, managed=True, grants=Grants(execute_in_groups=frozenset({9})))
    verdict = reason(stranger, Decided(False, True, False), DecidingGroups(known=group))
    assert verdict == Denial(Missing.EXECUTE_IN_GROUPS, group)
    assert visible_group(stranger, verdict) is None


@pytest.mark.parametrize("may_use_wallet", [None, True])
def test_the_account_key_needs_no_group(may_use_wallet: bool | None) -> None:
    assert reason(OWNER, Decided(True, True, True, may_use_wallet), NO_GROUPS) == Allowed(None)


def test_nobody_is_the_owner_of_a_converted_account() -> None:
    decision = Decided(True, False, False, False)
    assert what_is_missing(decision) is Missing.ADMIN_WALLET
    assert reason(CONVERTED, decision, NO_GROUPS) == Denial(Missing.ADMIN_WALLET)


@given(st.booleans(), st.booleans(), st.none() | st.booleans())
def test_a_usage_key_never_lacks_what_only_an_owner_has(
    managed: bool, may_execute: bool, may_use_wallet: bool | None
) -> None:
    missing = what_is_missing(Decided(False, managed, may_execute, may_use_wallet))
    assert missing in {None, Missing.EXECUTE_IN_GROUPS, Missing.WALLET_IN_GROUP}
    assert (missing is None) is (may_execute and may_use_wallet is not False)
