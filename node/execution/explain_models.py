"""Request and answer of explain (decisions.md section 2)."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StrictStr, model_validator

from node.http.fields import ActionCid, PkpId
from node.permissions.decisions import Missing


class ExplainRequest(BaseModel, frozen=True, extra="forbid"):
    """May the key that asks run this action, given by its source or its CID, and use this wallet in it."""

    code: StrictStr | None = None
    action_ipfs_cid: ActionCid | None = None
    pkp_id: PkpId | None = None

    @model_validator(mode="after")
    def _names_one_action(self) -> Self:
        if (self.code is None) == (self.action_ipfs_cid is None):
            raise ValueError("must name the action by exactly one of code and action_ipfs_cid")
        return self


class ExplainAnswer(BaseModel, frozen=True):
    """The decision and its reason, as of `block_number`.

    `group` of an allow is the group it rests on: "0" where the key may execute in every group and no wallet is asked
    about, absent for the account key. Of a deny it is the group in which `missing` would turn the decision.
    """

    decision: Literal["allow", "deny"]
    group: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    missing: Annotated[Missing | None, Field(exclude_if=lambda value: value is None)] = None
    block_number: int
    price_cents_per_second: int
