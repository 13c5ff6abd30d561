"""The cache of authorisations: `Authorisations` to the execute path, `ChainNews` to chain events.

An entry is used while it is fresh and no change on chain has voided it. No event makes a void entry
valid, since it may come from a provider that lies. Times are seconds of one rising clock.
"""

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar, cast

from prometheus_client import CollectorRegistry, Gauge

from node.chain.authorisations.entries import AuthorisationReads, CacheEntry, EntryCache, Kind, Queries, Query
from node.chain.errors import HeadNotReachedError
from node.chain.port import Authorisation, MayReread, WalletUse
from node.permissions.grants import Caller, is_expired
from node.runtime.clock import Clock, ElapsedClock
from node.runtime.counts import Counts
from node.runtime.single_flight import SingleFlight
from node.settings.chain import AuthorisationSettings
from node.values import u256_hex

STALLED_GRANT_TTL_S: Final = 30.0
"""Longest life of a grant while the listener lags, or if read before the listener's first poll."""


@dataclass(frozen=True, slots=True)
class _Change:
    block_number: int
    noted_at: float


_NEVER = _Change(0, 0.0)


@dataclass(slots=True)
class Changes:
    """Last change of each account, kept for `kept_s`: longer than any entry lives.

    An entry is void if its block is before the account's last change, whenever that event came. An
    evicted change counts for every account from then on. Accounts are keyed by the text of their
    hash: a provider that lies can name thousands of numbers with one hash in a dict.
    """

    max_accounts: int
    kept_s: float
    _last: OrderedDict[str, _Change] = field(default_factory=OrderedDict)
    _of_any_account: _Change = _NEVER

    def note(self, account: int, block_number: int, now: float) -> None:
        """Note an event of `account` in this block."""
        # Never lowered: a provider that lies could else hide a change by reporting an older one.
        name = u256_hex(account)
        self._last[name] = _Change(max(block_number, self._of(account).block_number), now)
        self._last.move_to_end(name)
        while len(self._last) > self.max_accounts:
            _, forgotten = self._last.popitem(last=False)
            self._of_any_account = _Change(max(forgotten.block_number, self._of_any_account.block_number), now)
        while self._last and next(iter(self._last.values())).noted_at < now - self.kept_s:
            self._last.popitem(last=False)

    def last(self, account: int, now: float) -> int:
        """Returns the lowest block number at which an entry of this account may have been read."""
        noted_after = now - self.kept_s
        own, of_any_account = self._of(account), self._of_any_account
        block_number = own.block_number if own.noted_at >= noted_after else 0
        if of_any_account.noted_at >= noted_after and of_any_account.block_number > block_number:
            return of_any_account.block_number
        return block_number

    def _of(self, account: int) -> _Change:
        return self._last.get(u256_hex(account), _NEVER)


@dataclass(frozen=True, slots=True)
class _Fork:
    block_number: int
    noted_at: float


@dataclass(slots=True)
class Reorganisations:
    """Reorganisations, kept for `kept_s`: they void entries read above the fork, begun before."""

    max_forks: int
    kept_s: float
    _forks: Sequence[_Fork] = ()

    def note(self, fork_number: int, now: float) -> None:
        """Note that the blocks after `fork_number` have been replaced."""
        deeper = [
            fork for fork in self._forks if fork.block_number < fork_number and fork.noted_at >= now - self.kept_s
        ]
        self._forks = [*deeper, _Fork(fork_number, now)]
        if len(self._forks) > self.max_forks:
            oldest, second, *later = self._forks
            self._forks = [_Fork(oldest.block_number, second.noted_at), *later]

    def void(self, block_number: int, began_at: float) -> bool:
        """Whether a read at this block, begun then, may have used a block that is gone."""
        if not self._forks:
            return False
        # By the start of the read: one that was under way may have used the old branch.
        return any(fork.block_number < block_number and began_at <= fork.noted_at for fork in self._forks)


class Moment(NamedTuple):
    """The present: `elapsed_s` by the cache's clock; `unix_s`, the later of clock and head.

    Entries whose read began until `short_lived_until` live at most STALLED_GRANT_TTL_S: the
    listener might have missed a change.
    """

    elapsed_s: float
    unix_s: float
    short_lived_until: float


