"""Present and former admins of an account, since keys may exist under the hash of each.

A quorum of providers must return the same history, which is derived from each provider's logs. A
view returns the present admin. Each transfer event names the previous admin; the event that made
the account unmanaged names none. So a missing log leaves a gap, and unlinked events are ignored.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.errors import contradicted, too_few_answer
from node.chain.port import Head
from node.chain.quorum.client import DISAGREE, OUTVOTED, QuorumClient
from node.chain.reads import ContractViews
from node.chain.records import Struct
from node.chain.rpc import Provider, RpcCall, RpcError, RpcRefusedError, RpcUnavailableError
from node.chain.rpc.answers import Log, MalformedLogsError, address_of, logs_of
from node.runtime.single_flight import SingleFlight
from node.settings.chain import AuthorisationSettings
from node.values import hash_of_address, u256_hex

ENDPOINT_TIMEOUT_S: Final = 20.0
"""Time-out of one provider's logs of an account. Small block ranges need many requests."""

EXCHANGE_TIMEOUT_S: Final = 5.0
"""Time-out of one request for these logs."""

BATCH_MAX_CALLS: Final = 10
"""Maximum log ranges in one request, after a provider has refused all blocks in one range."""

ADMINS_PER_ACCOUNT_MAX: Final = 64
"""Maximum admins of an account, the latest ones. Each costs a key derivation to try."""

CREATED: Final = "AccountCreated"
CONVERTED: Final = "AccountConvertedToChainSecured"
TRANSFERRED: Final = "ChainSecuredAccountOwnershipTransferred"
EVERY_BLOCK: Final = 2**62
"""Size of a block range that covers any chain."""

FALSE: Final = "0x" + "00" * 32


@dataclass(frozen=True, slots=True)
class NamedAdmin:
    """Event that gave an account its admin (lower-case 0x hex). The first has no `previous`."""

    admin: str
    previous: str | None


@dataclass(frozen=True, slots=True)
class AdminEvents:
    """Address of the contract and first topics of the events that name admins, in 0x hex."""

    address: str
    created: str
    converted: str
    transferred: str

    @classmethod
    def of(cls, abi: ContractAbi, address: str) -> "AdminEvents":
        """Returns the events of the contract at `address`."""
        created, converted, transferred = ("0x" + abi.events[name].hex() for name in (CREATED, CONVERTED, TRANSFERRED))
        return cls(address.lower(), created, converted, transferred)

    def filter(self, account: int, first: int, last: int) -> dict[str, JsonValue]:
        """Returns the eth_getLogs filter for one account's events from block `first` to `last`."""
        kinds: list[JsonValue] = [self.created, self.converted, self.transferred]
        return {
            "address": self.address,
            "topics": [kinds, u256_hex(account)],
            "fromBlock": hex(first),
            "toBlock": hex(last),
        }

    def named(self, answer: JsonValue, account: int) -> list[NamedAdmin]:
        """Returns the admins in a reply to `filter`. Raises MalformedLogsError for other logs."""
        found = (self._named(log, account) for log in logs_of(answer, self.address))
        return [each for each in found if each is not None]

    def _named(self, log: Log, account: int) -> NamedAdmin | None:
        """Returns the admin that the log names; None for a managed account.

        A payer may name any address as the admin of a managed account.
        """
        match log.get("topics"):
            case [self.created, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), None) if log.get("data") == FALSE else None
            case [self.converted, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), None)
            case [self.transferred, str() as master, str() as before, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), address_of(before))
            case _:
                raise MalformedLogsError("one of its logs is of another event")


def linked(present: str, events: Iterable[NamedAdmin], most: int) -> Sequence[str] | None:
    """Returns the admins from the present one back, at most `most`; None if a link is missing."""
    by_admin = {event.admin: event for event in events}
    admins = [present]
    while len(admins) < most:
        # Each event is used once, since no wallet is admin twice and forged ones may form a cycle.
        event = by_admin.pop(admins[-1], None)
        if event is None:
            return None
        if event.previous is None:
            break
        admins.append(event.previous)
    return admins


