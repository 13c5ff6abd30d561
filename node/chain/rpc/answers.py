"""Checks results of JSON-RPC calls: quantities, tips, block headers and logs. Pure.

Headers come by eth_getBlockByNumber, logs by eth_getLogs, in ranges that adapt to refusals.
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
    """Result of the wrong kind, which is a fault of the provider."""

    def __init__(self, why: str) -> None:
        super().__init__("of the batch", why)


def result_of(outcome: RpcOutcome) -> JsonValue:
    """Returns the result. Raises the RpcRefusedError given in its place."""
    if isinstance(outcome, RpcRefusedError):
        raise outcome
    return outcome


def quantity(outcome: RpcOutcome) -> int:
    """Returns a hex quantity as int. Raises RpcRefusedError, MalformedResultError."""
    number = parse_quantity(result_of(outcome))
    if number is None:
        raise MalformedResultError("answered no quantity")
    return number


def record(outcome: RpcOutcome) -> Mapping[str, JsonValue]:
    """Returns a JSON object. Raises RpcRefusedError, MalformedResultError."""
    result = result_of(outcome)
    if not isinstance(result, dict):
        raise MalformedResultError("answered no object")
    return result


def field(fields: Mapping[str, JsonValue], name: str) -> int:
    """Returns a hex quantity of an object. Raises MalformedResultError, also if it is absent."""
    number = parse_quantity(fields.get(name))
    if number is None:
        raise MalformedResultError(f"answered no quantity as {name}")
    return number


def base_fee_of(block: Mapping[str, JsonValue]) -> int:
    """Returns a block's base fee in wei per gas, 0 if it has none. Raises MalformedResultError."""
    # The one quantity that may be absent: a chain without EIP-1559 has no base fee.
    return 0 if block.get("baseFeePerGas") is None else field(block, "baseFeePerGas")


HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")


LATEST: Final = RpcCall("eth_getBlockByNumber", ["latest", False])
"""Request for the head. The result has only the hashes of its transactions."""


HEIGHT: Final = RpcCall("eth_blockNumber")
"""Request for the number of the head."""

TIPS: Final = (RpcCall("eth_maxPriorityFeePerGas", optional=True), RpcCall("eth_gasPrice", optional=True))
"""Requests for a suggested tip: chains that lack the first method may have the second."""


def suggested_tip(outcomes: Sequence[RpcOutcome], base_fee: int) -> int:
    """Returns the tip in wei per gas that the outcomes of TIPS suggest.

    `base_fee` is that of the same exchange. If the chain suggests no tip, the gas price minus the
    base fee counts; if both are refused, 0. Raises MalformedResultError.
    """
    for outcome, included in zip(outcomes, (0, base_fee), strict=True):
        if not isinstance(outcome, RpcRefusedError):
            return max(0, quantity(outcome) - included)
    return 0


def header_at(number: int) -> RpcCall:
    """Returns the request for the canonical block of a number. A provider may lack the block."""
    # Pinned: the lack of the block is a result here, and no fault of the provider.
    return RpcCall("eth_getBlockByNumber", [hex(number), False], pinned=True)


def parse_head(block: object) -> Head | None:
    """Returns the header in a block object, or None if it is not a complete header."""
    if not isinstance(block, dict):
        return None
    number, timestamp = parse_quantity(block.get("number")), parse_quantity(block.get("timestamp"))
    block_hash, parent_hash = _hash(block.get("hash")), _hash(block.get("parentHash"))
    # A pending block has no hash, so it is no head.
    if number is None or timestamp is None or block_hash is None or parent_hash is None:
        return None
    return Head(number, block_hash, parent_hash, timestamp)


def reported_head(provider: Provider, outcome: RpcOutcome) -> Head | None:
    """Returns the header that `provider` gave, None if it has none. Raises RpcUnavailableError."""
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
"""Ranges read in full before a larger one is tried; a refusal may count against a rate limit."""

Log: TypeAlias = Mapping[str, JsonValue]


class MalformedLogsError(ValueError):
    """The result does not fit the request; the text says why and quotes nothing."""


class LogRange:
    """Number of blocks whose logs one request asks for. Refusals halve it; it grows back slowly."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._in_a_row = 0
        self.blocks = most

    def refused(self) -> bool:
        """Halves the range. Returns False if it was one block already."""
        self._in_a_row = 0
        if self.blocks == 1:
            return False
        self.blocks //= 2
        return True

    def read(self, blocks: int) -> None:
        """Records a successful read. Only a full range suggests that a larger one succeeds."""
        if blocks < self.blocks:
            return
        self._in_a_row += 1
        if self._in_a_row >= GROW_AFTER:
            self._in_a_row = 0
            self.blocks = min(self._most, self.blocks * 2)


def logs_of(answer: JsonValue, address: str) -> Iterator[Log]:
    """Yields the logs of the contract at `address` (lower-case 0x). Raises MalformedLogsError."""
    if not isinstance(answer, list):
        raise MalformedLogsError("its logs are no list")
    for log in answer:
        if not isinstance(log, dict):
            raise MalformedLogsError("one of its logs is no object")
        emitter = log.get("address")
        # A server may ignore the filter, and another contract may emit the same topics.
        if not isinstance(emitter, str) or emitter.lower() != address:
            raise MalformedLogsError("one of its logs is of another contract")
        if log.get("removed", False) is not False:
            raise MalformedLogsError("one of its logs is of a block it has dropped")
        yield log


def number_of(log: Log, name: str, least: int, most: int) -> int:
    """Returns a quantity of a log. Raises MalformedLogsError if it is outside `least` to `most`."""
    number = parse_quantity(log.get(name))
    if number is None or not least <= number <= most:
        raise MalformedLogsError("one of its logs is outside the range")
    return number


def word_of(log: Log, name: str) -> str:
    """Returns 32 bytes of a log, as lower-case 0x hex. Raises MalformedLogsError."""
    value = log.get(name)
    if not isinstance(value, str) or not WORD.fullmatch(value.lower()):
        raise MalformedLogsError("one of its logs has not the fields of a log")
    return value.lower()


def address_of(topic: str) -> str:
    """Returns the address in a topic, as lower-case 0x hex. Raises MalformedLogsError."""
    if not ADDRESS_TOPIC.fullmatch(topic):
        raise MalformedLogsError("one of its logs names no address")
    return "0x" + topic[-40:]
