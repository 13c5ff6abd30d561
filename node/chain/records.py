"""Converts the contract's view structs, as decoded tuples, to the records of the port. Pure.

The field order is the contract's; a test reads every one of them back from a real deployment.
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
"""Result of a view, or a struct in it: one value per output or field, addresses as lower-case 0x hex."""

_UsageKeyFields: TypeAlias = tuple[
    int, str, str, int, int, bool, bool, bool, Sequence[int], Sequence[int], Sequence[int], Sequence[int]
]
_AuthorisationFields: TypeAlias = tuple[bool, Sequence[bool], int, bool, bool, int, int, int, int, bool, str, int]


def usage_key_record(fields: Struct) -> UsageKeyRecord:
    """Convert a UsageApiKeyView."""
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
    """Convert a WalletView."""
    wallet_id, address, path, name, description = cast("tuple[int, str, int, str, str]", fields)
    return WalletRecord(wallet_id, checksum_address(address), path, name, description)


def group_record(fields: Struct) -> GroupRecord:
    """Convert a GroupView."""
    group_id, name, description, actions, wallets = cast("tuple[int, str, str, Sequence[int], Sequence[str]]", fields)
    return GroupRecord(group_id, name, description, tuple(actions), tuple(map(checksum_address, wallets)))


def action_record(fields: Struct) -> ActionRecord:
    """Convert an ActionView; an empty CID says that only the hash is known."""
    action_hash, name, description, cid = cast("tuple[int, str, str, str]", fields)
    return ActionRecord(action_hash, name, description, cid or None)


def slice_of(returned: Struct, record: Callable[[Struct], Record]) -> Slice[Record]:
    """Convert the result of a list view: the page's items and the list's length."""
    items, total = cast("tuple[Sequence[Struct], int]", returned)
    return Slice(tuple(record(item) for item in items), total)


def authorisation_of(returned: Struct, head: Head) -> Authorisation:
    """Convert an AuthorisationView read at `head`, whose number and timestamp count.

    The view's own are the EVM's: on some rollups `block.number` is that of the chain below.
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
    """Return the admin payer on whose payers an AuthorisationView depends, if it is not `own`; else None.

    Payers never could write an account that was opened unmanaged: its decisions depend on no admin payer.
    """
    *_, opened_managed, admin_payer, _replacements = cast("_AuthorisationFields", returned[0])
    return None if not opened_managed or admin_payer == own.lower() else checksum_address(admin_payer)


def had_other_admin_payer(returned: Struct) -> bool:
    """Return whether payers of a former admin payer may have written what an AuthorisationView depends on."""
    *_, opened_managed, _admin_payer, replacements = cast("_AuthorisationFields", returned[0])
    return opened_managed and replacements != 0


def administration_of(views: Sequence[Struct]) -> Administration:
    """Convert the values of the views in ADMINISTRATION, in that order."""
    (owner,), (admin_payer,), (payers,), (_selector, named, effective_at), (delay_s,), (replacements,) = views
    scheduled = None
    # The contract holds 0 while nothing is scheduled.
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
    """Return the same decision with nothing granted; the identity of the key stays."""
    return replace(decision, may_execute=False, wallets=tuple(False for _ in decision.wallets))


def account_of_admin(returned: Struct, wallet: str) -> int | None:
    """Return the master hash in the AccountView of a wallet's hash if `wallet` is the unmanaged account's current admin.

    Any number may be registered as a usage key's hash, also a wallet's hash: that makes no wallet an admin.
    """
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    # By the present admin alone: a former one's hash still finds the account (spec 8.7).
    if not master or managed or not is_master or str(admin).lower() != wallet.lower():
        return None
    return cast("int", master)


def account_name(returned: Struct) -> str:
    """Return the name in an AccountView, which is empty for an unknown hash."""
    _, _, _, _, name, *_ = cast("Struct", returned[0])
    return str(name)


def mints_for(returned: Struct, wallet: str) -> int | None:
    """Return the hash under which wallets of the wallet are minted, by the AccountView of the wallet's hash.

    None when a managed account has the wallet's own hash, as only a payer can arrange: it would own the minted wallets.
    """
    account = account_of_admin(returned, wallet)
    if account is not None:
        return account
    own = hash_of_address(wallet)
    master, managed, *_ = cast("Struct", returned[0])
    # A payer can open a managed account under any hash, also under a wallet's.
    return None if managed and master == own else own


def caller_of(key_hash: int, returned: Struct) -> Caller | None:
    """Convert the AccountView of `key_hash`; None when the contract knows no such key. The reader checks the expiry."""
    master, managed, is_master, *_rest, usage_fields = cast("Struct", returned[0])
    if not master:
        return None
    if is_master:
        return Caller(key_hash, cast("int", master), bool(managed), grants=None)
    usage = usage_key_record(cast("Struct", usage_fields))
    return Caller(key_hash, cast("int", master), bool(managed), usage.grants, usage.expiration, usage.cap_cents)
