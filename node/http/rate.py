"""Token buckets: how often one client, or everybody together, may do something."""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.http.errors import ErrorCode, NodeError

MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
TRACKED_ADDRESSES_MAX: Final = 100_000
"""Client addresses whose counters are kept in memory, about 30 MB; beyond it the one seen longest ago is forgotten."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class RateLimiter:
    """One bucket a client: `burst` tokens, refilled evenly within `period_s`; memory is bounded.

    `clock` is monotonic, in seconds. When `max_clients` buckets are kept, the one used longest ago goes first:
    after `period_s` it is full, unless it was overdrawn, and means nothing any more. `limit` is the name of the setting,
    which a refusal tells in `details.limit`.
    """

    def __init__(
        self,
        what: str,
        burst: float,
        period_s: float,
        clock: Callable[[], float],
        max_clients: int = 1,
        *,
        limit: str | None = None,
    ) -> None:
        self._what = what
        self._details: dict[str, JsonValue] | None = None if limit is None else {"limit": limit}
        self._burst = burst
        self._per_second = burst / period_s
        self._clock = clock
        self._max_clients = max_clients
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def check(self, client: str, *, may_owe: bool = False) -> None:
        """Raises NodeError `too_many_requests` with `Retry-After` when the bucket is empty; takes nothing.

        With `may_owe` it is raised when a whole bucket is owed.
        """
        bucket = self._buckets.get(client)
        if bucket is None:
            return
        self._fill(bucket)
        if bucket.tokens + (self._burst if may_owe else 0) < 1:
            wait_s = math.ceil((1 - bucket.tokens) / self._per_second)
            raise NodeError(
                ErrorCode.TOO_MANY_REQUESTS,
                f"Too many {self._what}.",
                fix=f"Wait {wait_s} seconds, then send the request again.",
                details=self._details,
                retry_after_s=wait_s,
            )

    def take(self, client: str) -> None:
        """Take one token. Raises NodeError `too_many_requests` with `Retry-After` when there is none."""
        self.check(client)
        self.spend(client)

    def may_take(self, client: str) -> bool:
        """Take one token if there is one, and say so."""
        try:
            self.take(client)
        except NodeError:
            return False
        return True

    def spend(self, client: str, count: int = 1) -> None:
        """Take `count` tokens, also those that are not there: what was begun together is paid back before the next.

        Were the bucket never below empty, a thousand requests begun at once would cost one token.
        """
        self._used(client).tokens -= count

    def take_up_to(self, client: str, tokens: float) -> float:
        """Take so many tokens, or those there are. Returns how many were taken."""
        bucket = self._used(client)
        taken = min(tokens, max(bucket.tokens, 0.0))
        bucket.tokens -= taken
        return taken

    def _used(self, client: str) -> _Bucket:
        """The client's bucket, filled up to now."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = _Bucket(self._burst, self._clock())
            if len(self._buckets) > self._max_clients:
                self._buckets.popitem(last=False)
        self._fill(bucket)
        self._buckets.move_to_end(client)
        return bucket

    def give_back(self, client: str, count: int) -> None:
        """Put back tokens that were taken."""
        bucket = self._buckets.get(client)
        if bucket is not None:
            self._fill(bucket)
            bucket.tokens = min(self._burst, bucket.tokens + count)

    def _fill(self, bucket: _Bucket) -> None:
        now = self._clock()
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled_at) * self._per_second)
        bucket.filled_at = now


class LoadGate:
    """How many requests the node works on at once."""

    def __init__(self, max_concurrent_requests: int) -> None:
        self.max_concurrent_requests = max_concurrent_requests
        self.running = 0

    def __enter__(self) -> None:
        if self.running >= self.max_concurrent_requests:
            raise self._full()
        self.running += 1

    def __exit__(self, *_: object) -> None:
        self.running -= 1

    @contextmanager
    def waiting_for_client(self) -> Iterator[None]:
        """Inside the gate: give the place up while it is the client, or the chain, who is slow, and take one again.

        Raises NodeError `too_many_requests` when there is none by then.
        """
        self.running -= 1
        try:
            yield
        finally:
            self.running += 1
        if self.running > self.max_concurrent_requests:
            raise self._full()

    def _full(self) -> NodeError:
        return NodeError(
            ErrorCode.TOO_MANY_REQUESTS,
            "This node is working on as many requests as it can.",
            fix="Send the request again in a moment.",
            retry_after_s=1,
        )
