"""JSON-RPC as the chain room speaks it: one client over several ordered endpoints, batches, and errors by kind."""

from node.chain.rpc.client import JsonRpc, eth_call_of, returned_bytes
from node.chain.rpc.endpoint import Endpoint, EndpointHealth
from node.chain.rpc.errors import (
    BlockUnknownError,
    CallRevertedError,
    RpcError,
    RpcRefusedError,
    RpcUnavailableError,
    chain_unavailable,
)
from node.chain.rpc.limits import RpcLimits
from node.chain.rpc.websocket import Websocket, WebsocketAddress, WebsocketLimits
from node.chain.rpc.wire import RpcCall, RpcOutcome, parse_quantity

__all__ = [
    "BlockUnknownError",
    "CallRevertedError",
    "Endpoint",
    "EndpointHealth",
    "JsonRpc",
    "RpcCall",
    "RpcError",
    "RpcLimits",
    "RpcOutcome",
    "RpcRefusedError",
    "RpcUnavailableError",
    "Websocket",
    "WebsocketAddress",
    "WebsocketLimits",
    "chain_unavailable",
    "eth_call_of",
    "parse_quantity",
    "returned_bytes",
]
