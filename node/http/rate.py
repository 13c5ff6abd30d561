"""Limits on clients: which client an address counts as, token buckets, places of the node and of an account, reads of the chain."""

import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, TypeVar

import structlog
from pydantic import JsonValue

from node.http.errors import ErrorCode, NodeError
from node.permissions.grants import Caller
from node.settings.http import HttpSettings
from node.values import IpAddress, IpNetwork, u256_hex

_IPV6_CLIENT_PREFIX: Final = 64
"""Bits that name an IPv6 client, which usually owns a whole /64 (RFC 6177)."""

_FORWARDED_MAX: Final = 32
"""Entries of a forwarding header that are read: more proxies than any client passes."""
_WITH_PORT: Final = re.compile(
    r"(?:(?P<v4>[0-9.]+)|\[(?P<v6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\])(?::[0-9]{1,5})?", re.ASCII
)

Key = TypeVar("Key", bound=Hashable)


def take_off(counter: Counter[Key], key: Key, count: int = 1) -> None:
    """Subtract from a count. An empty count is removed: otherwise each client ever seen would stay in memory."""
    counter[key] -= count
    if not counter[key]:
        del counter[key]


class Proxies:
    """Networks (`10.0.0.0/8`, `::1`) of proxies that may name their clients."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: tuple[IpNetwork, ...] = tuple(ip_network(network) for network in networks)

    def __bool__(self) -> bool:
        """Returns whether any network is listed."""
        return bool(self._networks)

    def include(self, peer: str) -> bool:
        """Returns whether this peer of a socket is one of the proxies."""
        address = _parse(peer)
        return address is not None and self.trust(address)

    def trust(self, address: IpAddress) -> bool:
        """Returns whether this address, not an IPv4 one mapped into IPv6, is one of the proxies."""
        return any(address in network for network in self._networks)


class ClientAddresses:
    """Reads a client's address from the socket, or from the forwarding header of a trusted proxy.

    `trusted_proxies` are networks (`10.0.0.0/8`, `::1`); the header of any other peer is ignored.
    """

    def __init__(self, trusted_proxies: Sequence[str] = (), forwarding_header: str = "X-Forwarded-For") -> None:
        self.forwarding_header = forwarding_header
        self._proxies = Proxies(trusted_proxies)
        self._is_told = False

    @property
    def trusts_proxies(self) -> bool:
        """Whether the forwarding header is ever read."""
        return bool(self._proxies)

    def client(self, peer: str, forwarded: Sequence[str]) -> str:
        """Returns the client's address, given the socket's peer and all values of the forwarding header.

        The last entry that is no trusted proxy is the client: the client itself may have written the entries before it.
        An entry that is no address, and an empty last one, end the walk at the proxy that passed them on; that is logged
        once. Other empty ones are no entries (RFC 9110, 5.6.1).
        """
        if not self._proxies:
            return _text(peer)
        address = _parse(peer)
        if address is None:
            return peer
        # Read from the end: each proxy appends the peer it saw, so only entries after an untrusted one are vouched for.
        entries = [entry.strip() for value in forwarded for entry in value.split(",")]
        named = [entry for entry in entries[:-1] if entry] + entries[-1:]
        for entry in reversed(named[-_FORWARDED_MAX:]):
            if not self._proxies.trust(address):
                break
            previous = _forwarded(entry)
            if previous is None:
                self._tell_once()
                break
            address = previous
        return str(address)

    def _tell_once(self) -> None:
        # Once: each request of a proxy that is set up wrongly has such a header. Never the entry, which may be the client's.
        if not self._is_told:
            self._is_told = True
            structlog.get_logger("node.http").error("forwarding_header_unreadable", header=self.forwarding_header)


def _forwarded(entry: str) -> IpAddress | None:
    """Returns the address of an entry, without its port; None for another text."""
    with_port = _WITH_PORT.fullmatch(entry)
    # A bare IPv6 address is never split: its last group would be taken for a port.
    return _parse(entry if with_port is None else with_port["v4"] or with_port["v6"])


@lru_cache(maxsize=4096)
def rate_limit_client(address: str) -> str:
    """Returns the client that a rate limit counts: an IPv4 address, or the /64 of an IPv6 address."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _IPV6_CLIENT_PREFIX), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(maxsize=4096)
def _text(peer: str) -> str:
    """Returns the peer in canonical form; unchanged when it is no address (a Unix socket)."""
    address = _parse(peer)
    return peer if address is None else str(address)


