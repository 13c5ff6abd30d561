"""Response of mutations, and the errors of writes and live reads."""

from typing import Annotated, Final, Literal, TypedDict

from pydantic import BaseModel, Field

from node.api.errors import ErrorCode
from node.chain.port import WriteResult

WRITE_ERRORS: Final = frozenset(
    {
        ErrorCode.PAYMENT_REQUIRED,
        ErrorCode.FORBIDDEN,
        ErrorCode.NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.CHAIN_UNAVAILABLE,
        ErrorCode.DATABASE_UNAVAILABLE,
        ErrorCode.BILLING_UNAVAILABLE,
        ErrorCode.CHAIN_TIMEOUT,
    }
)
"""Errors of an administrative write besides those of every request."""

READ_ERRORS: Final = frozenset({ErrorCode.CHAIN_UNAVAILABLE, ErrorCode.NOT_FOUND})
"""Errors of a live contract read besides those of every request."""


class Mutation(BaseModel, frozen=True):
    """Success; transaction (0x hex) and block only where a transaction was sent."""

    success: Literal[True] = True
    transaction_hash: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    block_number: Annotated[int | None, Field(exclude_if=lambda value: value is None)] = None


class OnChain(TypedDict):
    """The fields of a Mutation that come from its transaction."""

    transaction_hash: str
    block_number: int


def on_chain(result: WriteResult) -> OnChain:
    """Returns the transaction and block of a write, as keyword arguments of a Mutation."""
    return {"transaction_hash": result.transaction_hash, "block_number": result.block_number}


def mutation(result: WriteResult | None) -> Mutation:
    """Returns the response of a mutation. `result` is None if no transaction was needed."""
    return Mutation() if result is None else Mutation(**on_chain(result))
