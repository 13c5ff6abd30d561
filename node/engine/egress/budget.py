"""What is scarce, memory for bodies and sockets: taken from what all have, and from what an account may have of that."""

from typing import Self
from weakref import WeakValueDictionary

from node.engine.egress.refusal import FetchRefusedError


class Budget:
    """At most `maximum` at a time, and of `shared` what that has left; `refusal` is told whoever finds too little."""

    def __init__(self, maximum: int, refusal: str, shared: Self | None = None) -> None:
        self._free = maximum
        self._refusal = refusal
        self._shared = shared

    def take(self, count: int) -> None:
        """Raises FetchRefusedError when there is not so much left; then nothing is taken."""
        if count > self._free:
            raise FetchRefusedError(self._refusal)
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

    def __init__(self, maximum: int, maximum_per_account: int, refusal: str) -> None:
        self._all = Budget(maximum, refusal)
        self._per_account = maximum_per_account
        self._refusal = refusal
        self._accounts: WeakValueDictionary[int, Budget] = WeakValueDictionary()

    def of(self, account: int) -> Budget:
        """The account's budget, the same to everybody who holds it at a time."""
        return self._accounts.setdefault(account, Budget(self._per_account, self._refusal, self._all))


class Holding:
    """What one body takes of a budget, to be released once."""

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
