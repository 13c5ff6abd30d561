"""Addresses of clients, and the buckets of what their requests read of the chain."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import ip_network
from typing import Final

import structlog

from node.runtime.limits import MINUTE_S, TRACKED_ADDRESSES_MAX, TokenBuckets, parse_address
from node.settings.http import HttpSettings
from node.values import IpAddress, IpNetwork, u256_hex

_FORWARDED_MAX: Final = 32
"""Entries of a forwarding header that are read: more proxies than any client passes."""
_WITH_PORT: Final = re.compile(
    r"(?:(?P<v4>[0-9.]+)|\[(?P<v6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\])(?::[0-9]{1,5})?", re.ASCII
)


class Proxies:
    """Networks (`10.0.0.0/8`, `::1`) of proxies that may name their clients."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: tuple[IpNetwork, ...] = tuple(ip_network(network) for network in networks)

    def __bool__(self) -> bool:
        """Returns whether any network is listed."""
        return bool(self._networks)

    def include(self, peer: str) -> bool:
        """Returns whether this peer of a socket is one of the proxies."""
        address = parse_address(peer)
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
        address = parse_address(peer)
        if address is None:
            return peer
        # Read from the end: each proxy appends the peer it saw, so only entries after an untrusted one are vouched for.
        entries = [entry.strip() for value in forwarded for entry in value.split(",")]
        named = [entry for entry in entries[:-1] if entry] + entries[-1:]
        for entry in reversed(named[-_FORWARDED_MAX:]):
            if not self._proxies.trust(address):
                break
            with_port = _WITH_PORT.fullmatch(entry)
            # A bare IPv6 address is never split: its last group would be taken for a port.
            previous = parse_address(entry if with_port is None else with_port["v4"] or with_port["v6"])
            if previous is None:
                # Once: each request of a proxy that is set up wrongly has such a header. Never the
                # entry, which may be the client's.
                if not self._is_told:
                    self._is_told = True
                    structlog.get_logger("node.http").warning(
                        "forwarding_header_unreadable", header=self.forwarding_header
                    )
                break
            address = previous
        return str(address)


@lru_cache(maxsize=4096)
def _text(peer: str) -> str:
    """Returns the peer in canonical form; unchanged when it is no address (a Unix socket)."""
    address = parse_address(peer)
    return peer if address is None else str(address)


class ReadBudget:
    """Buckets of chain reads. `clock` is monotonic, in seconds."""

    def __init__(self, limits: HttpSettings, clock: Callable[[], float]) -> None:
        def bucket(owner: str, setting: str, per_minute: int) -> TokenBuckets:
            what = f"reads of the chain for this {owner}"
            return TokenBuckets(what, per_minute, MINUTE_S, clock, TRACKED_ADDRESSES_MAX, limit=setting)

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

        Raises LimitReachedError when something was read and nothing is left of the account's bucket.
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
        """Count reads. Raises LimitReachedError, and counts nothing, when the buckets do not allow them."""
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
