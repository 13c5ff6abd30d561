"""Requests and responses about groups."""

from pydantic import BaseModel

from node.api.fields import ActionRefs, Description, Name, TargetGroupId, WalletRef, WalletRefs
from node.api.mutation import Mutation
from node.chain.port import GroupRecord
from node.values import u256_hex


class AddGroupRequest(BaseModel, frozen=True, extra="forbid"):
    """A new group with permitted wallets (address, running id, wildcard) and hashed CIDs."""

    group_name: Name
    group_description: Description = ""
    pkp_ids_permitted: WalletRefs = []
    cid_hashes_permitted: ActionRefs = []


class AddGroupAnswer(Mutation, frozen=True):
    """The new group's id."""

    group_id: str


class UpdateGroupRequest(BaseModel, frozen=True, extra="forbid"):
    """Replaces a group's names and both of its lists."""

    group_id: TargetGroupId
    name: Name
    description: Description = ""
    pkp_ids_permitted: WalletRefs
    cid_hashes_permitted: ActionRefs


class RemoveGroupRequest(BaseModel, frozen=True, extra="forbid"):
    """Removes a group."""

    group_id: TargetGroupId


class GroupWalletRequest(BaseModel, frozen=True, extra="forbid"):
    """A group, and a wallet that enters or leaves it."""

    group_id: TargetGroupId
    pkp_id: WalletRef


class GroupItem(BaseModel, frozen=True):
    """A group in a list. Its id is a decimal string; wallets are EIP-55, actions hashed CIDs."""

    id: str
    name: str
    description: str
    pkp_ids_permitted: list[str]
    cid_hashes_permitted: list[str]

    @classmethod
    def of(cls, group: GroupRecord) -> "GroupItem":
        """Returns the item of a record on chain."""
        return cls(
            id=str(group.id),
            name=group.name,
            description=group.description,
            pkp_ids_permitted=list(group.wallets),
            cid_hashes_permitted=[u256_hex(action_hash) for action_hash in group.action_hashes],
        )
