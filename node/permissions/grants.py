"""Grants of a usage key as they are on chain, and the authenticated caller who has them."""

from dataclasses import dataclass
from typing import Final

EVERY_GROUP: Final = 0
"""In a usage key's group list: every group of the account, present and future."""

EVERY_ACTION: Final = 0
"""In a group's actions: any action."""

EVERY_WALLET: Final = "0x" + "00" * 20
"""In a group's wallets: any wallet of the account but the master wallet."""


@dataclass(frozen=True, slots=True)
class Grants:
    """The permission fields of a usage key; EVERY_GROUP in a group set means every group of the account."""

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
    """The authenticated key of a request, known by its hash alone.

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


def is_expired(expiration: int, *clocks: float) -> bool:
    """Returns whether a key of this expiration (unix seconds, 0 for never) has expired by the latest of these clocks.

    One clock is the block's timestamp wherever the chain decides: a clock that is behind grants nothing more.
    """
    return 0 < expiration <= max(clocks)
