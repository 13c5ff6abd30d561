"""Budgets of memory and sockets: one of all accounts, and one of each account within it."""

from typing import Self
from weakref import WeakValueDictionary

from node.engine.egress.targets import FetchRefusedError


class Budget:
    """At most `maximum` at a time, which also counts in `shared`. `refusal` is the reason when too little is left."""

    def __init__(self, maximum: int, refusal: str, shared: Self | None = None) -> None:
        self._free = maximum
        self._refusal = refusal
        self._shared = shared

    def take(self, count: int) -> None:
        """Take `count`. Raises FetchRefusedError when less is left; then nothing is taken."""
        if count > self._free:
            raise FetchRefusedError(self._refusal)
        if self._shared is not None:
            self._shared.take(count)
        self._free -= count

    def give_back(self, count: int) -> None:
        """Return what `take` took, or part of it."""
        self._free += count
        if self._shared is not None:
            self._shared.give_back(count)


class AccountBudgets:
    """Budget of all accounts, and one of each account while it is referenced."""

    def __init__(self, maximum: int, maximum_per_account: int, refusal: str) -> None:
        self._all = Budget(maximum, refusal)
        self._per_account = maximum_per_account
        self._refusal = refusal
        self._accounts: WeakValueDictionary[int, Budget] = WeakValueDictionary()

    def of(self, account: int) -> Budget:
        """Return the account's budget, the same one as long as it is referenced."""
        return self._accounts.setdefault(account, Budget(self._per_account, self._refusal, self._all))


class Holding:
    """Part of a budget that one body takes."""

    def __init__(self, budget: Budget) -> None:
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
