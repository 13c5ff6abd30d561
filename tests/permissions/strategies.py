"""Callers, grants and groups as hypothesis draws them: few ids, so that they meet."""

import dataclasses
from collections.abc import Iterable

from hypothesis import strategies as st

from node.permissions.grants import Caller, DecidingGroups, Grants
from tests.permissions.truth_table import GroupContents, may_execute, may_use_wallet

ZERO = "0x" + "00" * 20
MASTER = "0x" + "11" * 20
WALLETS = (ZERO, MASTER, "0x" + "22" * 20, "0x" + "33" * 20)
ACTIONS = (0, 7, 8, 9)
GROUP_IDS = (1, 2, 3)
LISTS = ("manage_ipfs_ids_in_groups", "add_pkp_to_groups", "remove_pkp_from_groups", "execute_in_groups")
FLAGS = ("can_create_groups", "can_delete_groups", "can_create_pkps")

group_ids = st.sampled_from(GROUP_IDS)
wallets = st.sampled_from(WALLETS)
actions = st.sampled_from(ACTIONS)
group_lists = st.frozensets(st.sampled_from((0, *GROUP_IDS)))
grants = st.builds(Grants, **{flag: st.booleans() for flag in FLAGS}, **dict.fromkeys(LISTS, group_lists))
usage_callers = st.builds(Caller, key_hash=st.just(2), master_hash=st.just(1), managed=st.booleans(), grants=grants)
groups = st.lists(
    st.builds(GroupContents, id=group_ids, action_hashes=st.frozensets(actions), wallets=st.frozensets(wallets)),
    unique_by=lambda group: group.id,
)


def with_grants(caller: Caller, **changed: object) -> Caller:
    """The same usage key with some grants replaced."""
    assert caller.grants is not None
    return dataclasses.replace(caller, grants=dataclasses.replace(caller.grants, **changed))  # type: ignore[arg-type]


@st.composite
def weakened(draw: st.DrawFn) -> tuple[Caller, Caller]:
    """A usage key, and the same with one grant less: a flag cleared, or one entry out of one list."""
    caller = draw(usage_callers)
    assert caller.grants is not None
    name = draw(st.sampled_from(FLAGS + LISTS))
    if name in FLAGS:
        return caller, with_grants(caller, **{name: False})
    listed: frozenset[int] = getattr(caller.grants, name)
    gone = draw(st.sampled_from((0, *GROUP_IDS)))
    return caller, with_grants(caller, **{name: listed - {gone}})


def deciding_groups(
    caller: Caller, action: int, wallet: str | None, master_wallet: str | None, contents: Iterable[GroupContents]
) -> DecidingGroups:
    """What the contract's decidingGroups tells, by the truth table: a key granted that one group alone, asked about it."""
    if caller.grants is None:
        return DecidingGroups()
    grants, everywhere = caller.grants, 0 in caller.grants.execute_in_groups
    if everywhere and wallet is None:
        return DecidingGroups()
    granted = _lowest(caller, grants.execute_in_groups, action, wallet, master_wallet, contents)
    if everywhere or granted[0] is not None:
        return DecidingGroups(*granted)
    others = grants.manage_ipfs_ids_in_groups | grants.add_pkp_to_groups | grants.remove_pkp_from_groups
    return DecidingGroups(*granted, *_lowest(caller, others, action, wallet, master_wallet, contents))


def _lowest(
    caller: Caller,
    listed: frozenset[int],
    action: int,
    wallet: str | None,
    master_wallet: str | None,
    contents: Iterable[GroupContents],
) -> tuple[int | None, int | None]:
    running, using = set[int](), set[int]()
    for group in contents:
        alone = with_grants(caller, execute_in_groups=frozenset({group.id}))
        if group.id not in listed and 0 not in listed:
            continue
        if may_execute(alone, action, [group]) is None:
            running.add(group.id)
        if wallet is not None and may_use_wallet(alone, action, wallet, master_wallet, [group]) is None:
            using.add(group.id)
    return min(running, default=None), min(using, default=None)
