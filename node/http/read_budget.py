"""How often callers may make this node read the chain without paying: by account and by address."""

from collections.abc import Callable

from node.http.rate import MINUTE_S, TRACKED_ADDRESSES_MAX, RateLimiter
from node.settings.http import HttpSettings
from node.values import u256_hex


class ReadBudget:
    """Buckets of chain reads. `clock` is monotonic, in seconds."""

    def __init__(self, limits: HttpSettings, clock: Callable[[], float]) -> None:
        self.accounts = RateLimiter(
            "reads of the chain for this account",
            limits.http_chain_reads_per_minute_per_account,
            MINUTE_S,
            clock,
            TRACKED_ADDRESSES_MAX,
            limit="http_chain_reads_per_minute_per_account",
        )
        self.addresses = RateLimiter(
            "reads of the chain for this address",
            limits.http_chain_reads_per_minute_per_address,
            MINUTE_S,
            clock,
            TRACKED_ADDRESSES_MAX,
            limit="http_chain_reads_per_minute_per_address",
        )


class RequestReads:
    """The reads of one request of `address` (of `rate_limit_client`); a ReadMeter.

    The first read asks whether there is anything left of both buckets. The request then goes on, and what it takes beyond
    that is owed: refused halfway, its reads so far would be lost. Requests that were let in together owe a bucket at most.
    Whatever is refused was not sent: a write reads before it is journaled, and not after.
    """

    def __init__(self, budget: ReadBudget, address: str) -> None:
        self._budget = budget
        self._address = address
        self._account: str | None = None
        self._taken = 0
        self._is_closed = False

    def belong_to(self, master_hash: int | None) -> None:
        """Count for this account from here on, also what was read so far to find it; None: it is not known yet.

        Raises NodeError `too_many_requests` when something was read and nothing is left of the account's bucket.
        """
        if master_hash is None or self._account is not None:
            return
        account = u256_hex(master_hash)
        if self._taken:
            self._budget.accounts.check(account)
            self._budget.accounts.spend(account, self._taken)
        self._account = account

    def take(self, count: int) -> None:
        """Count reads. Raises NodeError `too_many_requests`, and counts nothing, when the buckets do not allow them."""
        if self._is_closed:  # by now it is the node's own: a write that was sent is followed, say
            return
        may_owe = self._taken > 0
        self._budget.addresses.check(self._address, may_owe=may_owe)
        if self._account is not None:
            self._budget.accounts.check(self._account, may_owe=may_owe)
        self._taken += count
        self._budget.addresses.spend(self._address, count)
        if self._account is not None:
            self._budget.accounts.spend(self._account, count)

    def give_back(self) -> None:
        """The request was paid for: its reads are free."""
        self._budget.addresses.give_back(self._address, self._taken)
        if self._account is not None:
            self._budget.accounts.give_back(self._account, self._taken)
        self._taken = 0

    def __enter__(self) -> None:
        """The request is in work."""

    def __exit__(self, *_: object) -> None:
        """The request is answered."""
        self._is_closed = True
