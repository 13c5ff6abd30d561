"""The grants of a key, and decisions that name the missing grant (spec 4).

Wallets are EIP-55 addresses. `master_wallet` is the wallet of id 0, None before it exists. The
contract enforces the same rules. These functions decide before the simulation and name the grant.
`explain`, the 403 of svc_action and a refused wallet inside an action share them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

EVERY_GROUP: Final = 0
"""Wildcard in a usage key's lists for all groups of the account, present and future."""

EVERY_ACTION: Final = 0
"""Wildcard in a group's list for any action."""

EVERY_WALLET: Final = "0x" + "00" * 20
"""Wildcard in a group's list for any wallet of the account but the master wallet."""


@dataclass(frozen=True, slots=True)
class Grants:
    """The permission fields of a usage key. EVERY_GROUP in a set stands for all groups."""

    can_create_groups: bool = False
    can_delete_groups: bool = False
    can_create_pkps: bool = False
    manage_ipfs_ids_in_groups: frozenset[int] = frozenset()
    add_pkp_to_groups: frozenset[int] = frozenset()
    remove_pkp_from_groups: frozenset[int] = frozenset()
    execute_in_groups: frozenset[int] = frozenset()

    @property
    def listed_groups(self) -> frozenset[int]:
        """Every group in any of the key's lists."""
        lists = (self.manage_ipfs_ids_in_groups, self.add_pkp_to_groups, self.remove_pkp_from_groups)
        return self.execute_in_groups.union(*lists)


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated key of a request, identified by its hash.

    `grants` is None for the account key. `cap_cents` is the usage key's lifetime spending cap, 0
    for none; `expiration` is in unix seconds, 0 for never.
    """

    key_hash: int
    master_hash: int
    managed: bool
    grants: Grants | None
    expiration: int = 0
    cap_cents: int = 0

    @property
    def is_account_key(self) -> bool:
        """Whether this is the account key itself."""
        return self.grants is None


def is_expired(expiration: int, *clocks: float) -> bool:
    """Returns whether the expiration (unix seconds, 0 for never) has passed on the latest clock.

    Where the chain decides, one clock is the block's: a slow local clock extends no key.
    """
    # The first moment of the expiration counts as expired, as in the contract.
    return 0 < expiration <= max(clocks)


class Missing(StrEnum):
    """The grant that a caller lacks; the value of `details.missing`."""

    ACCOUNT_KEY = "account_key"
    ADMIN_WALLET = "admin_wallet"
    CAN_CREATE_GROUPS = "can_create_groups"
    CAN_DELETE_GROUPS = "can_delete_groups"
    CAN_CREATE_PKPS = "can_create_pkps"
    MANAGE_IPFS_IDS_IN_GROUPS = "manage_ipfs_ids_in_groups"
    ADD_PKP_TO_GROUPS = "add_pkp_to_groups"
    REMOVE_PKP_FROM_GROUPS = "remove_pkp_from_groups"
    EXECUTE_IN_GROUPS = "execute_in_groups"
    WALLET_IN_GROUP = "wallet_in_group"


GRANT_FIX: Final = "Grant it with update_usage_api_key, which replaces all of the key's permissions by those it names, or use the account key."
"""Advice about a missing grant, used by the node's own check and for the contract's refusal."""


@dataclass(frozen=True, slots=True)
class Denial:
    """A refusal with the missing grant and its group (0 for all groups, None for no group)."""

    missing: Missing
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """A permission and its group: 0 for the grant of all groups, None for the account key."""

    group: int | None


@dataclass(frozen=True, slots=True)
class Decided:
    """The contract's decision on one execution; `may_use_wallet` is None if no wallet was named."""

    is_account_key: bool
    managed: bool
    may_execute: bool
    may_use_wallet: bool | None = None


@dataclass(frozen=True, slots=True)
class DecidingGroups:
    """The lowest id of the groups that list the action, and of those that list the wallet too.

    `granted` covers the groups in which the key may execute, `known` those of its other lists.
    `known` matters only to a denied key: `execute_in_groups` of that group would allow the action.
    """

    granted: int | None = None
    granted_with_wallet: int | None = None
    known: int | None = None
    known_with_wallet: int | None = None


def account_key_only(caller: Caller) -> Denial | None:
    """Decides on usage keys, actions and update_group, which no permission field grants."""
    # Its wallet administers a ChainSecured account on chain; the old account key must not.
    if not caller.managed:
        return Denial(Missing.ADMIN_WALLET)
    return None if caller.is_account_key else Denial(Missing.ACCOUNT_KEY)


def may_create_pkp(caller: Caller) -> Denial | None:
    """Decides on create_wallet."""
    return _with_flag(caller, Missing.CAN_CREATE_PKPS)


def may_delete_group(caller: Caller) -> Denial | None:
    """Decides on remove_group."""
    return _with_flag(caller, Missing.CAN_DELETE_GROUPS)


def may_create_group(
    caller: Caller, action_hashes: Collection[int], wallets: Collection[str | None], master_wallet: str | None
) -> Denial | None:
    """Decides on add_group. Contents need the grant for all groups, as no list has the new group.

    A wallet is None if the account does not have it; naming it needs the grant nevertheless.
    """
    # The wildcard test needs addresses; the grants are required for every named wallet.
    present = [wallet for wallet in wallets if wallet is not None]
    return (
        _with_flag(caller, Missing.CAN_CREATE_GROUPS)
        or (_in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, EVERY_GROUP) if action_hashes else None)
        or (_in_group(caller, Missing.ADD_PKP_TO_GROUPS, EVERY_GROUP) if wallets else None)
        or _only_by_account_key(caller, action_hashes, present, master_wallet, group=None)
    )


