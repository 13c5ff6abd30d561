"""Converts the contract's view structs, as decoded tuples, to the records of the port. Pure.

The field order is the contract's. A test reads every field from a real deployment.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar, cast

from node.chain.port import (
    ActionRecord,
    Administration,
    Authorisation,
    GroupRecord,
    Head,
    ScheduledAdminPayer,
    Slice,
    UsageKeyRecord,
    WalletRecord,
)
from node.permissions.grants import Caller, Grants
from node.values import checksum_address, hash_of_address

Record = TypeVar("Record")
Struct: TypeAlias = tuple[object, ...]
"""Result of a view, or a struct in it. It has one value per field, addresses as lower-case hex."""

_UsageKeyFields: TypeAlias = tuple[
    int, str, str, int, int, bool, bool, bool, Sequence[int], Sequence[int], Sequence[int], Sequence[int]
]
_AuthorisationFields: TypeAlias = tuple[bool, Sequence[bool], int, bool, bool, int, int, int, int, bool, str, int]


def usage_key_record(fields: Struct) -> UsageKeyRecord:
    """Converts a UsageApiKeyView."""
    key_hash, name, description, expiration, balance, create_groups, delete_groups, create_pkps, *lists = cast(
        "_UsageKeyFields", fields
    )
    manage, add, remove, execute = (frozenset(groups) for groups in lists)
    return UsageKeyRecord(
        key_hash=key_hash,
        name=name,
        description=description,
        expiration=expiration,
        cap_cents=balance,
        grants=Grants(
            can_create_groups=create_groups,
            can_delete_groups=delete_groups,
            can_create_pkps=create_pkps,
            manage_ipfs_ids_in_groups=manage,
            add_pkp_to_groups=add,
            remove_pkp_from_groups=remove,
            execute_in_groups=execute,
        ),
    )


def wallet_record(fields: Struct) -> WalletRecord:
    """Converts a WalletView."""
    wallet_id, address, path, name, description = cast("tuple[int, str, int, str, str]", fields)
    return WalletRecord(wallet_id, checksum_address(address), path, name, description)


def group_record(fields: Struct) -> GroupRecord:
    """Converts a GroupView."""
    group_id, name, description, actions, wallets = cast("tuple[int, str, str, Sequence[int], Sequence[str]]", fields)
    return GroupRecord(group_id, name, description, tuple(actions), tuple(map(checksum_address, wallets)))


def action_record(fields: Struct) -> ActionRecord:
    """Converts an ActionView. Its CID is empty if only the hash is known."""
    action_hash, name, description, cid = cast("tuple[int, str, str, str]", fields)
    return ActionRecord(action_hash, name, description, cid or None)


def slice_of(returned: Struct, record: Callable[[Struct], Record]) -> Slice[Record]:
    """Converts the result of a list view, the page's items and the list's length."""
    items, total = cast("tuple[Sequence[Struct], int]", returned)
    return Slice(tuple(record(item) for item in items), total)


def authorisation_of(returned: Struct, head: Head) -> Authorisation:
    """Converts an AuthorisationView that was read at `head`.

    The view's own block number is the EVM's, on some rollups that of the parent chain.
    """
    may_execute, wallets, master, managed, is_master, expiration, cap, *_ = cast("_AuthorisationFields", returned[0])
    return Authorisation(
        master_hash=master,
        managed=managed,
        is_account_key=is_master,
        may_execute=may_execute,
        wallets=wallets,
        expiration=expiration,
        cap_cents=cap,
        block_number=head.number,
        block_timestamp=head.timestamp,
    )


def foreign_admin_payer(returned: Struct, own: str) -> str | None:
    """Returns the admin payer that an AuthorisationView depends on, if it is not `own`; else None.

    Payers cannot write to an account that was opened unmanaged, so it depends on none.
    """
    *_, opened_managed, admin_payer, _replacements = cast("_AuthorisationFields", returned[0])
    return None if not opened_managed or admin_payer == own.lower() else checksum_address(admin_payer)


def had_other_admin_payer(returned: Struct) -> bool:
    """Returns whether a former admin payer's payers may have written what the view depends on."""
    *_, opened_managed, _admin_payer, replacements = cast("_AuthorisationFields", returned[0])
    return opened_managed and replacements != 0


def administration_of(views: Sequence[Struct]) -> Administration:
    """Converts the values of the views in ADMINISTRATION, in that order."""
    (owner,), (admin_payer,), (payers,), (_selector, named, effective_at), (delay_s,), (replacements,) = views
    scheduled = None
    # The contract has 0 here while nothing is scheduled.
    if effective_at:
        (account,) = cast("Sequence[str]", named)
        scheduled = ScheduledAdminPayer(checksum_address(account), cast("int", effective_at))
    return Administration(
        owner=checksum_address(cast("str", owner)),
        admin_payer=checksum_address(cast("str", admin_payer)),
        payers=tuple(checksum_address(payer) for payer in cast("Sequence[str]", payers)),
        scheduled=scheduled,
        owner_change_delay_s=cast("int", delay_s),
        admin_payer_replacements=cast("int", replacements),
    )


def denied(decision: Authorisation) -> Authorisation:
    """Returns the same decision with nothing granted. The key's identity is kept."""
    return replace(decision, may_execute=False, wallets=tuple(False for _ in decision.wallets))


def account_of_admin(returned: Struct, wallet: str) -> int | None:
    """Returns the master hash of an AccountView if `wallet` is its unmanaged account's admin.

    A wallet's hash can also be registered as a usage key's. That makes the wallet no admin.
    """
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    # By the current admin only, since a former one's hash still finds the account (spec 8.7).
    if not master or managed or not is_master or str(admin).lower() != wallet.lower():
        return None
    return cast("int", master)


def account_name(returned: Struct) -> str:
    """Returns the name in an AccountView, which is empty for an unknown hash."""
    _, _, _, _, name, *_ = cast("Struct", returned[0])
    return str(name)


def mints_for(returned: Struct, wallet: str) -> int | None:
    """See `AdminAccounts.mints_for`. `returned` is the AccountView of the wallet's hash.

    None if a managed account has that hash, since that account would own the wallets.
    """
    account = account_of_admin(returned, wallet)
    if account is not None:
        return account
    own = hash_of_address(wallet)
    master, managed, *_ = cast("Struct", returned[0])
    # A payer can open a managed account under any hash, also under that of a wallet.
    return None if managed and master == own else own


def caller_of(key_hash: int, returned: Struct) -> Caller | None:
    """Converts the AccountView of `key_hash`; None for an unknown key. Expiry is not checked."""
    master, managed, is_master, *_rest, usage_fields = cast("Struct", returned[0])
    if not master:
        return None
    if is_master:
        return Caller(key_hash, cast("int", master), bool(managed), grants=None)
    usage = usage_key_record(cast("Struct", usage_fields))
    return Caller(key_hash, cast("int", master), bool(managed), usage.grants, usage.expiration, usage.cap_cents)
