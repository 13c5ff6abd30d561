"""Limits, each mechanism once: token buckets, gates, and places that are given in turn.

A bucket bounds how often something is done, a gate how much is held at a time, and fair places
how many run while others wait. Each raises `LimitReachedError` where it refuses. A client is any
hashable key: an address, an account, the hash of a key. Nothing here does I/O.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Generic, Self, TypeVar

from node.errors import DomainError
from node.values import IpAddress

MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
TRACKED_ADDRESSES_MAX: Final = 100_000
"""Addresses whose buckets are kept in memory, about 18 MB; the oldest is forgotten first."""
_IPV6_CLIENT_PREFIX: Final = 64
"""Bits that name an IPv6 client, which usually owns a whole /64 (RFC 6177)."""
_ROUNDING_S: Final = 1e-6
"""Times this close are equal: sums of floats err by less, and a client gets all of its tokens."""

AGAIN: Final = "Send the request again in a moment."

Key = TypeVar("Key", bound=Hashable)
Ticket = TypeVar("Ticket", bound=Hashable)
Place = TypeVar("Place")


class LimitReachedError(DomainError):
    """Refusal of every limit; nothing was taken. `fix` says what to do, `limit` names a setting."""

    def __init__(
        self,
        message: str,
        *,
        fix: str = AGAIN,
        retry_after_s: int = 1,
        limit: str | None = None,
    ) -> None:
        super().__init__(message, details=None if limit is None else {"limit": limit}, retry_after_s=retry_after_s)
        self.fix = fix


class TokenBuckets:
    """A token bucket for each client: `burst` tokens, refilled evenly within `period_s`.

    `what` names what is counted, in refusals, and `limit` the setting. `clock` is monotonic, in
    seconds. A bucket may be overdrawn. At most `max_clients` are kept. Beyond that the one used
    longest ago is forgotten: it has filled up, most likely. One that is overdrawn is spared once,
    since forgetting a debt pays it.
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
        self._limit = limit
        self._burst = burst
        self._token_s = period_s / burst if burst else math.inf
        self._clock = clock
        self._max_clients = max_clients
        self.full_at: OrderedDict[Hashable, float] = OrderedDict()
        """When each bucket will be full. A client that is not in it has a full bucket."""

    def wait_s(self, client: Hashable, tokens: float = 1) -> float:
        """Return the seconds until the bucket has `tokens`, perhaps below 0; 0: it has them."""
        full_at = self.full_at.get(client)
        if full_at is None:
            return 0.0
        wait_s = full_at - self._clock() - (self._burst - tokens) * self._token_s
        return wait_s if wait_s > _ROUNDING_S else 0.0

    def check(self, client: Hashable, *, may_owe: bool = False) -> None:
        """Take nothing. Raises LimitReachedError when the bucket is empty.

        With `may_owe` it is raised when a whole bucket is owed.
        """
        if not self.wait_s(client, 1 - self._burst if may_owe else 1):
            return
        wait_s = math.ceil(self.wait_s(client) - _ROUNDING_S)
        raise LimitReachedError(
            f"Too many {self._what}.",
            fix=f"Wait {wait_s} seconds, then send the request again.",
            retry_after_s=wait_s,
            limit=self._limit,
        )

    def take(self, client: Hashable) -> None:
        """Take one token. Raises LimitReachedError when there is none."""
        self.check(client)
        self.spend(client)

    def may_take(self, client: Hashable) -> bool:
        """Take one token if there is one, and say so."""
        if self.wait_s(client):
            return False
        self.spend(client)
        return True

    def spend(self, client: Hashable, count: float = 1) -> None:
        """Take `count` tokens, also those that are not there: they are paid back before the next.

        Were the bucket never below empty, a thousand requests begun together would cost one token.
        """
        now = self._clock()
        full_at = self.full_at.get(client, now)
        self.full_at[client] = max(full_at, now) + count * self._token_s
        self.full_at.move_to_end(client)
        # Forgetting refills: to gain by it, an attacker needs as many clients as there are buckets.
        if len(self.full_at) > self._max_clients:
            self._forget_one(now)

    def take_up_to(self, client: Hashable, tokens: float) -> float:
        """Take `tokens`, or those there are. Return how many were taken."""
        left = self._burst - max(self.full_at.get(client, 0.0) - self._clock(), 0.0) / self._token_s
        taken = min(tokens, max(left, 0.0))
        if taken:
            self.spend(client, taken)
        return taken

    def give_back(self, client: Hashable, count: float) -> None:
        """Put back tokens that were taken."""
        if client in self.full_at:
            self.full_at[client] -= count * self._token_s

    def _forget_one(self, now: float) -> None:
        oldest, full_at = next(iter(self.full_at.items()))
        if full_at - now > self._burst * self._token_s:
            self.full_at.move_to_end(oldest)
        self.full_at.popitem(last=False)


