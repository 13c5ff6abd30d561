"""Requests and responses about actions.

Creating takes the CID itself; updating, deleting and removing take the hashed CID.
"""

from pydantic import BaseModel

from node.api.fields import ActionCid, ActionRef, Description, GroupId, HashedCid, Name, TargetGroupId
from node.api.paging import PageQuery
from node.chain.port import ActionRecord
from node.values import u256_hex

WHOLE_ACCOUNT = 0
"""Group id 0 in a list or in updateActionMetadata; it means the actions of the whole account."""


class AddActionRequest(BaseModel, frozen=True, extra="forbid"):
    """Registers an action under a name."""

    action_ipfs_cid: ActionCid
    name: Name
    description: Description = ""


class AddActionToGroupRequest(BaseModel, frozen=True, extra="forbid"):
    """Permits an action in a group; it need not be registered."""

    group_id: TargetGroupId
    action_ipfs_cid: ActionCid


class UpdateActionMetadataRequest(BaseModel, frozen=True, extra="forbid"):
    """Replaces name and description of a registered action."""

    hashed_cid: HashedCid
    name: Name
    description: Description = ""


class DeleteActionRequest(BaseModel, frozen=True, extra="forbid"):
    """Deletes an action with its metadata, out of every group."""

    hashed_cid: HashedCid


class RemoveActionFromGroupRequest(BaseModel, frozen=True, extra="forbid"):
    """Takes an action, or the wildcard, out of a group."""

    group_id: TargetGroupId
    # The hash is enough, since a group may list an action whose CID was never registered.
    hashed_cid: ActionRef


class ListActionsQuery(PageQuery, extra="forbid"):
    """A page of the account's actions (group 0, or none), or of one group's."""

    group_id: GroupId = WHOLE_ACCOUNT


class ActionItem(BaseModel, frozen=True):
    """An action in a list. `action_ipfs_cid` is null if only the hash, `id`, is known."""

    id: str
    hashed_cid: str
    name: str
    description: str
    action_ipfs_cid: str | None

    @classmethod
    def of(cls, action: ActionRecord) -> "ActionItem":
        """Returns the item of a record on chain."""
        # The hashed CID has two names: `id` as in every list, and that of other endpoints.
        hashed_cid = u256_hex(action.action_hash)
        return cls(
            id=hashed_cid,
            hashed_cid=hashed_cid,
            name=action.name,
            description=action.description,
            action_ipfs_cid=action.cid,
        )
