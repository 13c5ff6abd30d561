"""Queries of a follower to its provider. A malformed result is the provider's fault and raises."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi, account_of
from node.chain.port import Head
from node.chain.rpc import Provider, RpcCall, RpcError, RpcOutcome, RpcRefusedError, RpcUnavailableError, parse_quantity
from node.chain.rpc.answers import LATEST, WORD, Log, MalformedLogsError, header_at, logs_of, number_of, parse_head
from node.settings.chain import ListenerSettings

EXCHANGE_TIMEOUT_S: Final = 10.0
"""Time-out of one request of a follower: logs of many blocks take a provider seconds."""

LOGS_MAX: Final = 20_000
"""Logs taken from one result, some 10 MiB of JSON. With more the range counts as refused."""

TOPICS_MAX: Final = 4
NUMBER_MAX: Final = 2**63 - 1
"""Largest integer of SQLite."""


class LogsRefusedError(RpcUnavailableError):
    """The provider does not give the logs of this range; it may give those of a smaller one."""


@dataclass(frozen=True, slots=True)
class ListenedContract:
    """Contract that is followed: chain id, address (0x hex) and the first topics of its events."""

    chain_id: int
    address: str
    topics: frozenset[str]


@dataclass(frozen=True, slots=True)
class ProviderView:
    """Head of a provider and requested blocks (None if it lacks one), of one exchange."""

    head: Head
    blocks: Mapping[int, Head | None]

    def hash_at(self, number: int) -> str | None:
        """Returns the hash of a requested block, or None if the provider lacks it."""
        block = self.blocks.get(number)
        return None if block is None else block.hash


class ProviderQueries:
    """Queries to one provider. Each method raises RpcUnavailableError if no result is usable."""

    def __init__(self, provider: Provider, contract: ListenedContract, settings: ListenerSettings) -> None:
        self._provider = provider
        self._contract = contract
        self._batch_max_calls = settings.listener_batch_max_calls

    async def look(self, numbers: Iterable[int]) -> ProviderView:
        """Returns the head and the canonical blocks of these numbers. Checks the chain id too."""
        wanted = sorted(set(numbers))
        # The chain id and the head take two calls of the batch.
        blocks_max = self._batch_max_calls - 2
        # Every time, since the server behind a name may be replaced by one of another chain.
        calls = [RpcCall("eth_chainId"), LATEST, *map(header_at, wanted[:blocks_max])]
        chain_id, latest, *blocks = await self._send(calls)
        if parse_quantity(chain_id) != self._contract.chain_id:
            raise self._provider.fault("it serves another chain")
        head = _block(latest)
        if head is None:
            raise self._provider.fault("its head is no block")
        found = self._found(wanted[:blocks_max], blocks)
        return ProviderView(head, found | await self.blocks(wanted[blocks_max:]))

    async def blocks(self, numbers: Sequence[int]) -> dict[int, Head | None]:
        """Returns the canonical blocks of these numbers, None where the provider has none."""
        found: dict[int, Head | None] = {}
        most = self._batch_max_calls
        for start in range(0, len(numbers), most):
            part = numbers[start : start + most]
            found |= self._found(part, await self._send([header_at(number) for number in part]))
        return found

    async def block(self, number: int) -> Head:
        """Returns the block of a number below the head."""
        found = (await self.blocks([number]))[number]
        if found is None:
            raise self._provider.fault("it lacks a block below its head")
        return found

    async def changes(self, first: int, last: Head) -> Sequence[tuple[int, int]]:
        """Returns each account (master hash) changed from `first` to `last`, with its last block.

        Raises LogsRefusedError if a smaller range may be given.
        """
        contract = self._contract
        topics: list[JsonValue] = [*sorted(contract.topics)]
        asked: dict[str, JsonValue] = {
            "address": contract.address.lower(),
            "topics": [topics],
            "fromBlock": hex(first),
            "toBlock": hex(last.number),
        }
        # One batch asks for the block and the logs. Servers behind one name differ, and one that
        # lacks the block, or has another there, would silently leave out logs.
        answer, block = await self._logs([RpcCall("eth_getLogs", [asked]), header_at(last.number)])
        found = _block(block)
        if found is None or found.hash != last.hash:
            raise RpcUnavailableError(self._provider.host, "its blocks changed while its logs were read")
        try:
            return changes_of(answer, contract.address.lower(), contract.topics, first, last.number)
        except MalformedLogsError as malformed:
            raise self._provider.fault(str(malformed)) from None

    async def _logs(self, calls: Sequence[RpcCall]) -> tuple[JsonValue, RpcOutcome]:
        host = self._provider.host
        try:
            logs, block = await self._send(calls)
        # Servers refuse too large a range in many ways: any failure may be one of them.
        except RpcError as error:
            raise LogsRefusedError(host, "gave no logs of this range") from error
        if isinstance(logs, RpcRefusedError):
            raise LogsRefusedError(host, f"refused the logs of this range with error {logs.code}")
        if isinstance(logs, list) and len(logs) > LOGS_MAX:
            raise LogsRefusedError(host, "gave more logs than are taken at once")
        return logs, block

    async def _send(self, calls: Sequence[RpcCall]) -> list[RpcOutcome]:
        return await self._provider.send(calls, EXCHANGE_TIMEOUT_S)

    def _found(self, numbers: Sequence[int], outcomes: Sequence[RpcOutcome]) -> dict[int, Head | None]:
        found: dict[int, Head | None] = {}
        for number, outcome in zip(numbers, outcomes, strict=True):
            block = _block(outcome)
            absent = outcome is None or isinstance(outcome, RpcRefusedError)
            if not absent and (block is None or block.number != number):
                raise self._provider.fault("it gave another block than the one asked for")
            found[number] = block
        return found


def _block(outcome: RpcOutcome) -> Head | None:
    # A larger number could not be stored as a cursor.
    block = parse_head(outcome)
    return block if block is not None and block.number <= NUMBER_MAX else None


def account_event_topics(abi: ContractAbi) -> frozenset[str]:
    """Returns the first topics (0x hex) of all the ABI's events that name an account."""
    return frozenset(
        "0x" + topic.hex() for name, topic in abi.events.items() if account_of(abi.event_inputs[name]) is not None
    )


def changes_of(
    answer: JsonValue, address: str, topics: Collection[str], first: int, last: int
) -> Sequence[tuple[int, int]]:
    """Returns each changed account (master hash) with the last block that changed it.

    `address` and `topics` are lower-case 0x hex. Raises MalformedLogsError for an unrequested log.
    """
    # Text keys: a malicious provider can name thousands of numbers that hash alike (mod 2^61-1).
    changes: dict[str, int] = {}
    for log in logs_of(answer, address):
        number, master = number_of(log, "blockNumber", first, last), _master(log, topics)
        changes[master] = max(number, changes.get(master, 0))
    return [(int(master, 16), number) for master, number in changes.items()]


def _master(log: Log, topics: Collection[str]) -> str:
    topics_given = log.get("topics")
    if not isinstance(topics_given, list) or not 2 <= len(topics_given) <= TOPICS_MAX:
        raise MalformedLogsError("one of its logs has not the topics of an account's")
    event, master = topics_given[0], topics_given[1]
    if not (isinstance(event, str) and event in topics and isinstance(master, str) and WORD.fullmatch(master)):
        raise MalformedLogsError("one of its logs is of another event")
    return master
