"""Requests and answers about accounts (spec.md "Account", "Account and keys")."""

from typing import Annotated

from pydantic import BaseModel, Field

from node.http.fields import Description, Email, Name
from node.http.mutation import Mutation


class NewAccountRequest(BaseModel, frozen=True, extra="forbid"):
    """A new account; the e-mail address is handed to the card processor for receipts and kept nowhere else."""

    account_name: Name
    account_description: Description = ""
    email: Annotated[Email | None, Field(repr=False)] = None


class NewAccountAnswer(Mutation, frozen=True):
    """The account key (base64 of 32 bytes, shown this once) and the address of the Account Master Wallet."""

    api_key: Annotated[str, Field(repr=False)]
    wallet_address: str
