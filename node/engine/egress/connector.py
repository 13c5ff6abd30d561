"""Connections of actions: names are resolved fairly among accounts, and only checked addresses are connected to."""

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
    """Returns every address of a name; none where it has none."""

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolve `host`, without a trailing dot, for an action of `account`."""
        ...


class SystemResolver:
    """A Resolver by getaddrinfo, each call in a thread of its own that survives its caller.

    The thread pool of the rest of the node is not used. A hostile name server holds a thread for as long as the system's
    resolver lets it, and the thread counts against its account until it ends.
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
        """Resolve `host` as a whole name: with the trailing dot no search domain of this machine is tried."""
        await self._threads.take(account)
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Sequence[IpAddress]] = loop.create_future()

        def settle(addresses: Sequence[IpAddress]) -> None:
            # When the thread ends, not when the caller gives up: the thread is what is scarce.
            self._threads.give_back(account)
            if not found.done():
                found.set_result(addresses)

        def resolve() -> None:
            addresses: Sequence[IpAddress] = ()
            try:
                addresses = self._ask(host + ".")
            finally:
                with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                    loop.call_soon_threadsafe(settle, addresses)

        try:
            threading.Thread(target=resolve, name="resolver", daemon=True).start()
        except RuntimeError:
            settle(())
        return await found


class FairSlots:
    """Slots of something scarce: so many for all accounts, fewer for one. Waiting accounts are served in turn."""

    def __init__(self, slots_max: int, slots_max_per_account: int) -> None:
        self._free = slots_max
        self._per_account = slots_max_per_account
        self._used: Counter[int] = Counter()
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue()

    async def take(self, account: int) -> None:
        """Wait for a slot, which `give_back` frees. If it is cancelled, it leaves nothing behind."""
        # The queue can be skipped: while a slot is free, every account that waits has its maximum already.
        if self._free and self._may_take(account):
            self._count(account)
            return
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.join(account, ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            self._queue.leave(account, ticket)
            # Served in the same step of the event loop in which the wait was cancelled.
            if ticket.done() and not ticket.cancelled():
                self.give_back(account)
            raise

    def give_back(self, account: int) -> None:
        """Free a slot that `take` gave."""
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
"""Entry of `socket.getaddrinfo`: family, type, protocol, canonical name, socket address."""


class CheckedResolver(AbstractResolver):
    """Looks a name up once for a connection, checks every address, and returns exactly those to connect to."""

    def __init__(self, resolver: Resolver, policy: AddressPolicy, account: int) -> None:
        self._resolver = resolver
        self._policy = policy
        self._account = account

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve the name. Raises FetchRefusedError unless all of its addresses may be reached."""
        del family  # both are asked for
        addresses = await self._addresses(host)
        # Checked and connected to from one look-up: a second one could answer differently (DNS rebinding).
        self._policy.check_addresses(host, addresses)
        return [_result(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Do nothing: nothing is held."""

    async def _addresses(self, host: str) -> Sequence[IpAddress]:
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        return await self._resolver(host, self._account)


class CountedSocket(socket.socket):
    """A socket that counts as one of `budget` from its creation until it is closed.

    Raises FetchRefusedError when none is left.
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
        """Close it, and stop counting it."""
        super().close()
        self._give_back()

    def _give_back(self) -> None:
        if self._budget is not None:
            self._budget.give_back(1)
            self._budget = None


def checked_connector(
    resolver: CheckedResolver, policy: AddressPolicy, connections: int, tls: ssl.SSLContext, sockets: Budget
) -> aiohttp.TCPConnector:
    """Return the connector of one action, whose sockets count as `sockets`.

    Actions do not share connections: a server might have left in one an answer that is meant for another action.
    """

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last check, of the very address that is about to be connected to, wherever it came from.
        if not policy.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(sockets, info[0], info[1], info[2])

    return aiohttp.TCPConnector(
        resolver=resolver,
        # A cached answer would be connected to without having been checked for this request.
        use_dns_cache=False,
        ssl=tls,
        limit=connections,
        socket_factory=open_socket,
    )


def _result(host: str, port: int, address: IpAddress) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)
