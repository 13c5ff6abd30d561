"""Requests and responses about usage keys."""

from collections.abc import Mapping, Sized
from typing import Annotated

from pydantic import BaseModel, Field, StrictBool

from node.api.calls import EitherBody
from node.api.fields import ApiKeyText, CapCents, Description, Expiration, GroupIds, KeyHash, Name
from node.api.mutation import Mutation
from node.chain.port import UsageKeyRecord
from node.values import u256_hex


class UsageKeySettings(BaseModel, frozen=True, extra="forbid"):
    """The settings of a usage key; an omitted one has its default.

    `expiration` is in unix seconds, 0 for never; `balance` is the lifetime spending cap in cents, 0
    for none. If omitted, both are 0 in a new key and unchanged in an update.
    """

    name: Name
    description: Description = ""
    can_create_groups: StrictBool = False
    can_delete_groups: StrictBool = False
    can_create_pkps: StrictBool = False
    manage_ipfs_ids_in_groups: GroupIds = []
    add_pkp_to_groups: GroupIds = []
    remove_pkp_from_groups: GroupIds = []
    execute_in_groups: GroupIds = []
    expiration: Expiration | None = None
    balance: CapCents | None = None

    @property
    def lists(self) -> Mapping[str, Sized]:
        """The four group lists by field name."""
        return {
            "manage_ipfs_ids_in_groups": self.manage_ipfs_ids_in_groups,
            "add_pkp_to_groups": self.add_pkp_to_groups,
            "remove_pkp_from_groups": self.remove_pkp_from_groups,
            "execute_in_groups": self.execute_in_groups,
        }


class UsageKeyReference(EitherBody, frozen=True, extra="forbid"):
    """A usage key of the account, by its value or by its hash."""

    EITHER = ("usage_api_key", "api_key_hash")

    usage_api_key: ApiKeyText | None = None
    api_key_hash: KeyHash | None = None

    @property
    def key_hash(self) -> int:
        """The key's hash, whichever of the two was given."""
        # `ApiKeyText` has hashed the value already; no model holds the key itself.
        named = self.api_key_hash if self.usage_api_key is None else self.usage_api_key
        return 0 if named is None else named


class AddUsageKeyRequest(UsageKeySettings, frozen=True, extra="forbid"):
    """A new usage key."""


class UpdateUsageKeyRequest(UsageKeyReference, UsageKeySettings, frozen=True, extra="forbid"):
    """Replaces every permission of a usage key."""


class UpdateUsageKeyMetadataRequest(UsageKeyReference, frozen=True, extra="forbid"):
    """Replaces only the name and description of a usage key."""

    name: Name
    description: Description = ""


class RemoveUsageKeyRequest(UsageKeyReference, frozen=True, extra="forbid"):
    """Removes a usage key for good."""


class AddUsageKeyAnswer(Mutation, frozen=True):
    """The new key, base64 of 32 bytes, shown this once."""

    # repr=False keeps the key out of every log line and traceback that shows the model.
    usage_api_key: Annotated[str, Field(repr=False)]


class UsageKeyItem(BaseModel, frozen=True):
    """A usage key in a list, without its value. `id` is the key's hash."""

    id: str
    api_key_hash: str
    name: str
    description: str
    expiration: str
    balance: int
    can_create_groups: bool
    can_delete_groups: bool
    can_create_pkps: bool
    can_manage_ipfs_ids_in_groups: list[str]
    can_add_pkp_to_groups: list[str]
    can_remove_pkp_from_groups: list[str]
    can_execute_in_groups: list[str]

    @classmethod
    def of(cls, key: UsageKeyRecord) -> "UsageKeyItem":
        """Returns the item of a record on chain."""
        return cls(
            id=u256_hex(key.key_hash),
            api_key_hash=u256_hex(key.key_hash),
            name=key.name,
            description=key.description,
            expiration=str(key.expiration),
            balance=key.cap_cents,
            can_create_groups=key.grants.can_create_groups,
            can_delete_groups=key.grants.can_delete_groups,
            can_create_pkps=key.grants.can_create_pkps,
            can_manage_ipfs_ids_in_groups=_ids(key.grants.manage_ipfs_ids_in_groups),
            can_add_pkp_to_groups=_ids(key.grants.add_pkp_to_groups),
            can_remove_pkp_from_groups=_ids(key.grants.remove_pkp_from_groups),
            can_execute_in_groups=_ids(key.grants.execute_in_groups),
        )


def _ids(groups: frozenset[int]) -> list[str]:
    return [str(group) for group in sorted(groups)]
