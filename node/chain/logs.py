"""Checked answers to eth_getLogs, and the number of blocks to ask for at once. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.rpc import parse_quantity

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
