"""Requests and responses about accounts."""

from typing import Annotated, Final

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from node.api.fields import Description, Email, Name
from node.api.mutation import Mutation

TEXT_MAX_BYTES: Final = 256
"""Maximum UTF-8 bytes of name and description together. Each costs the node 590 gas, so 256 cost
150,000 gas. An account without texts costs 311,000."""


class NewAccountRequest(BaseModel, frozen=True, extra="forbid"):
    """A new account; name and description have at most 256 bytes of UTF-8 together.

    The e-mail address goes to the card processor for receipts and is stored nowhere else.
    """

    account_name: Name
    account_description: Description = ""
    email: Annotated[Email | None, Field(repr=False)] = None

    @field_validator("account_name", "account_description")
    @classmethod
    def _short_together(cls, value: str, info: ValidationInfo) -> str:
        # pydantic checks the name first, while `data` is empty, and the description second.
        if len((info.data.get("account_name", "") + value).encode()) > TEXT_MAX_BYTES:
            raise ValueError(f"must have, with the other text, at most {TEXT_MAX_BYTES} bytes of UTF-8")
        return value


class NewAccountAnswer(Mutation, frozen=True):
    """The account key (base64 of 32 bytes, shown once) and the Account Master Wallet's address."""

    api_key: Annotated[str, Field(repr=False)]
    wallet_address: str
