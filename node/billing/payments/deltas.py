"""Rows of the outbox, and those that are being sent together."""

from collections.abc import Sequence
from dataclasses import dataclass

from node.billing.payments.rows import text, text_or_none, whole
from node.database.port import Row


@dataclass(frozen=True, slots=True)
class Delta:
    """Credit that the customer has more (below zero: less); after a day it is looked for after `after_transaction`."""

    account: str
    number: int
    customer: str
    cents: int
    after_transaction: str | None
    created_s: int

    @classmethod
    def of(cls, row: Row) -> "Delta":
        """A row: account, number, customer, cents, after_transaction, created_s."""
        account, number, customer, cents, after, created_s = row
        return cls(text(account), whole(number), text(customer), whole(cents), text_or_none(after), whole(created_s))

    @property
    def cause(self) -> str:
        """The time makes it another one than that of a row which a restored backup lacks."""
        return f"mirror:{self.account}:{self.number}:{self.created_s}"


class Batch:
    """Rows that lanes share."""

    def __init__(self, deltas: Sequence[Delta]) -> None:
        self.sent = 0
        self._waiting = list(reversed(deltas))
        self._under_way: set[Delta] = set()
        self._failures = 0

    @property
    def unfinished(self) -> Sequence[Delta]:
        """Those of which nothing is known."""
        return [*self._waiting, *self._under_way]

    def take(self) -> Delta | None:
        """The next row; None: there is none."""
        if not self._waiting:
            return None
        delta = self._waiting.pop()
        self._under_way.add(delta)
        return delta

    def rests(self, delta: Delta) -> None:
        """It waits for another round."""
        self._under_way.discard(delta)

    def succeeded(self, delta: Delta) -> None:
        """It was sent."""
        self._under_way.discard(delta)
        self.sent += 1
        self._failures = 0

    def failed(self, delta: Delta) -> int:
        """The processor failed at it; how many in a row."""
        self._under_way.discard(delta)
        self._failures += 1
        return self._failures
