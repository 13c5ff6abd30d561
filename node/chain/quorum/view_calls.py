"""Views to call at a block, and the answers of an endpoint: two are equal when their bytes are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.abi import AbiDecodeError
from node.chain.port import Head
from node.chain.rpc import (
    BlockUnknownError,
    CallRevertedError,
    Endpoint,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    eth_call_of,
    returned_bytes,
)

OUT_OF_GAS: Final = "out of gas"
"""Error text of geth for a view that is more than it computes; anvil answers a bare revert instead."""


@dataclass(frozen=True, slots=True)
class ViewCall:
    """A view to be called: calldata for the contract at `to`, and how its answer is decoded.

    Without `to` the data is a program of this node's own, and `gas` what it may burn. `decode` raises AbiDecodeError
    for bytes that cannot be the view's answer.
    """

    to: str | None
    data: bytes
    decode: Callable[[bytes], tuple[object, ...]]
    gas: int | None = None

    def at(self, head: Head) -> RpcCall:
        """The `eth_call` at that very block, refused by an endpoint for which it is not canonical (EIP-1898)."""
        place: JsonValue = {"blockHash": head.hash, "requireCanonical": True}
        block = eth_call_of(self.to, self.data, place, gas=self.gas)
        return RpcCall(block.method, block.params, pinned=True)


@dataclass(frozen=True, slots=True)
class Returned:
    """The view returned these bytes; `values` is what they decode to."""

    data: bytes
    values: tuple[object, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Reverted:
    """The view reverted with this data, which is never empty."""

    data: bytes


@dataclass(frozen=True, slots=True)
class NotComputed:
    """The endpoint ran out of its own bounds, which differ: no word about the contract, whose views always say why."""


NOT_COMPUTED: Final = NotComputed()

Answer: TypeAlias = Returned | Reverted | NotComputed


def answer_of(endpoint: Endpoint, call: ViewCall, outcome: RpcOutcome) -> Answer | None:
    """The answer in `outcome`; None when the endpoint does not know the block.

    Raises RpcUnavailableError for anything that is no answer: counted as a fault when it is malformed, else not.
    """
    try:
        data = returned_bytes(endpoint, outcome)
        return Returned(data, call.decode(data))
    except BlockUnknownError:
        return None
    except CallRevertedError as reverted:
        return Reverted(reverted.data) if reverted.data else NOT_COMPUTED
    except RpcRefusedError as refused:
        if OUT_OF_GAS in refused.message.lower():
            return NOT_COMPUTED
        # A view that an endpoint cannot run is not the endpoint's ill health.
        raise RpcUnavailableError(refused.host, f"refused a view with error {refused.code}") from None
    except AbiDecodeError:
        raise endpoint.fault("its answer to a view is not the contract's") from None
