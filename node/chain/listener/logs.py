"""What an endpoint answers to eth_getLogs, taken for what was asked or not at all; pure."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from pydantic import JsonValue

from node.chain.rpc import parse_quantity

WORD: Final = re.compile(r"0x[0-9a-f]{64}")
TOPICS_MAX: Final = 4


class MalformedLogsError(ValueError):
    """The answer is not one to what was asked; the text says why and quotes nothing."""


def changes_of(answer: JsonValue, address: str, topics: Collection[str], first: int, last: int) -> Mapping[int, int]:
    """Master hash to the number of the last block in `first`..`last` that changed it.

    `address` and `topics` are lower-case 0x hex. Raises MalformedLogsError when any log is not one that was asked for.
    """
    if not isinstance(answer, list):
        raise MalformedLogsError("its logs are no list")
    changes: dict[int, int] = {}
    for log in answer:
        if not isinstance(log, dict):
            raise MalformedLogsError("one of its logs is no object")
        _require_asked_for(log, address)
        number = _number(log, first, last)
        master = _master(log, topics)
        changes[master] = max(number, changes.get(master, 0))
    return changes


def _require_asked_for(log: Mapping[str, JsonValue], address: str) -> None:
    told = log.get("address")
    if not isinstance(told, str) or told.lower() != address:
        raise MalformedLogsError("one of its logs is of another contract")
    if log.get("removed", False) is not False:
        raise MalformedLogsError("one of its logs is of a block it has dropped")


def _number(log: Mapping[str, JsonValue], first: int, last: int) -> int:
    number = parse_quantity(log.get("blockNumber"))
    if number is None or not first <= number <= last:
        raise MalformedLogsError("one of its logs is outside the range")
    return number


def _master(log: Mapping[str, JsonValue], topics: Collection[str]) -> int:
    told = log.get("topics")
    if not isinstance(told, list) or not 2 <= len(told) <= TOPICS_MAX:
        raise MalformedLogsError("one of its logs has not the topics of an account's")
    event, master = told[0], told[1]
    if not (isinstance(event, str) and event in topics and isinstance(master, str) and WORD.fullmatch(master)):
        raise MalformedLogsError("one of its logs is of another event")
    return int(master, 16)
