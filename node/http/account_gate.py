"""How much one account may run at a time on this node."""

import math
import time
from collections import Counter
from collections.abc import Callable

from node.http.errors import ErrorCode, NodeError
from node.permissions.grants import Caller


class AccountGate:
    """Counts what is running per account; endpoints that share a gate share the count.

    Who is refused is told to wait as long again as the account has had no free place, `retry_after_max_s` at most:
    short calls free one soon, long ones do not. `clock` is monotonic, in seconds.
    """

    def __init__(
        self,
        max_concurrent_per_account: int,
        retry_after_max_s: int = 60,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_concurrent_per_account = max_concurrent_per_account
        self._retry_after_max_s = retry_after_max_s
        self._clock = clock
        self._running: Counter[int] = Counter()
        self._full_since: dict[int, float] = {}

    def enter(self, caller: Caller) -> "AccountPlace":
        """Hold one place of the caller's account: `with` it. It raises NodeError `too_many_requests` when all are taken."""
        return AccountPlace(self, caller.master_hash)

    def take(self, account: int) -> None:
        """Take a place. Raises NodeError `too_many_requests`."""
        running = self._running[account]
        if running >= self.max_concurrent_per_account:
            raise self._refusal(account)
        self._running[account] = running + 1
        if running + 1 >= self.max_concurrent_per_account:
            self._full_since[account] = self._clock()

    def give_back(self, account: int) -> None:
        """Give a place that was taken back."""
        self._full_since.pop(account, None)
        self._running[account] -= 1
        if not self._running[account]:
            del self._running[account]

    def _refusal(self, account: int) -> NodeError:
        full_s = self._clock() - self._full_since[account]
        return NodeError(
            ErrorCode.TOO_MANY_REQUESTS,
            f"This account already has {self.max_concurrent_per_account} calls of this kind running.",
            fix="Wait for one of them to end, then send the request again.",
            retry_after_s=min(max(math.ceil(full_s), 1), self._retry_after_max_s),
        )


class AccountPlace:
    """One place of an account, held inside the `with` block."""

    __slots__ = ("_account", "_gate")

    def __init__(self, gate: AccountGate, account: int) -> None:
        self._gate = gate
        self._account = account

    def __enter__(self) -> None:
        self._gate.take(self._account)

    def __exit__(self, *_: object) -> None:
        self._gate.give_back(self._account)
