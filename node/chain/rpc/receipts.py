"""Receipts by eth_getTransactionReceipt (Ethereum JSON-RPC), and which of them count. Pure.

A receipt counts once it is complete, the chain's final word on a transaction. Providers also show
receipts of pending blocks, of blocks beyond their head, and receipts without a field.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from node.chain.rpc.wire import RpcCall, RpcOutcome, parse_quantity

NO_BLOCK: Final = "0x" + "00" * 32
"""Hash that some providers give a receipt of a pending block."""


def receipt_of(transaction_hash: str) -> RpcCall:
    """Returns the request for the receipt of a transaction."""
    return RpcCall("eth_getTransactionReceipt", [transaction_hash])


def _number(value: object) -> int:
    number = parse_quantity(value)
    if number is None:
        raise ValueError("no quantity")
    return number


def _block(value: str) -> str:
    if value == NO_BLOCK:
        raise ValueError("a pending block")
    return value


# Clients differ in the case of hex.
_Word: TypeAlias = Annotated[str, StringConstraints(to_lower=True, pattern=r"^0x[0-9a-fA-F]{64}$")]
_Address: TypeAlias = Annotated[str, StringConstraints(to_lower=True, pattern=r"^0x[0-9a-fA-F]{40}$")]
_Bytes: TypeAlias = Annotated[str, StringConstraints(to_lower=True, pattern=r"^0x([0-9a-fA-F]{2})*$")]
_Quantity: TypeAlias = Annotated[int, BeforeValidator(_number)]
_Topics: TypeAlias = Annotated[tuple[_Word, ...], Field(max_length=4)]


class ReceiptLog(BaseModel):
    """Log of a receipt, in lower-case 0x hex."""

    model_config = ConfigDict(frozen=True)

    address: _Address
    topics: _Topics
    data: _Bytes


class Receipt(BaseModel):
    """Complete receipt. Only compared fields are kept; clients differ in what else they show."""

    model_config = ConfigDict(frozen=True)

    transaction_hash: _Word = Field(alias="transactionHash")
    block_hash: Annotated[_Word, AfterValidator(_block)] = Field(alias="blockHash")
    block_number: _Quantity = Field(alias="blockNumber")
    block_index: _Quantity = Field(alias="transactionIndex")
    status: Annotated[Literal[0, 1], BeforeValidator(_number)]
    logs: tuple[ReceiptLog, ...]


@dataclass(frozen=True, slots=True)
class IncompleteReceipt:
    """Receipt that does not count: `field` is the first one that is missing or malformed."""

    field: str


def read_receipt(outcome: RpcOutcome, transaction_hash: str, height: int | None) -> Receipt | IncompleteReceipt | None:
    """Returns the receipt of a transaction (lower-case 0x hex), or None if the provider has none.

    `height` is the provider's head in the same exchange, None if it gave none. An outcome that is
    neither a receipt nor null is incomplete: an error says nothing about the transaction.
    """
    if outcome is None:
        return None
    if not isinstance(outcome, dict):
        return IncompleteReceipt("result")
    try:
        receipt = Receipt.model_validate(outcome)
    except ValidationError as error:
        return IncompleteReceipt(str(error.errors()[0]["loc"][0]))
    if receipt.transaction_hash != transaction_hash:
        return IncompleteReceipt("transactionHash")
    # A block above the provider's head would raise this node's minimum block beyond the chain.
    if height is None or receipt.block_number > height:
        return IncompleteReceipt("blockNumber")
    return receipt
