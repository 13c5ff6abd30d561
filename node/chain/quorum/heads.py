"""Block headers as endpoints report them, read strictly (Ethereum JSON-RPC, eth_getBlockByNumber)."""

import re
from typing import Final

from node.chain.port import Head
from node.chain.rpc import (
    BlockUnknownError,
    Endpoint,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    parse_quantity,
)

HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")

LATEST: Final = RpcCall("eth_getBlockByNumber", ["latest", False])
"""Asks for the head; without the transactions, only their hashes come along."""


def header_at(number: int) -> RpcCall:
    """Asks for the canonical block of that number; null, or an error, from an endpoint that has not got so far."""
    return RpcCall("eth_getBlockByNumber", [hex(number), False], pinned=True)


def parse_head(block: object) -> Head | None:
    """The header in a block object; None for anything that is not a whole one."""
    if not isinstance(block, dict):
        return None
    number, timestamp = parse_quantity(block.get("number")), parse_quantity(block.get("timestamp"))
    block_hash, parent_hash = _hash(block.get("hash")), _hash(block.get("parentHash"))
    if number is None or timestamp is None or block_hash is None or parent_hash is None:
        return None
    return Head(number, block_hash, parent_hash, timestamp)


def reported_head(endpoint: Endpoint, outcome: RpcOutcome) -> Head | None:
    """The header `endpoint` answered; None when it has no such block. Raises RpcUnavailableError for anything else."""
    if outcome is None or isinstance(outcome, BlockUnknownError):
        return None
    if isinstance(outcome, RpcRefusedError):
        raise RpcUnavailableError(outcome.host, f"refused a header with error {outcome.code}")
    head = parse_head(outcome)
    if head is None:
        raise endpoint.fault("its answer is no block header")
    return head


def _hash(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and HASH.fullmatch(value) else None