class ProviderHistory:
    """Admin histories by one provider. Remembers the size of block range that it accepts."""

    def __init__(self, provider: Provider, events: AdminEvents) -> None:
        self._provider = provider
        self._events = events
        self._blocks = EVERY_BLOCK

    async def admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Returns the account's admins from the present one back, by the logs up to block `last`.

        Raises RpcUnavailableError if the logs lack a link, or come too late.
        """
        try:
            async with asyncio.timeout(ENDPOINT_TIMEOUT_S):
                admins = await self._admins(account, present, last)
        except TimeoutError:
            # Many small ranges took too long. The next attempt begins with all blocks in one range.
            self._blocks = EVERY_BLOCK
            raise RpcUnavailableError(self._provider.host, "took too long over its logs") from None
        # Larger ranges are tried again, since a refusal may be temporary.
        self._blocks = min(2 * self._blocks, EVERY_BLOCK)
        return admins

    async def _admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Reads backwards, so that nothing before the account became unmanaged is read."""
        found: list[NamedAdmin] = []
        while last >= 0:
            # The first and last block of each range of this exchange, newest first.
            ends = range(last, -1, -self._blocks)[:BATCH_MAX_CALLS]
            ranges = [(max(0, end - self._blocks + 1), end) for end in ends]
            try:
                found += await self._read(account, ranges)
            except RpcError as refused:
                # Either the provider refuses this range or it fails. The error does not say which.
                self._blocks = min(self._blocks, last + 1) // 2
                if self._blocks == 0:
                    self._blocks = EVERY_BLOCK
                    raise RpcUnavailableError(self._provider.host, "gives no logs") from refused
                continue
            admins = linked(present, found, ADMINS_PER_ACCOUNT_MAX)
            if admins is not None:
                return admins
            last = ranges[-1][0] - 1
        raise RpcUnavailableError(self._provider.host, "its logs do not tell who administered an account")

    async def _read(self, account: int, ranges: Sequence[tuple[int, int]]) -> list[NamedAdmin]:
        calls = [RpcCall("eth_getLogs", [self._events.filter(account, *each)]) for each in ranges]
        found: list[NamedAdmin] = []
        for outcome in await self._provider.send(calls, EXCHANGE_TIMEOUT_S):
            if isinstance(outcome, RpcRefusedError):
                raise outcome
            try:
                found += self._events.named(outcome, account)
            except MalformedLogsError as malformed:
                raise self._provider.fault(str(malformed)) from None
        return found


ACCOUNTS_MAX: Final = 10_000
"""Maximum accounts in the cache, some megabytes. The least recently used one is evicted."""

HEDGE_DELAY_S: Final = 5.0
"""Seconds after which another provider is asked as well. Logs take longer than views."""

_UNCONFIRMED: Final = -math.inf


@dataclass(frozen=True, slots=True)
class _Known:
    """Admins from the present one back, as of a block. `confirmed_at` is the read's start."""

    admins: Sequence[str]
    block_number: int
    confirmed_at: float


@dataclass(slots=True)
class _ReadEvents:
    """Events that arrived while a history was being read."""

    changed_at_block: int = 0
    reorganised: bool = False