def is_fresh(entry: CacheEntry[object], moment: Moment, settings: AuthorisationSettings) -> bool:
    """Whether the entry is younger than its kind may become, and the key has not expired."""
    age_s = moment.elapsed_s - entry.began_at
    # Denials live shortly: a wrong one refuses a client, a wrong grant is bounded by the listener.
    if not entry.granted:
        return age_s < settings.authorisation_denial_ttl_s
    ttl_s = settings.authorisation_grant_ttl_s
    # Entries read after the outage are current and live as usual.
    if entry.began_at <= moment.short_lived_until:
        ttl_s = min(ttl_s, STALLED_GRANT_TTL_S)
    return age_s < ttl_s and not is_expired(entry.expiration, moment.unix_s)


def is_valid(entry: CacheEntry[object], moment: Moment, changes: Changes, reorganisations: Reorganisations) -> bool:
    """Whether no event since the read, or of a later block, voids the entry."""
    return entry.block_number >= changes.last(entry.account, moment.elapsed_s) and not reorganisations.void(
        entry.block_number, entry.began_at
    )


Answer = TypeVar("Answer")

ENTRIES_PER_KEY_MAX: Final = 64
"""Entries of one key: a key that runs ever new code evicts no other key's."""

GROUPS_PER_KEY_MAX: Final = 64
"""Group ids in all lists of one key. A key with more is not cached, to bound the memory."""

CHANGED_ACCOUNTS_MAX: Final = 100_000
"""Accounts whose last change is remembered: some ten megabytes, more than change in minutes."""

REORGANISATIONS_MAX: Final = 64
"""Reorganisations remembered; beyond it the two oldest become the deeper of both."""

_EVENTS_KEPT_GRANT_TTLS: Final = 2
"""Lives of the longest-lived entry for which events are kept, so that running reads meet them."""


@dataclass(frozen=True, slots=True)
class ChainView:
    """State of the chain besides its reads.

    `head_timestamp` is that of the last agreed head in unix seconds, 0 before any. `reach` waits
    until a block of this number is agreed on and raises HeadNotReachedError if it takes too long.
    `lag_s` is the listener's, None before its first poll.
    """

    head_timestamp: Callable[[], int]
    reach: Callable[[int], Awaitable[object]]
    lag_s: Callable[[], float | None]


