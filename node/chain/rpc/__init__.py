"""JSON-RPC: one client over several ordered endpoints, batches, and errors by kind."""

from node.chain.rpc.client import Endpoint, EndpointHealth, JsonRpc, eth_call_of, returned_bytes
from node.chain.rpc.websocket import Websocket, WebsocketAddress
from node.chain.rpc.wire import (
    BatchRefusedError,
    BlockUnknownError,
    CallRevertedError,
    RpcCall,
    RpcError,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    chain_unavailable,
    parse_quantity,
)

__all__ = [
    "BatchRefusedError",
    "BlockUnknownError",
    "CallRevertedError",
    "Endpoint",
    "EndpointHealth",
    "JsonRpc",
    "RpcCall",
    "RpcError",
    "RpcOutcome",
    "RpcRefusedError",
    "RpcUnavailableError",
    "Websocket",
    "WebsocketAddress",
    "chain_unavailable",
    "eth_call_of",
    "parse_quantity",
    "returned_bytes",
]
