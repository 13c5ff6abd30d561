from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.permissions import grants
from node.permissions.grants import (
    Caller,
    Denial,
    Grants,
    Missing,
    account_key_only,
    may_add_action_to_group,
    may_add_pkp_to_group,
    may_create_group,
    may_create_pkp,
    may_delete_group,
    may_remove_action_from_group,
    may_remove_pkp_from_group,
)
from node.values import ALL_GROUPS, ANY_ACTION, ZERO_ADDRESS
from tests.permissions.strategies import (
    ACTIONS,
    FLAGS,
    GROUP_IDS,
    LISTS,
    MASTER,
    WALLETS,
    ZERO,
    actions,
    group_ids,
    usage_callers,
    wallets,
    weakened,
    with_grants,
)

Rule = Callable[[Caller], Denial | None]

OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)
CONVERTED = Caller(key_hash=1, master_hash=1, managed=False, grants=None)
EVERYTHING = Grants(
    can_create_groups=True,
    can_delete_groups=True,
    can_create_pkps=True,
    manage_ipfs_ids_in_groups=frozenset({0}),
    add_pkp_to_groups=frozenset({0}),
    remove_pkp_from_groups=frozenset({0}),
    execute_in_groups=frozenset({0}),
)


def usage_key(**granted: object) -> Caller:
    return Caller(key_hash=2, master_hash=1, managed=True, grants=Grants(**granted))  # type: ignore[arg-type]


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Any administrative write on any target."""
    group, action, wallet = draw(group_ids), draw(actions), draw(wallets)
    some_actions, some_wallets = draw(st.frozensets(actions)), draw(st.frozensets(wallets))
    choices: list[Rule] = [
        account_key_only,
        may_create_pkp,
        may_delete_group,
        lambda caller: may_create_group(caller, some_actions, some_wallets, MASTER),
        lambda caller: may_add_pkp_to_group(caller, group, wallet, MASTER),
        lambda caller: may_remove_pkp_from_group(caller, group),
        lambda caller: may_add_action_to_group(caller, group, action),
        lambda caller: may_remove_action_from_group(caller, group),
    ]
    return draw(st.sampled_from(choices))


@given(weakened(), rules())
def test_taking_a_grant_away_never_allows_more(callers: tuple[Caller, Caller], rule: Rule) -> None:
    stronger, weaker = callers
    assert rule(weaker) is not None or rule(stronger) is None


@given(rules())
def test_the_account_key_of_a_managed_account_may_do_everything(rule: Rule) -> None:
    assert rule(OWNER) is None


@given(usage_callers, rules())
def test_nobody_administers_an_unmanaged_account(caller: Caller, rule: Rule) -> None:
    assert rule(CONVERTED) == Denial(Missing.ADMIN_WALLET)
    unmanaged = Caller(caller.key_hash, caller.master_hash, managed=False, grants=caller.grants)
    assert rule(unmanaged) == Denial(Missing.ADMIN_WALLET)


@given(usage_callers)
def test_no_grant_reaches_what_needs_the_account_key(caller: Caller) -> None:
    assert account_key_only(caller) is not None


@given(usage_callers, st.frozensets(actions), st.frozensets(wallets), group_ids, wallets, actions)
def test_wildcards_and_the_master_wallet_enter_by_the_account_key_alone(
    caller: Caller, hashes: frozenset[int], addresses: frozenset[str], group: int, wallet: str, action: int
) -> None:
    if 0 in hashes or ZERO in addresses or MASTER in addresses:
        assert may_create_group(caller, hashes, addresses, MASTER) is not None
    if wallet in (ZERO, MASTER):
        assert may_add_pkp_to_group(caller, group, wallet, MASTER) is not None
    if action == 0:
        assert may_add_action_to_group(caller, group, action) is not None


@given(usage_callers, rules())
def test_the_wildcard_equals_every_group_but_for_new_groups(caller: Caller, rule: Rule) -> None:
    for name in LISTS:
        everywhere = with_grants(caller, **{name: frozenset({0})})
        listed = with_grants(caller, **{name: frozenset(GROUP_IDS)})
        assert rule(everywhere) is None or rule(listed) is not None
        both = with_grants(caller, **{name: frozenset({0, *GROUP_IDS})})
        assert rule(both) == rule(everywhere)


@pytest.mark.parametrize("group", GROUP_IDS)
@pytest.mark.parametrize("name", LISTS[:3])
def test_in_a_group_that_is_there_listing_it_and_the_wildcard_are_the_same(name: str, group: int) -> None:
    checks: dict[str, list[Rule]] = {
        "manage_ipfs_ids_in_groups": [
            lambda caller: may_add_action_to_group(caller, group, 7),
            lambda caller: may_remove_action_from_group(caller, group),
        ],
        "add_pkp_to_groups": [lambda caller: may_add_pkp_to_group(caller, group, WALLETS[2], MASTER)],
        "remove_pkp_from_groups": [lambda caller: may_remove_pkp_from_group(caller, group)],
    }
    for rule in checks[name]:
        assert rule(usage_key(**{name: frozenset({0})})) is None
        assert rule(usage_key(**{name: frozenset({group})})) is None
        assert rule(usage_key(**{name: frozenset(GROUP_IDS) - {group}})) == Denial(Missing(name), group)
        other = {list_name: frozenset({0}) for list_name in LISTS if list_name != name}
        assert rule(usage_key(**other, **dict.fromkeys(FLAGS, True))) == Denial(Missing(name), group)


@pytest.mark.parametrize(
    ("caller", "hashes", "addresses", "expected"),
    [
        (usage_key(), (), (), Denial(Missing.CAN_CREATE_GROUPS)),
        (usage_key(can_create_groups=True), (), (), None),
        (usage_key(can_create_groups=True), (7,), (), Denial(Missing.MANAGE_IPFS_IDS_IN_GROUPS, 0)),
        (usage_key(can_create_groups=True), (), (WALLETS[2],), Denial(Missing.ADD_PKP_TO_GROUPS, 0)),
        (usage_key(can_create_groups=True), (), (None,), Denial(Missing.ADD_PKP_TO_GROUPS, 0)),
        (
            usage_key(can_create_groups=True, manage_ipfs_ids_in_groups=frozenset(GROUP_IDS)),
            (7,),
            (),
            Denial(Missing.MANAGE_IPFS_IDS_IN_GROUPS, 0),
        ),
        (usage_key(can_create_groups=True, add_pkp_to_groups=frozenset({0})), (), (WALLETS[2],), None),
        (Caller(2, 1, managed=True, grants=EVERYTHING), (7, 8), WALLETS[2:], None),
        (Caller(2, 1, managed=True, grants=EVERYTHING), (0,), (), Denial(Missing.ACCOUNT_KEY)),
        (Caller(2, 1, managed=True, grants=EVERYTHING), (), (ZERO,), Denial(Missing.ACCOUNT_KEY)),
        (Caller(2, 1, managed=True, grants=EVERYTHING), (), (MASTER,), Denial(Missing.ACCOUNT_KEY)),
    ],
)
def test_contents_of_a_new_group_need_the_grant_for_all_groups(
    caller: Caller, hashes: tuple[int, ...], addresses: tuple[str | None, ...], expected: Denial | None
) -> None:
    assert may_create_group(caller, hashes, addresses, MASTER) == expected


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_grants_its_own_write_alone(flag: str) -> None:
    rules_by_flag: dict[str, Rule] = {
        "can_create_groups": lambda caller: may_create_group(caller, (), (), MASTER),
        "can_delete_groups": may_delete_group,
        "can_create_pkps": may_create_pkp,
    }
    for name, rule in rules_by_flag.items():
        assert rule(usage_key(**{flag: True})) == (None if name == flag else Denial(Missing(name)))


def test_a_wallet_nobody_has_is_no_matter_of_permission_even_without_a_master_wallet() -> None:
    assert may_add_pkp_to_group(usage_key(add_pkp_to_groups=frozenset({1})), 1, None, None) is None


def test_the_wildcards_are_those_of_the_whole_node() -> None:
    assert (grants.EVERY_GROUP, grants.EVERY_ACTION) == (ALL_GROUPS, ANY_ACTION)
    assert grants.EVERY_WALLET == ZERO_ADDRESS
    assert 0 in ACTIONS
