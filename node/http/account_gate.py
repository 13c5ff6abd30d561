"""How much one account may run at a time on this node."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from node.errors import ErrorCode, NodeError
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

    @contextmanager
    def enter(self, caller: Caller) -> Iterator[None]:
        """Hold one place of the caller's account. Raises NodeError `too_many_requests` when all are taken."""
        account = caller.master_hash
        if self._running[account] >= self.max_concurrent_per_account:
            raise self._refusal(account)
        self._take(account)
        try:
            yield
        finally:
            self._give_back(account)

    def _take(self, account: int) -> None:
        self._running[account] += 1
        if self._running[account] >= self.max_concurrent_per_account:
            self._full_since[account] = self._clock()

    def _give_back(self, account: int) -> None:
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
