"""How much one account may run at a time on this node."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from node.errors import ErrorCode, NodeError
from node.permissions.grants import Caller


class AccountGate:
    """Counts what is running per account; endpoints that share a gate share the count."""

    def __init__(self, max_concurrent_per_account: int) -> None:
        self.max_concurrent_per_account = max_concurrent_per_account
        self._running: Counter[int] = Counter()

    @contextmanager
    def enter(self, caller: Caller) -> Iterator[None]:
        """Hold one place of the caller's account. Raises NodeError `too_many_requests` when all are taken."""
        account = caller.master_hash
        if self._running[account] >= self.max_concurrent_per_account:
            raise NodeError(
                ErrorCode.TOO_MANY_REQUESTS,
                f"This account already has {self.max_concurrent_per_account} calls of this kind running.",
                fix="Wait for one of them to end, then send the request again.",
                retry_after_s=1,
            )
        self._running[account] += 1
        try:
            yield
        finally:
            self._running[account] -= 1
            if not self._running[account]:
                del self._running[account]
