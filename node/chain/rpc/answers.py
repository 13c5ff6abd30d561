"""Checked results of JSON-RPC calls: quantities, tips, block headers and logs, and how many blocks' logs to ask at once. Pure.

Headers come by eth_getBlockByNumber, logs by eth_getLogs (Ethereum JSON-RPC).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.port import Head
from node.chain.rpc.client import Provider
from node.chain.rpc.wire import (
    BlockUnknownError,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    parse_quantity,
)


class MalformedResultError(RpcUnavailableError):
    """An answer of the wrong kind, which is a fault of the provider."""

    def __init__(self, why: str) -> None:
        super().__init__("of the batch", why)


def result_of(outcome: RpcOutcome) -> JsonValue:
    """Return the result. Raises the RpcRefusedError given in its place."""
    if isinstance(outcome, RpcRefusedError):
        raise outcome
    return outcome


def quantity(outcome: RpcOutcome) -> int:
    """Return a hex quantity as int. Raises RpcRefusedError, or MalformedResultError when it is none."""
    number = parse_quantity(result_of(outcome))
    if number is None:
        raise MalformedResultError("answered no quantity")
    return number


def record(outcome: RpcOutcome) -> Mapping[str, JsonValue]:
    """Return a JSON object. Raises as `quantity` does."""
    result = result_of(outcome)
    if not isinstance(result, dict):
        raise MalformedResultError("answered no object")
    return result


def field(fields: Mapping[str, JsonValue], name: str) -> int:
    """Return a hex quantity of an object. Raises MalformedResultError when it is none, or absent."""
    number = parse_quantity(fields.get(name))
    if number is None:
        raise MalformedResultError(f"answered no quantity as {name}")
    return number


def base_fee_of(block: Mapping[str, JsonValue]) -> int:
    """Return a block's base fee in wei per gas, 0 where the chain has none. Raises MalformedResultError."""
    # The one quantity that may be absent: a chain without EIP-1559 has no base fee.
    return 0 if block.get("baseFeePerGas") is None else field(block, "baseFeePerGas")


HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")


LATEST: Final = RpcCall("eth_getBlockByNumber", ["latest", False])
"""Request for the head; of the transactions only the hashes come with it."""


HEIGHT: Final = RpcCall("eth_blockNumber")
"""Request for the number of the head."""

TIPS: Final = (RpcCall("eth_maxPriorityFeePerGas", optional=True), RpcCall("eth_gasPrice", optional=True))
"""Requests for a suggested tip: chains that lack the first method may have the second."""


def suggested_tip(outcomes: Sequence[RpcOutcome], base_fee: int) -> int:
    """Return the tip in wei per gas that the outcomes of TIPS suggest, under the base fee of the same exchange.

    Without a suggestion it is what the gas price is above the base fee; 0 where that is refused too. Raises
    MalformedResultError.
    """
    for outcome, included in zip(outcomes, (0, base_fee), strict=True):
        if not isinstance(outcome, RpcRefusedError):
            return max(0, quantity(outcome) - included)
    return 0


def header_at(number: int) -> RpcCall:
    """Return the request for the canonical block of that number; a provider below it answers null or an error."""
    # Pinned: the lack of the block is an answer here, and no fault of the provider.
    return RpcCall("eth_getBlockByNumber", [hex(number), False], pinned=True)


def parse_head(block: object) -> Head | None:
    """Return the header in a block object; None for anything that is not a whole one."""
    if not isinstance(block, dict):
        return None
    number, timestamp = parse_quantity(block.get("number")), parse_quantity(block.get("timestamp"))
    block_hash, parent_hash = _hash(block.get("hash")), _hash(block.get("parentHash"))
    # A pending block has no hash: it is no head.
    if number is None or timestamp is None or block_hash is None or parent_hash is None:
        return None
    return Head(number, block_hash, parent_hash, timestamp)


def reported_head(provider: Provider, outcome: RpcOutcome) -> Head | None:
    """Return the header that `provider` answered; None when it has no such block. Raises RpcUnavailableError."""
    if outcome is None or isinstance(outcome, BlockUnknownError):
        return None
    if isinstance(outcome, RpcRefusedError):
        raise RpcUnavailableError(outcome.host, f"refused a header with error {outcome.code}")
    head = parse_head(outcome)
    if head is None:
        raise provider.fault("its answer is no block header")
    return head


def _hash(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and HASH.fullmatch(value) else None


WORD: Final = re.compile(r"0x[0-9a-f]{64}")
ADDRESS_TOPIC: Final = re.compile(r"0x0{24}[0-9a-f]{40}")

GROW_AFTER: Final = 8
"""Ranges read in full before a larger one is tried again: a refusal may count against the node's rate limit."""

Log: TypeAlias = Mapping[str, JsonValue]


class MalformedLogsError(ValueError):
    """The answer does not fit the request; the text says why and quotes nothing."""


class LogRange:
    """Number of blocks whose logs are asked at once: halved when refused, grown again slowly, within 1 to `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._in_a_row = 0
        self.blocks = most

    def refused(self) -> bool:
        """Halve the range; return False when it was one block already."""
        self._in_a_row = 0
        if self.blocks == 1:
            return False
        self.blocks //= 2
        return True

    def read(self, blocks: int) -> None:
        """Note that so many blocks were read at once; only a full range suggests that a larger one succeeds."""
        if blocks < self.blocks:
            return
        self._in_a_row += 1
        if self._in_a_row >= GROW_AFTER:
            self._in_a_row = 0
            self.blocks = min(self._most, self.blocks * 2)


def logs_of(answer: JsonValue, address: str) -> Iterator[Log]:
    """Yield the logs of the contract at `address` (lower-case 0x hex). Raises MalformedLogsError for any other log."""
    if not isinstance(answer, list):
        raise MalformedLogsError("its logs are no list")
    for log in answer:
        if not isinstance(log, dict):
            raise MalformedLogsError("one of its logs is no object")
        emitter = log.get("address")
        # Servers may ignore the filter, and another contract may emit the same topics.
        if not isinstance(emitter, str) or emitter.lower() != address:
            raise MalformedLogsError("one of its logs is of another contract")
        if log.get("removed", False) is not False:
            raise MalformedLogsError("one of its logs is of a block it has dropped")
        yield log


def number_of(log: Log, name: str, least: int, most: int) -> int:
    """Return a quantity of a log. Raises MalformedLogsError unless it is between `least` and `most`."""
    number = parse_quantity(log.get(name))
    if number is None or not least <= number <= most:
        raise MalformedLogsError("one of its logs is outside the range")
    return number


def word_of(log: Log, name: str) -> str:
    """Return 32 bytes of a log, as lower-case 0x hex. Raises MalformedLogsError."""
    value = log.get(name)
    if not isinstance(value, str) or not WORD.fullmatch(value.lower()):
        raise MalformedLogsError("one of its logs has not the fields of a log")
    return value.lower()


def address_of(topic: str) -> str:
    """Return the address in a topic, as lower-case 0x hex. Raises MalformedLogsError."""
    if not ADDRESS_TOPIC.fullmatch(topic):
        raise MalformedLogsError("one of its logs names no address")
    return "0x" + topic[-40:]
