"""Why something is not allowed: the exact grant that is missing (decisions.md section 3, `details.missing`)."""

from dataclasses import dataclass
from enum import StrEnum


class Missing(StrEnum):
    """What the caller would need; the permission fields bear the specification's names."""

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


@dataclass(frozen=True, slots=True)
class Denial:
    """A refusal: what is missing, and in which group (0: in all groups; None: the grant is not of a group)."""

    missing: Missing
    group: int | None = None
