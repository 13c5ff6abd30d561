"""The cache of authorisations: `Authorisations` for the execute path, `ChainNews` for those who watch the chain."""

import math
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final, TypeVar, cast

from node.chain.authorisations.limits import AuthorisationLimits
from node.chain.authorisations.metrics import CacheObserver
from node.chain.authorisations.news import Changes, Reorganisations
from node.chain.authorisations.questions import AuthorisationReads, Questions
from node.chain.authorisations.readings import Question, Reading
from node.chain.authorisations.shelves import Shelves
from node.chain.authorisations.validity import Moment, is_young, stands
from node.chain.port import Authorisation, MayReread, WalletUse
from node.chain.quorum.refusals import not_reached
from node.permissions.grants import Caller
from node.runtime.clock import Clock, ElapsedClock
from node.runtime.single_flight import SingleFlight

Answer = TypeVar("Answer")

_KEPT_FOR_READINGS_IN_FLIGHT: Final = 2
"""News is remembered twice as long as the longest-lived reading: a reading made meanwhile must meet it too."""


@dataclass(frozen=True, slots=True)
class ChainSight:
    """What the cache sees of the chain besides its readings.

    `head_timestamp` is that of the last agreed head in unix seconds, 0 before any. `reach` waits until a block of this
    number is agreed upon and raises NodeError when it takes too long. `lag_s` is the listener's, None before its first
    poll.
    """

    head_timestamp: Callable[[], int]
    reach: Callable[[int], Awaitable[object]]
    lag_s: Callable[[], float | None]


class CachedAuthorisations:
    """Who may run what. `clock` is unix seconds, `monotonic_clock` seconds."""

    def __init__(
        self,
        reads: AuthorisationReads,
        sight: ChainSight,
        clock: Callable[[], float],
        monotonic_clock: Callable[[], float],
        observer: CacheObserver,
        limits: AuthorisationLimits | None = None,
    ) -> None:
        self._sight = sight
        self._clock = clock
        self._observer = observer
        self._limits = limits or AuthorisationLimits()
        self._questions = Questions(reads, self._limits.max_groups_per_key)
        self._elapsed = ElapsedClock(Clock(monotonic=monotonic_clock, unix=clock))
        kept_s = self._limits.grant_ttl_s * _KEPT_FOR_READINGS_IN_FLIGHT
        self._changes = Changes(self._limits.max_changed_accounts, kept_s)
        self._reorganisations = Reorganisations(self._limits.max_reorganisations, kept_s)
        self._shelves = Shelves(self._limits.max_readings, self._limits.max_readings_per_key)
        self._flights = SingleFlight[Reading[object]]()
        self._unwatched_until = -math.inf

    @property
    def keys(self) -> int:
        """API keys of which something is kept."""
        return self._shelves.keys

    @property
    def readings(self) -> int:
        """Readings kept."""
        return self._shelves.readings

    async def caller(self, key_hash: int) -> Caller | None:
        """Who a key is; None when unknown, removed or expired, at the head."""
        return (await self._decided(self._questions.caller(key_hash), 0, _freely)).answer

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:
        """May this key run this action, decided at `min_block` or later.

        Raises NodeError `chain_unavailable`, with `details` when the chain does not reach `min_block` in time.
        """
        question = self._questions.execution(caller, action_hash)
        return (await self._decided(question, min_block, may_reread)).answer

    async def wallet_use(
        self, caller: Caller, action_hash: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        """May this key use this wallet of its account (EIP-55 address, or running id) in this action.

        Decided at `min_block` or later, and raises, as `execution` does.
        """
        question = self._questions.wallet(caller, action_hash, wallet)
        return (await self._decided(question, min_block, may_reread)).answer

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """An event of this account stands in this block: what was read of it before that block is void."""
        self._changes.tell(master_hash, block_number, self._elapsed())

    def reorganised(self, fork_number: int) -> None:
        """Blocks after `fork_number` are no longer those that were there: what was read at them is void."""
        self._reorganisations.tell(fork_number, self._elapsed())

    async def _decided(self, question: Question[Answer], min_block: int, may_reread: MayReread) -> Reading[Answer]:
        kept = self._kept(question, min_block)
        if kept is None:
            self._observer.miss(question.kind)
        elif kept.granted or not may_reread():
            self._observer.hit(question.kind)
            return kept
        else:
            self._observer.reread(question.kind)
        if min_block:
            await self._sight.reach(min_block)
        return await self._read(question, min_block)

    def _kept(self, question: Question[Answer], min_block: int) -> Reading[Answer] | None:
        """The good reading that is kept; one that was found void is dropped."""
        reading = self._shelves.find(question)
        moment = self._moment()
        if reading is None or reading.block_number < min_block or not is_young(reading, moment, self._limits):
            return None
        if self._stands(reading, moment):
            return reading
        self._shelves.drop(question.key_hash, question.about)
        self._observer.voided(question.kind)
        return None

    async def _read(self, question: Question[Answer], min_block: int) -> Reading[Answer]:
        """A reading begun after this call; of one that was begun before it only a grant that still stands."""

        def still_grants(reading: Reading[object]) -> bool:
            return reading.granted and reading.block_number >= min_block and self._is_good(reading)

        async def begin() -> Reading[object]:
            return await self._read_and_keep(question)

        # The same key of flights is the same question, and so has the same kind of answer.
        key: Hashable = (question.key_hash, question.about)
        reading = cast("Reading[Answer]", await self._flights.run(key, begin, still_grants))
        if reading.block_number < min_block:
            raise not_reached(min_block, reading.block_number)
        return reading

    async def _read_and_keep(self, question: Question[Answer]) -> Reading[Answer]:
        reading = await question.read(self._elapsed())
        if not reading.account:
            self._shelves.forget(question.key_hash)
        elif reading.groups <= self._limits.max_groups_per_key and self._is_good(reading):
            self._shelves.keep(question.key_hash, reading)
        self._observer.sized(self._shelves.keys, self._shelves.readings)
        return reading

    def _is_good(self, reading: Reading[object]) -> bool:
        moment = self._moment()
        return is_young(reading, moment, self._limits) and self._stands(reading, moment)

    def _stands(self, reading: Reading[object], moment: Moment) -> bool:
        return stands(reading, moment, self._changes, self._reorganisations)

    def _moment(self) -> Moment:
        elapsed_s, lag_s = self._elapsed(), self._sight.lag_s()
        if lag_s is None:
            self._unwatched_until = elapsed_s
        stalled = lag_s is not None and lag_s > self._limits.stalled_after_s
        return Moment(
            elapsed_s=elapsed_s,
            unix_s=max(self._clock(), self._sight.head_timestamp()),
            short_lived_until=elapsed_s if stalled else self._unwatched_until,
        )


def _freely() -> bool:
    """No refusal is kept of who a key is, so there is none to read again."""
    return True
