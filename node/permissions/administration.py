"""May this caller do this administrative write? None for yes, else what is missing (decisions.md section 4).

Wallets are EIP-55 addresses; `master_wallet` is the account's wallet of id 0, None where there is none yet.
The contract enforces the same rules for the hash it is passed; these functions answer before anything is
simulated, and name the grant.
"""

from collections.abc import Collection

from node.permissions.denial import Denial, Missing
from node.permissions.grants import Caller, Grants
from node.permissions.wildcards import EVERY_ACTION, EVERY_GROUP, EVERY_WALLET


def account_key_only(caller: Caller) -> Denial | None:
    """Usage keys, the account's actions and update_group: no permission field grants these."""
    if not caller.managed:
        return Denial(Missing.ADMIN_WALLET)
    return None if caller.is_account_key else Denial(Missing.ACCOUNT_KEY)


def may_create_pkp(caller: Caller) -> Denial | None:
    """create_wallet."""
    return _with_flag(caller, Missing.CAN_CREATE_PKPS)


def may_delete_group(caller: Caller) -> Denial | None:
    """remove_group."""
    return _with_flag(caller, Missing.CAN_DELETE_GROUPS)


def may_create_group(
    caller: Caller, action_hashes: Collection[int], wallets: Collection[str | None], master_wallet: str | None
) -> Denial | None:
    """add_group: contents need the grant for all groups, since the new group is in no list yet.

    A wallet of None is one the account does not have; naming it needs the grant all the same.
    """
    present = [wallet for wallet in wallets if wallet is not None]
    return (
        _with_flag(caller, Missing.CAN_CREATE_GROUPS)
        or (_in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, EVERY_GROUP) if action_hashes else None)
        or (_in_group(caller, Missing.ADD_PKP_TO_GROUPS, EVERY_GROUP) if wallets else None)
        or _only_by_account_key(caller, action_hashes, present, master_wallet, group=None)
    )


def may_add_pkp_to_group(caller: Caller, group: int, wallet: str | None, master_wallet: str | None) -> Denial | None:
    """add_pkp_to_group: wallet wildcard and master wallet enter by the account key alone.

    A `wallet` of None is one the account does not have.
    """
    wallets = () if wallet is None else (wallet,)
    return _in_group(caller, Missing.ADD_PKP_TO_GROUPS, group) or _only_by_account_key(
        caller, (), wallets, master_wallet, group
    )


def may_remove_pkp_from_group(caller: Caller, group: int) -> Denial | None:
    """remove_pkp_from_group: any wallet, wildcard and master wallet too, since leaving widens nothing."""
    return _in_group(caller, Missing.REMOVE_PKP_FROM_GROUPS, group)


def may_add_action_to_group(caller: Caller, group: int, action_hash: int) -> Denial | None:
    """add_action_to_group: the action wildcard enters by the account key alone."""
    return _in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, group) or _only_by_account_key(
        caller, (action_hash,), (), None, group
    )


def may_remove_action_from_group(caller: Caller, group: int) -> Denial | None:
    """remove_action_from_group: any action, the wildcard too, since leaving widens nothing."""
    return _in_group(caller, Missing.MANAGE_IPFS_IDS_IN_GROUPS, group)


def group_list(grants: Grants, missing: Missing) -> frozenset[int]:
    """The group list of this name; empty for what is not a group list."""
    lists = {
        Missing.MANAGE_IPFS_IDS_IN_GROUPS: grants.manage_ipfs_ids_in_groups,
        Missing.ADD_PKP_TO_GROUPS: grants.add_pkp_to_groups,
        Missing.REMOVE_PKP_FROM_GROUPS: grants.remove_pkp_from_groups,
        Missing.EXECUTE_IN_GROUPS: grants.execute_in_groups,
    }
    return lists.get(missing, frozenset())


def _with_flag(caller: Caller, flag: Missing) -> Denial | None:
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
    granted = group_list(caller.grants, listed)
    return None if EVERY_GROUP in granted or group in granted else Denial(listed, group)


def _only_by_account_key(
    caller: Caller,
    action_hashes: Collection[int],
    wallets: Collection[str],
    master_wallet: str | None,
    group: int | None,
) -> Denial | None:
    widest = EVERY_ACTION in action_hashes or any(wallet in (EVERY_WALLET, master_wallet) for wallet in wallets)
    return Denial(Missing.ACCOUNT_KEY, group) if widest and not caller.is_account_key else None
