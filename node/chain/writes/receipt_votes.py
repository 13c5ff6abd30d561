"""Receipts that each provider shows of one write, and the one that a quorum agrees on (pure)."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.chain.quorum.tally import Tally
from node.chain.rpc import Endpoint, RpcOutcome

Receipt: TypeAlias = Mapping[str, JsonValue]

COMPARED: Final = ("blockHash", "blockNumber", "transactionIndex", "status")
"""Fields in which two receipts must agree, beside their logs. Clients differ in what else they show."""


@dataclass(frozen=True, slots=True)
class SeenReceipt:
    """A receipt as one provider shows it. Two are equal when the parts that are read of them are."""

    substance: Hashable
    receipt: Receipt = field(compare=False)


class ReceiptVotes:
    """Last reply of each provider for each attempt of one write. None: it has no receipt, which contradicts nobody."""

    def __init__(self) -> None:
        self._votes: dict[str, dict[Endpoint, tuple[SeenReceipt | None]]] = {}

    def note(self, endpoint: Endpoint, attempt_hash: str, outcome: RpcOutcome) -> None:
        """Note a provider's reply for the receipt of this attempt. Anything but that very receipt counts as none."""
        seen = None
        if isinstance(outcome, dict) and str(outcome.get("transactionHash")).lower() == attempt_hash:
            seen = SeenReceipt(_substance(outcome), outcome)
        self._votes.setdefault(attempt_hash, {})[endpoint] = (seen,)

    def agreed(self, quorum: int) -> Receipt | None:
        """Return the receipt that a quorum shows."""
        for votes in self._votes.values():
            # As many may have no receipt yet: with a quorum that is no majority that must not hide one.
            seen = Tally({endpoint: vote for endpoint, vote in votes.items() if vote != (None,)}, quorum).agreed
            if seen is not None and seen[0] is not None:
                return seen[0].receipt
        return None

    def contradicting(self, receipt: Receipt) -> Sequence[Endpoint]:
        """Return the providers that show another receipt of the same attempt. A missing one contradicts nothing."""
        votes = self._votes.get(str(receipt.get("transactionHash")).lower(), {})
        agreed = SeenReceipt(_substance(receipt), receipt)
        return list(Tally(votes, quorum=1, abstention=None).contradicting([agreed]))

    def is_settled(self, attempt_hash: str, asked: Collection[Endpoint], quorum: int) -> bool:
        """Whether a quorum says the same of this attempt. A missing receipt counts only of the providers just asked."""
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
