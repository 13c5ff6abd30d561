"""Requests and answers about accounts."""

from typing import Annotated, Final

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from node.api.fields import Description, Email, Name
from node.api.mutation import Mutation

TEXT_MAX_BYTES: Final = 256
"""Name and description of a new account together. Nobody pays for their storage, some 590 gas a byte; 256 bytes are 150,000
gas beside the 311,000 of an account without texts (tests/subjects/test_gas_of_writes.py)."""


class NewAccountRequest(BaseModel, frozen=True, extra="forbid"):
    """A new account; name and description have at most 256 bytes of UTF-8 together.

    The e-mail address is handed to the card processor for receipts and kept nowhere else.
    """

    account_name: Name
    account_description: Description = ""
    email: Annotated[Email | None, Field(repr=False)] = None

    @field_validator("account_name", "account_description")
    @classmethod
    def _short_together(cls, value: str, info: ValidationInfo) -> str:
        # The name is in `data` while the description is checked, and not yet while it is checked itself.
        if len((info.data.get("account_name", "") + value).encode()) > TEXT_MAX_BYTES:
            raise ValueError(f"must have, with the other text, at most {TEXT_MAX_BYTES} bytes of UTF-8")
        return value


class NewAccountAnswer(Mutation, frozen=True):
    """The account key (base64 of 32 bytes, shown this once) and the address of the Account Master Wallet."""

    api_key: Annotated[str, Field(repr=False)]
    wallet_address: str
