"""Addresses of clients, and token buckets for the chain reads of their requests."""

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
"""Most entries read of a forwarding header; no client passes that many proxies."""
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
        """Returns the client's address from the socket's peer and the forwarding header's values.

        The last entry that is no trusted proxy is the client. Entries before it may be forged by
        the client. At an unreadable or an empty last entry, the proxy that sent it counts as the
        client, which is logged once. Other empty entries are ignored (RFC 9110, 5.6.1).
        """
        if not self._proxies:
            return _text(peer)
        address = parse_address(peer)
        if address is None:
            return peer
        # From the end, since each proxy appends its peer and only trusted proxies count.
        entries = [entry.strip() for value in forwarded for entry in value.split(",")]
        named = [entry for entry in entries[:-1] if entry] + entries[-1:]
        for entry in reversed(named[-_FORWARDED_MAX:]):
            if not self._proxies.trust(address):
                break
            with_port = _WITH_PORT.fullmatch(entry)
            # A bare IPv6 address is never split, or its last group would be taken for a port.
            previous = parse_address(entry if with_port is None else with_port["v4"] or with_port["v6"])
            if previous is None:
                # Once, since a wrong proxy setup affects each request. Never the entry itself,
                # which may come from the client.
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
    """Chain reads of one request of `address` (see `rate_limit_client`); a ReadMeter.

    The first read needs something left in both buckets. Later reads may exceed the buckets, since
    a refusal halfway would waste the reads before it. Requests admitted together may owe one bucket
    at most. A refused write was not sent, since all its reads come before it is journaled.
    """

    def __init__(self, budget: ReadBudget, address: str) -> None:
        self._budget = budget
        self._address = address
        self._account: str | None = None
        self._taken = 0
        self._is_closed = False

    def belong_to(self, master_hash: int | None) -> None:
        """Count for this account from now on, including the reads that found it.

        None is ignored. Raises LimitReachedError if something was read and the bucket is empty.
        """
        if master_hash is None or self._account is not None:
            return
        account = u256_hex(master_hash)
        if self._taken:
            # These reads were needed to find the account, so they are checked afterwards.
            self._budget.accounts.check(account)
            self._budget.accounts.spend(account, self._taken)
        self._account = account

    def take(self, count: int) -> None:
        """Count reads. If a bucket is empty, raises LimitReachedError and counts nothing."""
        # Work after the response, such as following a sent write, is the node's own.
        if self._is_closed:
            return
        may_owe = self._taken > 0
        # Both buckets are checked before either is spent, so that a refusal costs nothing.
        self._budget.addresses.check(self._address, may_owe=may_owe)
        if self._account is not None:
            self._budget.accounts.check(self._account, may_owe=may_owe)
        self._taken += count
        self._budget.addresses.spend(self._address, count)
        if self._account is not None:
            self._budget.accounts.spend(self._account, count)

    def give_back(self) -> None:
        """Return the reads to the buckets because the request was paid for."""
        self._budget.addresses.give_back(self._address, self._taken)
        if self._account is not None:
            self._budget.accounts.give_back(self._account, self._taken)
        self._taken = 0

    def __enter__(self) -> None:
        """Begin to count the request's reads."""

    def __exit__(self, *_: object) -> None:
        """Stop counting after the request is answered."""
        self._is_closed = True