@lru_cache(maxsize=4096)
def _parse(text: str) -> IpAddress | None:
    """Returns the address without zone, None for another text; IPv4 mapped into IPv6 becomes IPv4."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    # A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d; all of them are in one /64, and would share its limits.
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
TRACKED_ADDRESSES_MAX: Final = 100_000
"""Client addresses whose counters are kept in memory, about 30 MB; beyond it the one seen longest ago is forgotten."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class RateLimiter:
    """Token buckets, one for each client: `burst` tokens, refilled evenly within `period_s`; memory is bounded.

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
        # A client without a bucket has a full one: reading creates nothing, so strangers cost no memory.
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
        """Return the client's bucket, filled up to now."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = _Bucket(self._burst, self._clock())
            # Forgetting refills: to gain by it, an attacker needs as many addresses as there are buckets.
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
        # A bucket below zero refills through the debt first.
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled_at) * self._per_second)
        bucket.filled_at = now


class LoadGate:
    """Bound on the requests that the node works on at once."""

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
        """Give the place up while the client or the chain is slow, and take one again.

        Raises NodeError `too_many_requests` when there is none by then.
        """
        # A client that sends slowly must not hold one of the few places.
        self.running -= 1
        try:
            yield
        finally:
            self.running += 1
        # Checked after the count, so that `__exit__` takes off what was added. Not in `finally`: an error of the client's
        # is the better answer.
        if self.running > self.max_concurrent_requests:
            raise self._full()

    def _full(self) -> NodeError:
        return NodeError(
            ErrorCode.TOO_MANY_REQUESTS,
            "This node is working on as many requests as it can.",
            fix="Send the request again in a moment.",
            retry_after_s=1,
        )


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
        running = self._running[account]
        if running >= self.max_concurrent_per_account:
            raise self._refusal(account)
        self._running[account] = running + 1
        if running + 1 >= self.max_concurrent_per_account:
            self._full_since[account] = self._clock()
        try:
            yield
        finally:
            self._full_since.pop(account, None)
            take_off(self._running, account)

    def _refusal(self, account: int) -> NodeError:
        full_s = self._clock() - self._full_since[account]
        return NodeError(
            ErrorCode.TOO_MANY_REQUESTS,
            f"This account already has {self.max_concurrent_per_account} calls of this kind running.",
            fix="Wait for one of them to end, then send the request again.",
            retry_after_s=min(max(math.ceil(full_s), 1), self._retry_after_max_s),
        )


class ReadBudget:
    """Buckets of chain reads. `clock` is monotonic, in seconds."""

    def __init__(self, limits: HttpSettings, clock: Callable[[], float]) -> None:
        def bucket(owner: str, setting: str, per_minute: int) -> RateLimiter:
            what = f"reads of the chain for this {owner}"
            return RateLimiter(what, per_minute, MINUTE_S, clock, TRACKED_ADDRESSES_MAX, limit=setting)

        self.accounts = bucket(
            "account", "http_chain_reads_per_minute_per_account", limits.http_chain_reads_per_minute_per_account
        )
        self.addresses = bucket(
            "address", "http_chain_reads_per_minute_per_address", limits.http_chain_reads_per_minute_per_address
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
            # The reads so far were needed to find the account, so they are checked afterwards.
            self._budget.accounts.check(account)
            self._budget.accounts.spend(account, self._taken)
        self._account = account

    def take(self, count: int) -> None:
        """Count reads. Raises NodeError `too_many_requests`, and counts nothing, when the buckets do not allow them."""
        # Work that goes on after the answer is the node's own: it follows a write that was sent, say.
        if self._is_closed:
            return
        may_owe = self._taken > 0
        # Both buckets are checked before either is spent: a refusal costs nothing.
        self._budget.addresses.check(self._address, may_owe=may_owe)
        if self._account is not None:
            self._budget.accounts.check(self._account, may_owe=may_owe)
        self._taken += count
        self._budget.addresses.spend(self._address, count)
        if self._account is not None:
            self._budget.accounts.spend(self._account, count)

    def give_back(self) -> None:
        """Give the reads back: the request was paid for."""
        self._budget.addresses.give_back(self._address, self._taken)
        if self._account is not None:
            self._budget.accounts.give_back(self._account, self._taken)
        self._taken = 0

    def __enter__(self) -> None:
        """Begin to count the request's reads."""

    def __exit__(self, *_: object) -> None:
        """Count no more: the request is answered."""
        self._is_closed = True
