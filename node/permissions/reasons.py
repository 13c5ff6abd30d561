"""Why: from a decision, and the groups it rests on, to what the caller is told; pure.

`explain`, the 403 of svc_action and the refusal of a wallet inside an action all say what these functions say
(decisions.md section 3, `details.missing`).
"""

from dataclasses import dataclass

from node.permissions.denial import Denial, Missing
from node.permissions.grants import Caller
from node.permissions.wildcards import EVERY_GROUP


@dataclass(frozen=True, slots=True)
class Decided:
    """What the contract decided on one execution; `may_use_wallet` is None where no wallet was asked about."""

    is_account_key: bool
    managed: bool
    may_execute: bool
    may_use_wallet: bool | None = None


@dataclass(frozen=True, slots=True)
class DecidingGroups:
    """The groups that list the action, and those that list the wallet too: of each the lowest id, None for none.

    `granted` are among the groups the key may execute in. `known` are among those of its other lists, and matter only
    to a key that may not run the action: in one of these it could.
    """

    granted: int | None = None
    granted_with_wallet: int | None = None
    known: int | None = None
    known_with_wallet: int | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """A yes, and the group it rests on: 0 for the grant of every group, None for the account key, which needs none."""

    group: int | None


def what_is_missing(decided: Decided) -> Missing | None:
    """What the caller lacks for the whole of what was asked; None for nothing."""
    if decided.is_account_key and not decided.managed:
        return Missing.ADMIN_WALLET
    if not decided.may_execute:
        return Missing.EXECUTE_IN_GROUPS
    return Missing.WALLET_IN_GROUP if decided.may_use_wallet is False else None


def reason(caller: Caller, decided: Decided, groups: DecidingGroups) -> Allowed | Denial:
    """The decision with its reason: the group it rests on, or the grant whose addition would turn it.

    A denial's group is where to add: `execute_in_groups` of the key, or the wallet to that group. Which of it the caller
    may be told is for `visible_group` to say.
    """
    match what_is_missing(decided):
        case None:
            return Allowed(_deciding_group(caller, decided, groups))
        case Missing.EXECUTE_IN_GROUPS:
            return Denial(Missing.EXECUTE_IN_GROUPS, groups.known_with_wallet or groups.known)
        case Missing.WALLET_IN_GROUP:
            return Denial(Missing.WALLET_IN_GROUP, groups.granted)
        case missing:
            return Denial(missing)


def _deciding_group(caller: Caller, decided: Decided, groups: DecidingGroups) -> int | None:
    if caller.grants is None:
        return None
    if decided.may_use_wallet is not None:
        return groups.granted_with_wallet
    return EVERY_GROUP if EVERY_GROUP in caller.grants.execute_in_groups else groups.granted
