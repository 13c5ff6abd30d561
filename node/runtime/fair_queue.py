"""Round-robin queue over accounts; each account's own waiters in the order they came. Pure."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from typing import Generic, TypeVar

Ticket = TypeVar("Ticket", bound=Hashable)


class FairQueue(Generic[Ticket]):
    """Waiters by account. However many an account has, between two of its turns every other eligible one has one.

    An account that begins to wait stands at the circle's end, and goes there after its turn; one without waiters is
    not remembered, so that leaving and coming back gains nothing.
    """

    def __init__(self) -> None:
        self._circle: OrderedDict[int, OrderedDict[Ticket, None]] = OrderedDict()
        self._waiting = 0

    def __len__(self) -> int:
        """Return the number of waiters of all accounts."""
        return self._waiting

    @property
    def accounts(self) -> Collection[int]:
        """Return the accounts that have waiters, each once."""
        return self._circle.keys()

    def join(self, account: int, ticket: Ticket) -> None:
        """Wait behind the account's other waiters; a ticket waits once."""
        tickets = self._circle.setdefault(account, OrderedDict())
        if ticket in tickets:
            raise ValueError("this ticket waits already")
        tickets[ticket] = None
        self._waiting += 1

    def leave(self, account: int, ticket: Ticket) -> None:
        """Wait no more; nothing happens for one that does not wait."""
        tickets = self._circle.get(account)
        if tickets is None or ticket not in tickets:
            return
        del tickets[ticket]
        self._waiting -= 1
        if not tickets:
            del self._circle[account]

    def next(self, eligible: Callable[[int], bool]) -> tuple[int, Ticket] | None:
        """Take the turn of the first account in the circle that is eligible now; None when none is."""
        # Returned at once: `_take` changes the dictionary under the loop.
        for account in self._circle:
            if eligible(account):
                return account, self._take(account)
        return None

    def count(self, eligible: Callable[[int], bool]) -> int:
        """Return the number of waiters of the accounts that are eligible now."""
        return sum(len(tickets) for account, tickets in self._circle.items() if eligible(account))

    def _take(self, account: int) -> Ticket:
        tickets = self._circle[account]
        ticket, _ = tickets.popitem(last=False)
        self._waiting -= 1
        if tickets:
            self._circle.move_to_end(account)
        else:
            del self._circle[account]
        return ticket
