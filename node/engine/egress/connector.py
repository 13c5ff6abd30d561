"""Connects actions to checked addresses, and resolves names fairly among accounts."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, ip_address
from typing import Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from node.engine.egress.budget import Budget
from node.engine.egress.targets import AddressPolicy
from node.runtime.fair_queue import FairQueue
from node.values import IpAddress


class Resolver(Protocol):
    """Returns every address of a name, or none."""

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolves `host`, without a trailing dot, for an action of `account`."""
        ...


class SystemResolver:
    """A Resolver by getaddrinfo. Each call has its own thread, which survives its caller.

    It uses no pool of the node. A hostile name server holds a thread until the system's resolver
    gives up, and the thread counts against its account until then.
    """

    def __init__(
        self,
        threads_max: int,
        threads_max_per_account: int,
        ask: Callable[[str], Sequence[IpAddress]] | None = None,
    ) -> None:
        self._threads = FairSlots(threads_max, threads_max_per_account)
        self._ask = ask or _addresses

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolves `host` as a whole name. The trailing dot avoids local search domains."""
        await self._threads.take(account)
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Sequence[IpAddress]] = loop.create_future()

        def settle(addresses: Sequence[IpAddress]) -> None:
            # The thread is the scarce resource, so free the slot only when it ends.
            self._threads.give_back(account)
            if not found.done():
                found.set_result(addresses)

        def resolve() -> None:
            addresses: Sequence[IpAddress] = ()
            try:
                addresses = self._ask(host + ".")
            finally:
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    loop.call_soon_threadsafe(settle, addresses)

        try:
            threading.Thread(target=resolve, name="resolver", daemon=True).start()
        except RuntimeError:
            settle(())
        return await found


class FairSlots:
    """Slots of a scarce resource with a limit per account. Waiting accounts take turns."""

    def __init__(self, slots_max: int, slots_max_per_account: int) -> None:
        self._free = slots_max
        self._per_account = slots_max_per_account
        self._used: Counter[int] = Counter()
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue()

    async def take(self, account: int) -> None:
        """Waits for a slot, which `give_back` frees. A cancellation frees the slot."""
        # Skip the queue: while a slot is free, all waiting accounts have their maximum.
        if self._free and self._may_take(account):
            self._count(account)
            return
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.join(account, ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            self._queue.leave(account, ticket)
            # The slot was given in the same step of the event loop as the cancellation.
            if ticket.done() and not ticket.cancelled():
                self.give_back(account)
            raise

    def give_back(self, account: int) -> None:
        """Frees a slot that `take` gave."""
        self._free += 1
        self._used[account] -= 1
        if not self._used[account]:
            del self._used[account]
        while self._free and (following := self._queue.next(self._may_take)) is not None:
            next_account, ticket = following
            if not ticket.done():
                self._count(next_account)
                ticket.set_result(None)

    def _may_take(self, account: int) -> bool:
        return self._used[account] < self._per_account

    def _count(self, account: int) -> None:
        self._free -= 1
        self._used[account] += 1


def _addresses(name: str) -> Sequence[IpAddress]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return [ip_address(entry[4][0]) for entry in found]
    except (OSError, ValueError):
        return []


_LOOPBACK = (ip_address("127.0.0.1"), ip_address("::1"))

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]]
"""Entry of `socket.getaddrinfo` (family, type, protocol, canonical name, socket address)."""


class CheckedResolver(AbstractResolver):
    """Resolves a name once per connection, and returns its addresses if all are permitted."""

    def __init__(self, resolver: Resolver, policy: AddressPolicy, account: int) -> None:
        self._resolver = resolver
        self._policy = policy
        self._account = account

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolves the name. Raises FetchRefusedError unless all its addresses may be reached."""
        del family  # both are resolved
        addresses = await self._addresses(host)
        # Connect to the checked look-up, since a second could differ (DNS rebinding).
        self._policy.check_addresses(host, addresses)
        return [_result(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Does nothing, since it has no resources."""

    async def _addresses(self, host: str) -> Sequence[IpAddress]:
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        return await self._resolver(host, self._account)


class CountedSocket(socket.socket):
    """A socket that counts in `budget` from its creation until it is closed.

    Raises FetchRefusedError if the budget is used up.
    """

    def __init__(self, budget: Budget, family: int, kind: int, protocol: int) -> None:
        # Before the socket exists, so that the limit is never exceeded.
        budget.take(1)
        self._budget: Budget | None = budget
        try:
            super().__init__(family, kind, protocol)
        except BaseException:
            self._give_back()
            raise

    def close(self) -> None:
        """Closes the socket and stops counting it."""
        super().close()
        self._give_back()

    def _give_back(self) -> None:
        if self._budget is not None:
            self._budget.give_back(1)
            self._budget = None


def checked_connector(
    resolver: CheckedResolver, policy: AddressPolicy, connections: int, tls: ssl.SSLContext, sockets: Budget
) -> aiohttp.TCPConnector:
    """Returns the connector of one action, whose sockets count as `sockets`.

    Actions share no connection, which could contain a response to another action.
    """

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last check, of the very address of this connection.
        if not policy.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(sockets, info[0], info[1], info[2])

    return aiohttp.TCPConnector(
        resolver=resolver,
        # A cached look-up would not have been checked for this request.
        use_dns_cache=False,
        ssl=tls,
        limit=connections,
        socket_factory=open_socket,
    )


def _result(host: str, port: int, address: IpAddress) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)
