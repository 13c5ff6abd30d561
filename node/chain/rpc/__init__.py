"""JSON-RPC: one client over several ordered providers, batches, and errors by kind."""

from node.chain.rpc.client import JsonRpc, Provider, ProviderHealth, eth_call_of, returned_bytes
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
    "JsonRpc",
    "Provider",
    "ProviderHealth",
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