def may_add_pkp_to_group(caller: Caller, group: int, wallet: str | None, master_wallet: str | None) -> Denial | None:
    """Decides on add_pkp_to_group. Only the account key adds the wildcard or master wallet.

    `wallet` is None if the account does not have it.
    """
    wallets = () if wallet is None else (wallet,)
    return _in_group(caller, Missing.ADD_PKP_TO_GROUPS, group) or _only_by_account_key(
        caller, (), wallets, master_wallet, group
    )


def may_remove_pkp_from_group(caller: Caller, group: int) -> Denial | None:
    """Decides on remove_pkp_from_group, for any wallet since a removal never widens permissions."""
    return _in_group(caller, Missing.REMOVE_PKP_FROM_GROUPS, group)


def may_add_action_to_group(caller: Caller, group: int, action_hash: int) -> Denial | None:
    """Decides on add_action_to_group. Only the account key adds the action wildcard."""
    return _in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, group) or _only_by_account_key(
        caller, (action_hash,), (), None, group
    )


def may_remove_action_from_group(caller: Caller, group: int) -> Denial | None:
    """Decides on remove_action_from_group, for any action as a removal never widens permissions."""
    return _in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, group)


def what_is_missing(decided: Decided) -> Missing | None:
    """Returns the grant that the execution, with its wallet if any, lacks; None for none."""
    # A converted account's old account key runs nothing; its usage keys keep working (spec 4.1).
    if decided.is_account_key and not decided.managed:
        return Missing.ADMIN_WALLET
    if not decided.may_execute:
        return Missing.EXECUTE_IN_GROUPS
    # None means that no wallet was named, so nothing is denied.
    return Missing.WALLET_IN_GROUP if decided.may_use_wallet is False else None


def reason(caller: Caller, decided: Decided, groups: DecidingGroups) -> Allowed | Denial:
    """Returns the decision with its reason, the deciding group or the missing grant.

    A denial's group is where `execute_in_groups` or the wallet should be added. `visible_group`
    says whether the caller may learn of that group.
    """
    match what_is_missing(decided):
        case None:
            return Allowed(_deciding_group(caller, decided, groups))
        case Missing.EXECUTE_IN_GROUPS:
            # Prefer a group that allows the wallet too, since one grant is then enough.
            return Denial(Missing.EXECUTE_IN_GROUPS, groups.known_with_wallet or groups.known)
        case Missing.WALLET_IN_GROUP:
            return Denial(Missing.WALLET_IN_GROUP, groups.granted)
        case missing:
            return Denial(missing)


def visible_group(caller: Caller, denial: Denial) -> int | None:
    """Returns the denial's group if the caller may see it. A usage key sees groups in its lists."""
    grants = caller.grants
    if grants is None or denial.group is None:
        return denial.group
    # An id reveals that the group exists, so a usage key learns only ids in its own lists.
    own = grants.listed_groups
    return denial.group if denial.group in own or EVERY_GROUP in own else None


def _with_flag(caller: Caller, flag: Missing) -> Denial | None:
    # Check this first: usage keys of a converted account keep grants but administer nothing.
    if not caller.managed:
        return Denial(Missing.ADMIN_WALLET)
    if caller.grants is None:
        return None
    flags = {
        Missing.CAN_CREATE_GROUPS: caller.grants.can_create_groups,
        Missing.CAN_DELETE_GROUPS: caller.grants.can_delete_groups,
        Missing.CAN_CREATE_PKPS: caller.grants.can_create_pkps,
    }
    return None if flags[flag] else Denial(flag)


def _in_group(caller: Caller, listed: Missing, group: int) -> Denial | None:
    if not caller.managed:
        return Denial(Missing.ADMIN_WALLET)
    if caller.grants is None:
        return None
    granted = {
        Missing.MANAGE_IPFS_IDS_IN_GROUPS: caller.grants.manage_ipfs_ids_in_groups,
        Missing.ADD_PKP_TO_GROUPS: caller.grants.add_pkp_to_groups,
        Missing.REMOVE_PKP_FROM_GROUPS: caller.grants.remove_pkp_from_groups,
    }[listed]
    return None if EVERY_GROUP in granted or group in granted else Denial(listed, group)


def _only_by_account_key(
    caller: Caller,
    action_hashes: Collection[int],
    wallets: Collection[str],
    master_wallet: str | None,
    group: int | None,
) -> Denial | None:
    # A usage key could otherwise widen its own grants by what it adds to its group (spec 4.3).
    widest = EVERY_ACTION in action_hashes or any(wallet in (EVERY_WALLET, master_wallet) for wallet in wallets)
    return Denial(Missing.ACCOUNT_KEY, group) if widest and not caller.is_account_key else None


def _deciding_group(caller: Caller, decided: Decided, groups: DecidingGroups) -> int | None:
    if caller.grants is None:
        return None
    # Group 0 in the key's list permits every action, but no wallet (spec 4.5).
    if decided.may_use_wallet is not None:
        return groups.granted_with_wallet
    return EVERY_GROUP if EVERY_GROUP in caller.grants.execute_in_groups else groups.granted
