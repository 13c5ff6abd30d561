"""From the contract's view structs, as decoded tuples, to the records of the port; pure.

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

_UsageKeyFields: TypeAlias = tuple[
    int, str, str, int, int, bool, bool, bool, Sequence[int], Sequence[int], Sequence[int], Sequence[int]
]
_AuthorisationFields: TypeAlias = tuple[bool, Sequence[bool], int, bool, bool, int, int, int, int, bool, str, int]


def usage_key_record(fields: Struct) -> UsageKeyRecord:
    """UsageApiKeyView."""
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
    """WalletView."""
    wallet_id, address, path, name, description = cast("tuple[int, str, int, str, str]", fields)
    return WalletRecord(wallet_id, checksum_address(address), path, name, description)


def group_record(fields: Struct) -> GroupRecord:
    """GroupView."""
    group_id, name, description, actions, wallets = cast("tuple[int, str, str, Sequence[int], Sequence[str]]", fields)
    return GroupRecord(group_id, name, description, tuple(actions), tuple(map(checksum_address, wallets)))


def action_record(fields: Struct) -> ActionRecord:
    """ActionView; an empty CID says that only the hash is known."""
    action_hash, name, description, cid = cast("tuple[int, str, str, str]", fields)
    return ActionRecord(action_hash, name, description, cid or None)


def slice_of(returned: Struct, record: Callable[[Struct], Record]) -> Slice[Record]:
    """What a list view returned: the page's items and the list's length."""
    items, total = cast("tuple[Sequence[Struct], int]", returned)
    return Slice(tuple(record(item) for item in items), total)


def authorisation_of(returned: Struct, head: Head) -> Authorisation:
    """AuthorisationView, read at `head`, whose number and timestamp count.

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
    """AuthorisationView: the admin payer on whose payers the decision rests, where it is not `own`; else None.

    Payers never could write an account that was opened unmanaged: its decisions rest on no admin payer.
    """
    *_, opened_managed, admin_payer, _replacements = cast("_AuthorisationFields", returned[0])
    return None if not opened_managed or admin_payer == own.lower() else checksum_address(admin_payer)


def had_other_admin_payer(returned: Struct) -> bool:
    """AuthorisationView: whether payers of a former admin payer may have written what the decision rests on."""
    *_, opened_managed, _admin_payer, replacements = cast("_AuthorisationFields", returned[0])
    return opened_managed and replacements != 0


def administration_of(views: Sequence[Struct]) -> Administration:
    """The values of the views in ADMINISTRATION, in that order."""
    (owner,), (admin_payer,), (payers,), (_selector, named, effective_at), (delay_s,), (replacements,) = views
    scheduled = None
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
    """The same decision with nothing granted; who the key is stays visible."""
    return replace(decision, may_execute=False, wallets=tuple(False for _ in decision.wallets))


def account_of_admin(returned: Struct, wallet: str) -> int | None:
    """AccountView of a wallet's hash: the master hash where `wallet` is the unmanaged account's current admin.

    Anybody may register any number as a usage key's hash, a wallet's hash too: that makes nobody an admin.
    """
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    if not master or managed or not is_master or str(admin).lower() != wallet.lower():
        return None
    return cast("int", master)


def mints_for(returned: Struct, wallet: str) -> int | None:
    """AccountView of a wallet's hash: under whose hash its wallets are minted (decisions.md section 7).

    None when a managed account has the wallet's own hash, as only a payer can arrange: what is minted would be its.
    """
    account = account_of_admin(returned, wallet)
    if account is not None:
        return account
    own = hash_of_address(wallet)
    master, managed, *_ = cast("Struct", returned[0])
    return None if managed and master == own else own


def caller_of(key_hash: int, returned: Struct) -> Caller | None:
    """AccountView of `key_hash`; None when the contract knows no such key. Expiry is for the reader to judge."""
    master, managed, is_master, *_rest, usage_fields = cast("Struct", returned[0])
    if not master:
        return None
    if is_master:
        return Caller(key_hash, cast("int", master), bool(managed), grants=None)
    usage = usage_key_record(cast("Struct", usage_fields))
    return Caller(key_hash, cast("int", master), bool(managed), usage.grants, usage.expiration, usage.cap_cents)
