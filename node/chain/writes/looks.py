"""What one endpoint says of a write that is about to be made, asked in one exchange."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.quorum.heads import LATEST
from node.chain.rpc import Endpoint, RpcCall, RpcOutcome, RpcRefusedError, answers

TIP: Final = RpcCall("eth_maxPriorityFeePerGas")


@dataclass(frozen=True, slots=True)
class Look:
    """What one endpoint says. `reverts`: with what the write would revert, None when it would not.

    `endpoint` says it. `gas`: what it would need, `gas_max` what a block may use; `tip` None where it was not asked for.
    """

    endpoint: Endpoint
    reverts: bytes | None
    gas: int
    gas_max: int
    base_fee: int
    number: int
    balance: int
    count: int
    tip: int | None


def calls_of(payer: str, to: str, data: bytes, value: int) -> list[RpcCall]:
    """What is asked of an endpoint about a write; TIP may follow."""
    transaction: dict[str, JsonValue] = {"from": payer, "to": to, "data": "0x" + data.hex(), "value": hex(value)}
    return [
        LATEST,
        RpcCall("eth_estimateGas", [transaction, "latest"]),
        RpcCall("eth_getBalance", [payer, "latest"]),
        RpcCall("eth_getTransactionCount", [payer, "latest"]),
    ]


def look_of(endpoint: Endpoint, outcomes: Sequence[RpcOutcome]) -> Look:
    """The answers to `calls_of`. Raises MalformedResultError, or RpcRefusedError for what is refused and no revert."""
    head, gas, balance, count, *tip = outcomes
    block, reverts = answers.record(head), gas.revert_data if isinstance(gas, RpcRefusedError) else None
    return Look(
        endpoint=endpoint,
        reverts=reverts,
        gas=0 if reverts is not None else answers.quantity(gas),
        gas_max=answers.field(block, "gasLimit"),
        base_fee=answers.field(block, "baseFeePerGas"),
        number=answers.field(block, "number"),
        balance=answers.quantity(balance),
        count=answers.quantity(count),
        tip=suggested_tip(tip[0]) if tip else None,
    )


def suggested_tip(outcome: RpcOutcome) -> int:
    """In wei per gas; a chain without this method is served at the minimum. Raises MalformedResultError."""
    return 0 if isinstance(outcome, RpcRefusedError) else answers.quantity(outcome)