class AccountAdmins:
    """Cache of admin histories, notified of changes as a `ChainNews`. `clock` is monotonic.

    A quorum must agree on `views`, and a quorum of `client`'s providers on the history. A history
    grows only at its newest end, so a cached one is complete while its newest admin is present.
    """

    def __init__(
        self,
        views: ContractViews,
        client: QuorumClient,
        events: AdminEvents,
        lag_s: Callable[[], float | None],
        clock: Callable[[], float],
        settings: AuthorisationSettings,
    ) -> None:
        self._views = views
        self._client = client
        self._lag_s = lag_s
        self._clock = clock
        self._settings = settings
        self._histories = {provider: ProviderHistory(provider, events) for provider in client.rpc.providers}
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._events_while_read: dict[int, _ReadEvents] = {}
        self._flights = SingleFlight[Sequence[int]]()

    def kept(self, account: int) -> Sequence[int] | None:
        """Returns the cached hashes, the present admin's first; None if they may be outdated."""
        known, lag_s = self._known.get(account), self._lag_s()
        # While the listener lags, it may have missed a change of the admin.
        if known is None or lag_s is None or lag_s > self._settings.authorisation_stalled_after_s:
            return None
        if self._clock() - known.confirmed_at >= self._settings.authorisation_grant_ttl_s:
            return None
        self._known.move_to_end(account)
        return _hashes(known.admins)

    async def read(self, account: int) -> Sequence[int]:
        """Returns the hashes at the head, none for an account that is managed or unknown.

        Raises ChainUnavailableError if no quorum of providers returns the same history.
        """
        return await self._flights.run(account, lambda: self._read(account), lambda _: False)

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Marks the account's admin for another read, since it has an event in this block."""
        known, events = self._known.get(master_hash), self._events_while_read.get(master_hash)
        if known is not None and block_number > known.block_number:
            # Kept unconfirmed: if its newest admin is still present, no logs are read again.
            self._known[master_hash] = replace(known, confirmed_at=_UNCONFIRMED)
        if events is not None:
            events.changed_at_block = max(events.changed_at_block, block_number)

    def reorganised(self, fork_number: int) -> None:
        """Invalidates reads after block `fork_number`, since those blocks were replaced."""
        for account in [account for account, known in self._known.items() if known.block_number > fork_number]:
            del self._known[account]
        # It is unknown on which branch the block of a read under way is.
        for events in self._events_while_read.values():
            events.reorganised = True

    async def _read(self, account: int) -> Sequence[int]:
        events = self._events_while_read[account] = _ReadEvents()
        try:
            return await self._history_of(account, events)
        finally:
            del self._events_while_read[account]

    async def _history_of(self, account: int, events: _ReadEvents) -> Sequence[int]:
        began_at = self._clock()
        head, (returned,) = await self._views.at_head([("getAccount", (account,))])
        present = _present_admin(account, returned)
        if present is None:
            return ()
        known = self._known.get(account)
        is_complete = known is not None and known.admins[0] == present
        admins = known.admins if known is not None and is_complete else await self._agreed(account, present, head)
        # After a reorganisation its block may be gone, so the result is used but not cached.
        if not events.reorganised:
            # A change after the head that was read has arrived during the read.
            confirmed_at = began_at if events.changed_at_block <= head.number else _UNCONFIRMED
            self._keep(account, _Known(admins, head.number, confirmed_at))
        return _hashes(admins)

    def _keep(self, account: int, known: _Known) -> None:
        self._known[account] = known
        self._known.move_to_end(account)
        while len(self._known) > ACCOUNTS_MAX:
            self._known.popitem(last=False)

    async def _agreed(self, account: int, present: str, head: Head) -> Sequence[str]:
        """Returns the history of a quorum. A forged one would lend the account another's keys.

        A history without its newest link is no vote, so a provider that lags contradicts none.
        """

        async def question(provider: Provider, _: float) -> tuple[str, ...]:
            return tuple(await self._histories[provider].admins(account, present, head.number))

        tally = await self._client.vote(question, HEDGE_DELAY_S)
        reputation = self._client.reputation
        if tally.agreed is None:
            for provider in tally.votes if tally.is_divided else ():
                reputation.disagreed(provider, DISAGREE, what="admins", block_number=head.number)
            raise contradicted() if tally.is_divided else too_few_answer()
        for provider in tally.contradicting(tally.agreed):
            reputation.disagreed(provider, OUTVOTED, what="admins", block_number=head.number)
        return tally.agreed[0]


def _present_admin(account: int, returned: Struct) -> str | None:
    """Returns the present admin of the account with this master hash; None without one."""
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    # An alias finds the account but authorises nothing (spec 8.7), so only its own hash counts.
    if master != account or managed or not is_master:
        return None
    return cast("str", admin)


def _hashes(admins: Sequence[str]) -> Sequence[int]:
    return tuple(map(hash_of_address, admins))
