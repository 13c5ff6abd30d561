"""Which endpoint has seen which receipt, and which of them is to be believed; pure."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.quorum.tally import Tally
from node.chain.rpc import Endpoint, RpcOutcome

Receipt: TypeAlias = Mapping[str, JsonValue]

COMPARED: Final = ("blockHash", "blockNumber", "transactionIndex", "status")
"""What must be the same in two endpoints' receipts beside the logs; clients differ in what else they tell."""


@dataclass(frozen=True, slots=True)
class SeenReceipt:
    """A receipt as one endpoint gives it; two are equal when what is read of them is."""

    substance: Hashable
    receipt: Receipt = field(compare=False)


class Sightings:
    """The last word of each endpoint on each attempt of one write; None: it has no receipt, which contradicts nobody."""

    def __init__(self) -> None:
        self._votes: dict[str, dict[Endpoint, tuple[SeenReceipt | None]]] = {}

    def note(self, endpoint: Endpoint, attempt_hash: str, outcome: RpcOutcome) -> None:
        """What this endpoint answers for the receipt of this attempt; anything but that very receipt is none."""
        seen = None
        if isinstance(outcome, dict) and str(outcome.get("transactionHash")).lower() == attempt_hash:
            seen = SeenReceipt(_substance(outcome), outcome)
        self._votes.setdefault(attempt_hash, {})[endpoint] = (seen,)

    def believed(self, quorum: int) -> Receipt | None:
        """The receipt that a quorum has seen."""
        for votes in self._votes.values():
            # As many may have no receipt yet: with a quorum that is no majority that must not hide one.
            seen = Tally({endpoint: vote for endpoint, vote in votes.items() if vote != (None,)}, quorum).agreed
            if seen is not None and seen[0] is not None:
                return seen[0].receipt
        return None

    def contradicting(self, believed: Receipt) -> Sequence[Endpoint]:
        """Who has another receipt of the same attempt; to have none contradicts nothing."""
        votes = self._votes.get(str(believed.get("transactionHash")).lower(), {})
        agreed = SeenReceipt(_substance(believed), believed)
        return list(Tally(votes, quorum=1, abstention=None).contradicting([agreed]))

    def is_settled(self, attempt_hash: str, asked: Collection[Endpoint], quorum: int) -> bool:
        """Whether a quorum says the same of this attempt. That there is no receipt counts of those asked just now."""
        votes = self._votes.get(attempt_hash, {}).items()
        said = {endpoint: vote for endpoint, vote in votes if vote != (None,) or endpoint in asked}
        return Tally(said, quorum).missing == 0


def _substance(receipt: Receipt) -> Hashable:
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
