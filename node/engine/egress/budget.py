"""Memory for bodies on their way to an action: taken from what all have, and from what its account may have of that."""

from typing import Self
from weakref import WeakValueDictionary

from node.engine.egress.refusal import FetchRefusedError


class ByteBudget:
    """At most `bytes_max` at a time, and of `shared` what that has left."""

    def __init__(self, bytes_max: int, shared: Self | None = None) -> None:
        self._free = bytes_max
        self._shared = shared

    def take(self, count: int) -> None:
        """Raises FetchRefusedError when there is not so much left; then nothing is taken."""
        if count > self._free:
            raise FetchRefusedError("too many bodies are on their way at once; fetch them one after the other")
        if self._shared is not None:
            self._shared.take(count)
        self._free -= count

    def give_back(self, count: int) -> None:
        """Undo what `take` took, or part of it."""
        self._free += count
        if self._shared is not None:
            self._shared.give_back(count)


class AccountBudgets:
    """One budget of all accounts, and one of each account that anybody holds."""

    def __init__(self, bytes_max: int, bytes_max_per_account: int) -> None:
        self._all = ByteBudget(bytes_max)
        self._per_account = bytes_max_per_account
        self._accounts: WeakValueDictionary[int, ByteBudget] = WeakValueDictionary()

    def of(self, account: int) -> ByteBudget:
        """The account's budget, the same to everybody who holds it at a time."""
        return self._accounts.setdefault(account, ByteBudget(self._per_account, self._all))


class Holding:
    """What one body takes of a budget, to be released once."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self._count = 0

    def add(self, count: int) -> None:
        """Take more. Raises FetchRefusedError."""
        self._budget.take(count)
        self._count += count

    def release(self) -> None:
        """Give all of it back."""
        self._budget.give_back(self._count)
        self._count = 0