class CacheMetrics:
    """Counters and sizes of the cache."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str) -> Counts:
            made = Counts(f"svc_authorisation_cache_{name}", meaning, ["kind"], registry)
            for kind in Kind:
                made.begin(kind)
            return made

        def gauge(name: str, meaning: str) -> Gauge:
            return Gauge(f"svc_authorisation_cache_{name}", meaning, registry=registry)

        self.hits = counter("hits", "Authorisations answered from the cache")
        self.misses = counter("misses", "Authorisations read from the chain")
        self.rereads = counter("rereads", "Cached denials read once more at the head before they were told")
        self.voided = counter("voided", "Cached authorisations found void by events and reorganisations")
        self.keys = gauge("keys", "API keys of which the cache keeps something")
        self.readings = gauge("readings", "Authorisations the cache keeps")


class CachedAuthorisations:
    """Cached decisions on who may run what, and where needed new ones by `reads`."""

    def __init__(
        self,
        reads: AuthorisationReads,
        chain: ChainView,
        settings: AuthorisationSettings,
        clock: Clock,
        metrics: CacheMetrics,
    ) -> None:
        self._chain = chain
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._queries = Queries(reads, GROUPS_PER_KEY_MAX)
        self._elapsed = ElapsedClock(clock)
        kept_s = settings.authorisation_grant_ttl_s * _EVENTS_KEPT_GRANT_TTLS
        self._changes = Changes(CHANGED_ACCOUNTS_MAX, kept_s)
        self._reorganisations = Reorganisations(REORGANISATIONS_MAX, kept_s)
        self._entries = EntryCache(settings.authorisation_max_readings, ENTRIES_PER_KEY_MAX)
        self._flights = SingleFlight[CacheEntry[object]]()
        self._unwatched_until = -math.inf

    @property
    def keys(self) -> int:
        """Number of API keys that have entries."""
        return self._entries.keys

    @property
    def readings(self) -> int:
        """Number of entries."""
        return self._entries.size

    async def caller(self, key_hash: int) -> Caller | None:
        """Return the caller of a key; None when it is unknown, removed or expired at the head."""
        # No refusal of this kind is cached, so there is none whose second read has to be allowed.
        return (await self._decided(self._queries.caller(key_hash), 0, lambda: True)).answer

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:
        """Decide whether this key may run this action (see Authorisations.execution)."""
        query = self._queries.execution(caller, action_hash)
        return (await self._decided(query, min_block, may_reread)).answer

    async def wallet_use(
        self, caller: Caller, action_hash: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        """Decides whether this key may use this wallet in this action. See Authorisations."""
        query = self._queries.wallet(caller, action_hash, wallet)
        return (await self._decided(query, min_block, may_reread)).answer

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Note an event of this account in this block: earlier reads of the account are void."""
        self._changes.note(master_hash, block_number, self._elapsed())

    def reorganised(self, fork_number: int) -> None:
        """Note that the blocks after `fork_number` have been replaced: reads at them are void."""
        self._reorganisations.note(fork_number, self._elapsed())

    async def _decided(self, query: Query[Answer], min_block: int, may_reread: MayReread) -> CacheEntry[Answer]:
        cached = self._cached(query, min_block)
        if cached is None:
            self._metrics.misses.add(query.kind)
        # A denial may be outdated; a client that was just granted access must not wait for its end.
        elif cached.granted or not may_reread():
            self._metrics.hits.add(query.kind)
            return cached
        else:
            self._metrics.rereads.add(query.kind)
        if min_block:
            # Before the read, since providers would be asked for a block that they do not have.
            await self._chain.reach(min_block)
        return await self._read(query, min_block)

    def _cached(self, query: Query[Answer], min_block: int) -> CacheEntry[Answer] | None:
        """Returns the fresh and valid entry, if any. Drop one that was voided."""
        entry = self._entries.find(query)
        moment = self._moment()
        # The client saw a write at `min_block`; an answer of an earlier block would contradict it.
        if entry is None or entry.block_number < min_block or not is_fresh(entry, moment, self._settings):
            return None
        if is_valid(entry, moment, self._changes, self._reorganisations):
            return entry
        self._entries.drop(query.key_hash, query.about)
        self._metrics.voided.add(query.kind)
        return None

    async def _read(self, query: Query[Answer], min_block: int) -> CacheEntry[Answer]:
        """Returns an entry whose read began after this call, or a valid earlier grant."""

        def is_acceptable(entry: CacheEntry[object]) -> bool:
            return entry.granted and entry.block_number >= min_block and self._is_usable(entry)

        async def begin() -> CacheEntry[object]:
            return await self._read_and_store(query)

        # An equal flight key is an equal query, and so has the same kind of answer.
        key: Hashable = (query.key_hash, query.about)
        entry = cast("CacheEntry[Answer]", await self._flights.run(key, begin, is_acceptable))
        if entry.block_number < min_block:
            raise HeadNotReachedError(min_block, entry.block_number)
        return entry

    async def _read_and_store(self, query: Query[Answer]) -> CacheEntry[Answer]:
        entry = await query.read(self._elapsed())
        # Unknown keys are not cached: strangers can invent any number of them.
        if not entry.account:
            self._entries.drop_key(query.key_hash)
        elif entry.groups <= GROUPS_PER_KEY_MAX and self._is_usable(entry):
            # Events during the read have been noted: an entry that they void is not stored.
            self._entries.put(query.key_hash, entry)
        self._metrics.keys.set(self._entries.keys)
        self._metrics.readings.set(self._entries.size)
        return entry

    def _is_usable(self, entry: CacheEntry[object]) -> bool:
        moment = self._moment()
        return is_fresh(entry, moment, self._settings) and is_valid(entry, moment, self._changes, self._reorganisations)

    def _moment(self) -> Moment:
        elapsed_s, lag_s = self._elapsed(), self._chain.lag_s()
        if lag_s is None:
            self._unwatched_until = elapsed_s
        # Revocations of this time may have been missed, so grants live shortly.
        stalled = lag_s is not None and lag_s > self._settings.authorisation_stalled_after_s
        return Moment(
            elapsed_s=elapsed_s,
            # The later of the two: the host controls this machine's clock and could set it back to
            # keep an expired key alive.
            unix_s=max(self._clock.unix(), self._chain.head_timestamp()),
            short_lived_until=elapsed_s if stalled else self._unwatched_until,
        )
