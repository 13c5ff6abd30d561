import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.permissions.grants import Caller, Denial, Grants, Missing
from tests.permissions.strategies import (
    GROUP_IDS,
    MASTER,
    WALLETS,
    ZERO,
    actions,
    groups,
    usage_callers,
    wallets,
    weakened,
    with_grants,
)
from tests.permissions.truth_table import GroupContents, may_execute, may_use_wallet

OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)
CONVERTED = Caller(key_hash=1, master_hash=1, managed=False, grants=None)
WALLET = WALLETS[2]
code = actions.filter(bool)
account_wallets = wallets.filter(lambda wallet: wallet != ZERO)


def executing_in(*group_ids: int) -> Caller:
    return Caller(2, 1, managed=True, grants=Grants(execute_in_groups=frozenset(group_ids)))


def group(number: int, hashes: tuple[int, ...], addresses: tuple[str, ...]) -> GroupContents:
    return GroupContents(number, frozenset(hashes), frozenset(addresses))


@pytest.mark.parametrize(
    ("caller", "contents", "runs", "uses"),
    [
        (OWNER, [], True, True),
        (CONVERTED, [group(1, (7,), (WALLET,))], False, False),
        (executing_in(), [group(1, (7,), (WALLET,))], False, False),
        (executing_in(1), [], False, False),
        (executing_in(1), [group(1, (), ())], False, False),
        (executing_in(1), [group(1, (7,), ())], True, False),
        (executing_in(1), [group(1, (0,), ())], True, False),
        (executing_in(1), [group(1, (7,), (WALLET,))], True, True),
        (executing_in(1), [group(1, (0,), (WALLET,))], True, True),
        (executing_in(1), [group(1, (7,), (ZERO,))], True, True),
        (executing_in(1), [group(1, (0,), (ZERO,))], True, True),
        (executing_in(1), [group(2, (7,), (WALLET,))], False, False),
        (executing_in(1), [group(1, (8,), (WALLET,))], False, False),
        (executing_in(1, 2), [group(1, (7,), ()), group(2, (), (WALLET,))], True, False),
        (executing_in(1, 2), [group(1, (7,), ()), group(2, (0,), (WALLET,))], True, True),
        (executing_in(1), [group(1, (7,), ()), group(2, (7,), (WALLET,))], True, False),
        (executing_in(0), [], True, False),
        (executing_in(0), [group(3, (7,), (WALLET,))], True, True),
        (executing_in(0), [group(1, (7,), ()), group(2, (), (WALLET,))], True, False),
    ],
)
def test_the_truth_table(caller: Caller, contents: list[GroupContents], runs: bool, uses: bool) -> None:
    assert (may_execute(caller, 7, contents) is None) is runs
    assert (may_use_wallet(caller, 7, WALLET, MASTER, contents) is None) is uses


@given(weakened(), code, account_wallets, groups)
def test_taking_a_grant_away_never_allows_more(
    callers: tuple[Caller, Caller], action: int, wallet: str, contents: list[GroupContents]
) -> None:
    stronger, weaker = callers
    assert may_execute(weaker, action, contents) is not None or may_execute(stronger, action, contents) is None
    used = may_use_wallet(weaker, action, wallet, MASTER, contents)
    assert used is not None or may_use_wallet(stronger, action, wallet, MASTER, contents) is None


@given(usage_callers, code, account_wallets, groups)
def test_who_may_use_a_wallet_in_an_action_may_run_it(
    caller: Caller, action: int, wallet: str, contents: list[GroupContents]
) -> None:
    if may_use_wallet(caller, action, wallet, MASTER, contents) is None:
        assert may_execute(caller, action, contents) is None


@given(usage_callers, code, account_wallets, groups)
def test_for_wallets_the_wildcard_is_every_group_and_nothing_more(
    caller: Caller, action: int, wallet: str, contents: list[GroupContents]
) -> None:
    everywhere = with_grants(caller, execute_in_groups=frozenset({0}))
    listed = with_grants(caller, execute_in_groups=frozenset(GROUP_IDS))
    with_wildcard = may_use_wallet(everywhere, action, wallet, MASTER, contents)
    assert (with_wildcard is None) is (may_use_wallet(listed, action, wallet, MASTER, contents) is None)
    assert may_execute(everywhere, action, contents) is None


@given(usage_callers, code, groups)
def test_the_master_wallet_is_used_only_where_it_is_listed(
    caller: Caller, action: int, contents: list[GroupContents]
) -> None:
    unlisted = [GroupContents(each.id, each.action_hashes, each.wallets - {MASTER}) for each in contents]
    assert may_use_wallet(caller, action, MASTER, MASTER, unlisted) is not None


@given(usage_callers, code, groups)
def test_the_wildcard_address_is_no_wallet(caller: Caller, action: int, contents: list[GroupContents]) -> None:
    assert may_use_wallet(caller, action, ZERO, MASTER, contents) is not None


@given(usage_callers, code, account_wallets, groups, st.data())
def test_taking_anything_out_of_a_group_never_allows_more(
    caller: Caller, action: int, wallet: str, contents: list[GroupContents], data: st.DataObject
) -> None:
    without = [
        GroupContents(
            each.id,
            each.action_hashes - {data.draw(actions)},
            each.wallets - {data.draw(wallets)},
        )
        for each in contents
    ]
    if may_execute(caller, action, without) is None:
        assert may_execute(caller, action, contents) is None
    if may_use_wallet(caller, action, wallet, MASTER, without) is None:
        assert may_use_wallet(caller, action, wallet, MASTER, contents) is None


def test_the_denials_say_what_is_missing() -> None:
    assert may_execute(executing_in(1), 7, []) == Denial(Missing.EXECUTE_IN_GROUPS)
    assert may_use_wallet(executing_in(), 7, WALLET, MASTER, []) == Denial(Missing.EXECUTE_IN_GROUPS)
    assert may_use_wallet(executing_in(1), 7, WALLET, MASTER, []) == Denial(Missing.EXECUTE_IN_GROUPS)
    assert may_use_wallet(executing_in(0), 7, WALLET, MASTER, []) == Denial(Missing.WALLET_IN_GROUP)
    assert may_execute(CONVERTED, 7, []) == Denial(Missing.ADMIN_WALLET)
