"""Which endpoint has seen which receipt, and which of them is to be believed; pure."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.rpc import Endpoint, RpcOutcome
from node.chain.writes.agreed import is_agreed

Receipt: TypeAlias = Mapping[str, JsonValue]

COMPARED: Final = ("blockHash", "blockNumber", "transactionIndex", "status")
"""What must be the same in two endpoints' receipts beside the logs; clients differ in what else they tell."""


class Sightings:
    """The last word of each endpoint on each attempt of one write."""

    def __init__(self) -> None:
        self._words: dict[str, dict[Endpoint, Receipt | None]] = {}

    def note(self, endpoint: Endpoint, attempt_hash: str, outcome: RpcOutcome) -> None:
        """What this endpoint answers for the receipt of this attempt; anything but that very receipt is none."""
        seen = isinstance(outcome, dict) and str(outcome.get("transactionHash")).lower() == attempt_hash
        self._words.setdefault(attempt_hash, {})[endpoint] = outcome if seen and isinstance(outcome, dict) else None

    def believed(self, quorum: int) -> Receipt | None:
        """The receipt that a quorum has seen."""
        for words in self._words.values():
            for receipt in words.values():
                if receipt is not None and self._backers(words, receipt) >= quorum:
                    return receipt
        return None

    def contradicting(self, believed: Receipt) -> Sequence[Endpoint]:
        """Who has another receipt of the same attempt; to have none contradicts nothing."""
        words, substance = self._words.get(str(believed.get("transactionHash")).lower(), {}), _substance(believed)
        others = ((endpoint, each) for endpoint, each in words.items() if each is not None)
        return [endpoint for endpoint, receipt in others if _substance(receipt) != substance]

    def is_settled(self, attempt_hash: str, asked: Collection[Endpoint], quorum: int) -> bool:
        """Whether a quorum says the same of this attempt. That there is no receipt counts of those asked just now."""
        words = self._words.get(attempt_hash, {}).items()
        said = [_substance(receipt) for endpoint, receipt in words if receipt is not None or endpoint in asked]
        return is_agreed(said, quorum)

    def _backers(self, words: Mapping[Endpoint, Receipt | None], receipt: Receipt) -> int:
        substance = _substance(receipt)
        return sum(_substance(each) == substance for each in words.values())


def _substance(receipt: Receipt | None) -> Hashable:
    if receipt is None:
        return None
    logs = receipt.get("logs")
    shown = tuple(_log(each) for each in logs) if isinstance(logs, list) else ()
    return (*(_text(receipt.get(name)) for name in COMPARED), shown)


def _log(log: JsonValue) -> Hashable:
    if not isinstance(log, dict):
        return _text(log)
    topics = log.get("topics")
    shown = tuple(map(_text, topics)) if isinstance(topics, list) else ()
    return (_text(log.get("address")), shown, _text(log.get("data")))


def _text(value: JsonValue) -> str:
    # Quantities and bytes are hex; its case is up to the client.
    return str(value).lower()