class Gate:
    """Bounds what is held at a time: `most` by all together, `most_of_one` by each client.

    It counts places, bytes or sockets. `refusal` says what is too much, `fix` what to do. A client
    that is refused is told to wait as long again as it has had all that it may have,
    `retry_after_max_s` at most: short calls free a place soon, long ones do not. `clock` is
    monotonic, in seconds. A `with` of the gate itself holds one place, of no client.
    """

    def __init__(
        self,
        refusal: str,
        most: float = math.inf,
        most_of_one: float = math.inf,
        *,
        fix: str = AGAIN,
        retry_after_max_s: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._refusal = refusal
        self._fix = fix
        self._most = most
        self._most_of_one = most_of_one
        self._retry_after_max_s = retry_after_max_s
        self._clock = clock
        self._of_one: dict[Hashable, int] = {}
        self._full_since: dict[Hashable, float] = {}
        self.held = 0
        """What is held by all together."""

    def take(self, client: Hashable, count: int = 1) -> None:
        """Hold `count` more. Raises LimitReachedError, and then nothing was taken."""
        of_all, own = self.held + count, self._of_one.get(client, 0) + count
        # Checked before anything is counted: a refusal leaves no trace.
        if of_all > self._most or own > self._most_of_one:
            raise self._refused(client)
        self.held = of_all
        self._of_one[client] = own
        if own == self._most_of_one:
            self._full_since[client] = self._clock()

    def give_back(self, client: Hashable, count: int = 1) -> None:
        """Hold `count` less."""
        self.held -= count
        own = self._of_one[client] - count
        # An empty count is removed: otherwise each client ever seen would stay in memory.
        if own:
            self._of_one[client] = own
        else:
            del self._of_one[client]
        if self._full_since:
            self._full_since.pop(client, None)

    def place(self, client: Hashable) -> "Held":
        """Take one place, which the end of a `with` frees. Raises LimitReachedError."""
        held = Held(self, client)
        held.add(1)
        return held

    def __enter__(self) -> None:
        if self.held >= self._most:
            raise self._refused(None)
        self.held += 1

    def __exit__(self, *_: object) -> None:
        self.held -= 1

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Give the place of no client up while its client or the chain is slow, and take one again.

        Raises LimitReachedError when there is none by then.
        """
        self.held -= 1
        try:
            yield
        finally:
            self.held += 1
        # Checked after the count, so that `__exit__` takes off what was added. Not in `finally`:
        # an error of the client's is the better answer.
        if self.held > self._most:
            raise self._refused(None)

    def _refused(self, client: Hashable) -> LimitReachedError:
        now = self._clock()
        full_s = math.ceil(now - self._full_since.get(client, now))
        retry_after_s = min(max(full_s, 1), self._retry_after_max_s)
        return LimitReachedError(self._refusal, fix=self._fix, retry_after_s=retry_after_s)


class Held:
    """Part of a gate that one request, body or connection holds: nothing at first.

    The end of a `with` gives it back. The first `free` count for no client, so that small requests
    pass whatever the large ones do.
    """

    __slots__ = ("_client", "_counted", "_free", "_gate", "count")

    def __init__(self, gate: Gate, client: Hashable, free: int = 0) -> None:
        self._gate = gate
        self._client = client
        self._free = free
        self._counted = 0
        self.count = 0
        """What is held, with that which is free."""

    def add(self, count: int) -> None:
        """Hold more. Raises LimitReachedError, and then holds what it held."""
        self.resize(self.count + count)

    def resize(self, count: int) -> None:
        """Hold `count` in all. Raises LimitReachedError, and then holds what it held."""
        if self._counted or count > self._free:
            counted = count - self._free if count > self._free else 0
            more = counted - self._counted
            if more > 0:
                self._gate.take(self._client, more)
            elif more:
                self._gate.give_back(self._client, -more)
            self._counted = counted
        self.count = count

    def release(self) -> None:
        """Hold nothing."""
        self.resize(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.resize(0)


class FairQueue(Generic[Ticket]):
    """Waiters by account: between two turns of one, every other eligible account has a turn.

    An account that begins to wait stands at the circle's end, and goes there after its turn. One
    without waiters is not remembered, so that leaving and coming back gains nothing.
    """

    def __init__(self) -> None:
        self._circle: OrderedDict[int, OrderedDict[Ticket, None]] = OrderedDict()
        self._waiting = 0

    def __len__(self) -> int:
        """Return the number of waiters of all accounts."""
        return self._waiting

    @property
    def accounts(self) -> Collection[int]:
        """Return the accounts that have waiters, each once."""
        return self._circle.keys()

    def join(self, account: int, ticket: Ticket) -> None:
        """Wait behind the account's other waiters; a ticket waits once."""
        tickets = self._circle.setdefault(account, OrderedDict())
        if ticket in tickets:
            raise ValueError("this ticket waits already")
        tickets[ticket] = None
        self._waiting += 1

    def leave(self, account: int, ticket: Ticket) -> None:
        """Wait no more; nothing happens for one that does not wait."""
        tickets = self._circle.get(account)
        if tickets is None or ticket not in tickets:
            return
        del tickets[ticket]
        self._waiting -= 1
        if not tickets:
            del self._circle[account]

    def next(self, eligible: Callable[[int], bool]) -> tuple[int, Ticket] | None:
        """Take the turn of the first account in the circle that is eligible; None when none is."""
        # Returned at once: `_take` changes the dictionary under the loop.
        for account in self._circle:
            if eligible(account):
                return account, self._take(account)
        return None

    def count(self, eligible: Callable[[int], bool]) -> int:
        """Return the number of waiters of the accounts that are eligible now."""
        return sum(len(tickets) for account, tickets in self._circle.items() if eligible(account))

    def _take(self, account: int) -> Ticket:
        tickets = self._circle[account]
        ticket, _ = tickets.popitem(last=False)
        self._waiting -= 1
        if tickets:
            self._circle.move_to_end(account)
        else:
            del self._circle[account]
        return ticket


class FairPlaces(Generic[Place]):
    """Places given to accounts in turn: `most` to all, `most_of_one` to each, while it `is_open`.

    `admit` makes the place of an account, in the moment in which it is given.
    """

    def __init__(
        self,
        most: int,
        most_of_one: int,
        admit: Callable[[int], Place],
        is_open: Callable[[], bool] = lambda: True,
    ) -> None:
        self._free = most
        self._most_of_one = most_of_one
        self._admit = admit
        self._is_open = is_open
        self._taken: dict[int, int] = {}
        self.queue: FairQueue[asyncio.Future[Place]] = FairQueue()

    def may_have(self, account: int) -> bool:
        """Return whether a place is free for the account, which then need not wait behind others.

        Every account that waits while a place is free has its maximum already.
        """
        return self._free > 0 and self._is_open() and self._is_within_share(account)

    def give(self, account: int) -> Place:
        """Return a place to an account that may have one; `free` frees it."""
        self._free -= 1
        self._taken[account] = self._taken.get(account, 0) + 1
        return self._admit(account)

    async def take(self, account: int, give_up: Callable[[Place], None]) -> Place:
        """Wait for a place, which `free` frees.

        A place that comes when the waiter has gone is handed to `give_up`.
        """
        if self.may_have(account):
            return self.give(account)
        ticket: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        self.queue.join(account, ticket)
        try:
            return await ticket
        except BaseException:
            self.queue.leave(account, ticket)
            # Given in the step of the loop in which the wait ended: it would never be free again.
            if ticket.done() and not ticket.cancelled():
                give_up(ticket.result())
            raise

    def free(self, account: int) -> None:
        """Free a place of the account, and give it to one that waits."""
        self._free += 1
        left = self._taken[account] - 1
        if left:
            self._taken[account] = left
        else:
            del self._taken[account]
        self.serve()

    def serve(self) -> None:
        """Give places to those who wait. Called whenever there may be more."""
        while self.queue and self._free > 0 and self._is_open():
            following = self.queue.next(self._is_within_share)
            if following is None:
                return
            account, ticket = following
            # Its client may have gone away in this very step of the event loop.
            if not ticket.done():
                ticket.set_result(self.give(account))

    def _is_within_share(self, account: int) -> bool:
        return self._taken.get(account, 0) < self._most_of_one


def take_off(counter: Counter[Key], key: Key, count: int = 1) -> None:
    """Subtract from a count, and remove an empty one: memory would grow with every client."""
    counter[key] -= count
    if not counter[key]:
        del counter[key]


@lru_cache(maxsize=4096)
def rate_limit_client(address: str) -> str:
    """Returns the client that a limit counts: an IPv4 address, or the /64 of an IPv6 address."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _IPV6_CLIENT_PREFIX), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(maxsize=4096)
def parse_address(text: str) -> IpAddress | None:
    """Returns the address without zone, IPv4 in place of IPv4 in IPv6; None for another text."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    # A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d: all of one /64, with one limit.
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
