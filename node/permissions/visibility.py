"""What a denied caller may be told: a usage key only of groups in its own lists (decisions.md section 3, 403)."""

from node.permissions.denial import Denial
from node.permissions.grants import Caller
from node.permissions.wildcards import EVERY_GROUP


def visible_group(caller: Caller, denial: Denial) -> int | None:
    """The denial's group where the caller may be told of it, else None."""
    grants = caller.grants
    if grants is None or denial.group is None:
        return denial.group
    own = (
        grants.manage_ipfs_ids_in_groups
        | grants.add_pkp_to_groups
        | grants.remove_pkp_from_groups
        | grants.execute_in_groups
    )
    return denial.group if denial.group in own or EVERY_GROUP in own else None
