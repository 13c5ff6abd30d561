"""Block headers as endpoints report them (Ethereum JSON-RPC, eth_getBlockByNumber), and which block to read at."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeVar

from node.chain.port import Head
from node.chain.quorum.tally import at_least
from node.chain.rpc import (
    BlockUnknownError,
    Endpoint,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    parse_quantity,
)

Voter = TypeVar("Voter", bound=Hashable)

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


def height_of(heads: Sequence[Head], quorum: int) -> int | None:
    """The quorum-th highest of the heads: so many endpoints have reached it. None of fewer heads than a quorum."""
    if len(heads) < quorum:
        return None
    return at_least([head.number for head in heads], quorum)


def candidate_heads(
    fresh: Mapping[Voter, Head], known: Mapping[Voter, Head], quorum: int, floor: int, agreed: Head | None
) -> tuple[Head, ...]:
    """The blocks to seek agreement at, the best first; empty while a quorum has not reached `floor`.

    `fresh` is what endpoints report now, `known` what those without a fresh report said last; `agreed` is the last head
    agreed on. The quorum-th highest head comes first. One endpoint may have lifted it to where no quorum can confirm
    it; so the lower ones reported now follow. What was only known before is not followed downwards: that way a single
    endpoint could lead back to a block of the past.
    """
    heads = [*fresh.values(), *(head for voter, head in known.items() if voter not in fresh)]
    height = height_of(heads, quorum)
    if height is None:
        return ()
    now, ever = Counter(fresh.values()), Counter(heads)
    eligible = {head for head in heads if head.number == height} | {head for head in now if head.number < height}
    ranked = sorted(
        (head for head in ever if head in eligible and head.number >= floor),
        key=lambda head: (head.number, now[head], head == agreed, ever[head]),
        reverse=True,
    )
    return tuple(ranked)


def may_rise(asked: Sequence[Head], unasked: int, quorum: int, height: int | None) -> bool:
    """Whether `unasked` more endpoints could, at best, lift the height above `height`, given the heads of the others."""
    if unasked == 0:
        return False
    at_best = height_of(asked, quorum - unasked) if unasked < quorum else None
    return height is None or at_best is None or at_best > height


def _hash(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and HASH.fullmatch(value) else None
