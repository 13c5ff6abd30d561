"""Requests and answers about actions.

Creating takes the CID itself; updating, deleting and removing take the hashed CID.
"""

from pydantic import BaseModel

from node.api.fields import ActionCid, ActionRef, Description, GroupId, HashedCid, Name, TargetGroupId
from node.api.paging import PageQuery
from node.chain.port import ActionRecord
from node.values import u256_hex

WHOLE_ACCOUNT = 0
"""As the group of a list or of updateActionMetadata: the account's actions, whichever group lists them."""


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
    # By its hash, since a group may list an action of which nobody registered the CID.
    hashed_cid: ActionRef


class ListActionsQuery(PageQuery, extra="forbid"):
    """A page of the account's actions (group 0, or none), or of one group's."""

    group_id: GroupId = WHOLE_ACCOUNT


class ActionItem(BaseModel, frozen=True):
    """An action as listed: `id` is the hashed CID; `action_ipfs_cid` is null where only the hash is known."""

    id: str
    hashed_cid: str
    name: str
    description: str
    action_ipfs_cid: str | None

    @classmethod
    def of(cls, action: ActionRecord) -> "ActionItem":
        """Returns the item of a record on chain."""
        # One identifier under two names: `id` as in every list, and the name that the other endpoints take it by.
        hashed_cid = u256_hex(action.action_hash)
        return cls(
            id=hashed_cid,
            hashed_cid=hashed_cid,
            name=action.name,
            description=action.description,
            action_ipfs_cid=action.cid,
        )
