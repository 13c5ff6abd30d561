"""The events of a receipt, decoded by the contract's ABI."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, TypeAdapter

from node.chain.abi.decoder import AbiDecodeError, Codec, decode_all
from node.chain.abi.types import AbiEntry, AbiParameter, account_of, codec_of_all, signature
from node.chain.artifacts import account_contract_abi
from node.chain.port import ContractEvent
from node.values import keccak256


@dataclass(frozen=True, slots=True)
class _Event:
    name: str
    indexed: tuple[str, ...]
    topics: Codec
    data_names: tuple[str, ...]
    data: Codec
    account: str | None
    """The argument that names an account by its hash."""


class EventDecoder:
    """Reads the logs that the contract at `address` left in a receipt; logs of others are passed over.

    Indexed arguments of the contract are all of one word (its ABI says so, and a test).
    """

    def __init__(self, abi: JsonValue, address: str) -> None:
        self._address = address.lower()
        entries = TypeAdapter(tuple[AbiEntry, ...]).validate_python(abi)
        self._events = {_topic(entry): _event(entry) for entry in entries if entry.type == "event"}
        self._accounts = {event.name: event.account for event in self._events.values() if event.account is not None}

    def decode(self, logs: Sequence[JsonValue]) -> tuple[ContractEvent, ...]:
        """The known events among `logs` (JSON-RPC log objects), in order. One that does not decode is left out."""
        found = (self._decode(log) for log in logs if isinstance(log, dict))
        return tuple(event for event in found if event is not None)

    def accounts_of(self, events: Iterable[ContractEvent]) -> frozenset[int]:
        """The hashes of the accounts that `events` name."""
        named = [event.arguments[self._accounts[event.name]] for event in events if event.name in self._accounts]
        return frozenset(each for each in named if isinstance(each, int))

    def _decode(self, log: Mapping[str, JsonValue]) -> ContractEvent | None:
        topics, data = log.get("topics"), log.get("data")
        if str(log.get("address")).lower() != self._address or not isinstance(topics, list) or not topics:
            return None
        event = self._events.get(str(topics[0]).lower())
        if event is None:
            return None
        try:
            words = bytes.fromhex("".join(str(topic).removeprefix("0x") for topic in topics[1:]))
            indexed = decode_all(event.topics, words)
            rest = decode_all(event.data, bytes.fromhex(str(data).removeprefix("0x")))
        except (AbiDecodeError, ValueError):
            return None
        named = zip((*event.indexed, *event.data_names), (*indexed, *rest), strict=True)
        return ContractEvent(event.name, dict(named))


def _topic(entry: AbiEntry) -> str:
    return "0x" + keccak256(signature(entry).encode()).hex()


def _event(entry: AbiEntry) -> _Event:
    indexed = [each for each in entry.inputs if each.indexed]
    rest = [each for each in entry.inputs if not each.indexed]
    topics, data, account = codec_of_all(indexed), codec_of_all(rest), account_of(entry.inputs)
    return _Event(entry.name, _names(indexed), topics, _names(rest), data, None if account is None else account.name)


def _names(parameters: Sequence[AbiParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters)


def account_config_events(address: str) -> EventDecoder:
    """The decoder of the committed artifact's events for the contract at `address`."""
    return EventDecoder(list(account_contract_abi()), address)
