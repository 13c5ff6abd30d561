"""What a key may do, as it stands on chain."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grants:
    """The permission fields of a usage key; a `0` in a group set means every group of the account."""

    can_create_groups: bool = False
    can_delete_groups: bool = False
    can_create_pkps: bool = False
    manage_ipfs_ids_in_groups: frozenset[int] = frozenset()
    add_pkp_to_groups: frozenset[int] = frozenset()
    remove_pkp_from_groups: frozenset[int] = frozenset()
    execute_in_groups: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated key of a request; the key itself is gone, only its hash is left.

    `grants` is None for the account key. `cap_cents` is the usage key's lifetime spending cap, 0 for none;
    `expiration` is in unix seconds, 0 for never.
    """

    key_hash: int
    master_hash: int
    managed: bool
    grants: Grants | None
    expiration: int = 0
    cap_cents: int = 0

    @property
    def is_account_key(self) -> bool:
        """Whether this is the account key itself (owner over HTTP while the account is managed)."""
        return self.grants is None
