"""The truth table of running an action and of using a wallet in it (spec 4), as pure functions.

The node goes by the contract's `authorisation` alone; this says the rules a second time, in words that can be read, for
everybody who decides to be held against. An expired or removed key is no caller at all and does not come here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from node.permissions.grants import EVERY_ACTION, EVERY_GROUP, EVERY_WALLET, Caller, Denial, Missing


@dataclass(frozen=True, slots=True)
class GroupContents:
    """What a group of the account permits: hashed CIDs, and wallets as EIP-55 addresses."""

    id: int
    action_hashes: frozenset[int] = frozenset()
    wallets: frozenset[str] = frozenset()


def may_execute(caller: Caller, action_hash: int, groups: Iterable[GroupContents]) -> Denial | None:
    """May this caller run this action? `groups` are all groups of its account.

    With `0` in `execute_in_groups` any code may run, listed in a group or not.
    """
    if caller.grants is None:
        return _owner(caller)
    granted = caller.grants.execute_in_groups
    if EVERY_GROUP in granted or any(group.id in granted and _lists_action(group, action_hash) for group in groups):
        return None
    return Denial(Missing.EXECUTE_IN_GROUPS)


def may_use_wallet(
    caller: Caller, action_hash: int, wallet: str, master_wallet: str | None, groups: Iterable[GroupContents]
) -> Denial | None:
    """May this caller run this action and use this wallet of its account in it?

    One and the same granted group must list both. The master wallet is never meant by the wallet wildcard.
    Whether the wallet is registered to the account is for the caller of this function to know.
    """
    groups = tuple(groups)
    denied = may_execute(caller, action_hash, groups)
    if denied is not None or caller.grants is None:
        return denied
    granted = caller.grants.execute_in_groups
    for group in groups:
        counts = EVERY_GROUP in granted or group.id in granted
        if counts and _lists_action(group, action_hash) and _lists_wallet(group, wallet, master_wallet):
            return None
    return Denial(Missing.WALLET_IN_GROUP)


def _owner(caller: Caller) -> Denial | None:
    return None if caller.managed else Denial(Missing.ADMIN_WALLET)


def _lists_action(group: GroupContents, action_hash: int) -> bool:
    return action_hash in group.action_hashes or EVERY_ACTION in group.action_hashes


def _lists_wallet(group: GroupContents, wallet: str, master_wallet: str | None) -> bool:
    if wallet == EVERY_WALLET:
        return False
    return wallet in group.wallets or (EVERY_WALLET in group.wallets and wallet != master_wallet)
