"""Names to addresses, by the system's resolver."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Protocol

from node.engine.egress.turns import Turns
from node.values import IpAddress


class Lookup(Protocol):
    """Every address of a name; none where it has none."""

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Ask for `host`, without a trailing dot, for an action of `account`."""
        ...


class SystemLookup:
    """A Lookup by getaddrinfo, each call in a thread that nobody waits for once the caller has gone.

    So many at a time, and of one account. The pool that the rest of the node uses is not touched: a hostile name
    server holds a thread as long as the system's resolver lets it, which is also how long its turn lasts.
    """

    def __init__(
        self,
        concurrent_max: int,
        concurrent_max_per_account: int,
        ask: Callable[[str], Sequence[IpAddress]] | None = None,
    ) -> None:
        self._turns = Turns(concurrent_max, concurrent_max_per_account)
        self._ask = ask or _addresses

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Ask for `host` as a whole name: with the dot no search domain of this machine is tried."""
        await self._turns.take(account)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Sequence[IpAddress]] = loop.create_future()

        def settle(addresses: Sequence[IpAddress]) -> None:
            self._turns.give_back(account)
            if not answer.done():
                answer.set_result(addresses)

        def look_up() -> None:
            addresses: Sequence[IpAddress] = ()
            try:
                addresses = self._ask(host + ".")
            finally:
                with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                    loop.call_soon_threadsafe(settle, addresses)

        try:
            threading.Thread(target=look_up, name="lookup", daemon=True).start()
        except RuntimeError:
            settle(())
        return await answer


def _addresses(name: str) -> Sequence[IpAddress]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return [ip_address(entry[4][0]) for entry in found]
    except (OSError, ValueError):
        return []
