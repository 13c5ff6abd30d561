"""Reads of the contract by a quorum at one agreed block, and waits for a block to be reached.

Later reads never use a block below the highest one that an earlier read or write used. Every used
block is checked for whether it is still canonical.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from node.chain import errors
from node.chain.port import Head
from node.chain.quorum.client import BEHIND_POLL_S, BEHIND_TIMEOUT_S, DISAGREE, OUTVOTED, QuorumClient
from node.chain.quorum.round import Agreement, Answer, QuorumRound, ViewCall, height_of
from node.chain.read_meter import count_reads, metered
from node.chain.rpc import (
    Provider,
)
from node.errors import DomainError

OBSERVED_HEADS_MAX: Final = 4096
"""Observed heads that are remembered: hours of blocks on most chains, and a megabyte."""


class MinimumBlock:
    """Lowest block that a read may use: the highest that this process used, or 0. Shared by all.

    The writer raises it to each receipt's block, a read to each head it agrees on. It falls only
    with `may_fall`, for a local chain with instant blocks that loses some when it is killed, and
    only when it has all our writes again. Elsewhere a lower head is a provider that lags or lies.
    """

    def __init__(self, *, may_fall: bool = False) -> None:
        self._value = 0
        self._may_fall = may_fall

    @property
    def value(self) -> int:
        """Lowest block number that a read may use."""
        return self._value

    def raise_to(self, block_number: int) -> None:
        """Raise it to `block_number`; a lower number changes nothing."""
        self._value = max(self._value, block_number)

    def rewind_to(self, block_number: int) -> None:
        """Lower it to `block_number`, at which every write of this process is known to be on chain.

        Changes nothing without `may_fall`.
        """
        if self._may_fall:
            self._value = min(self._value, block_number)


@dataclass(frozen=True, slots=True)
class ObservedSince:
    """Blocks used after a mark: the `heads`, oldest use first, and the `mark` for the next query.

    Not `complete` if some have been forgotten: then any block may have been used.
    """

    mark: int
    heads: tuple[Head, ...]
    complete: bool


class ObservedBlocks:
    """Heads that reads used, at most `kept`. A mark counts the uses so far, from 0."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._mark = 0
        self._forgotten = 0
        self._marks: dict[Head, int] = {}

    def note(self, head: Head) -> None:
        """Note that a read used this head now."""
        self._mark += 1
        # Moved to the end: `since` reads back from the latest use.
        self._marks.pop(head, None)
        self._marks[head] = self._mark
        if len(self._marks) > self._kept:
            oldest = next(iter(self._marks))
            self._forgotten = self._marks.pop(oldest)

    def since(self, mark: int) -> ObservedSince:
        """Returns the heads used after `mark` (0: ever), each head once, by its last use."""
        found: list[Head] = []
        for head, used in reversed(self._marks.items()):
            if used <= mark:
                break
            found.append(head)
        return ObservedSince(self._mark, tuple(reversed(found)), complete=self._forgotten <= mark)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a check: reads after block `fork` are void, if any; `waiting` is checked again."""

    fork: int | None
    waiting: Sequence[Head]


class ObservedBlockCheck:
    """Compares the used blocks with one provider's chain until each is confirmed there or gone.

    Between two polls a read may use a block that is gone before the second, unseen by checkpoints.
    """

    def __init__(self, source: ObservedBlocks, most: int) -> None:
        self._source = source
        self._most = most
        self._mark = 0
        self._waiting: Sequence[Head] = ()

    def gather(self) -> ObservedSince:
        """Returns blocks this provider has not confirmed; not `complete` if more than `most`."""
        used = self._source.since(self._mark)
        heads = tuple({head.hash: head for head in (*self._waiting, *used.heads)}.values())
        return replace(used, heads=heads[-self._most :], complete=used.complete and len(heads) <= self._most)

    def check(
        self, unconfirmed: ObservedSince, hash_at: Callable[[int], str | None], cursor: int, lowest: int
    ) -> CheckResult:
        """Finds blocks gone from a provider's chain, which has `hash_at` at a number.

        `lowest` is the fork when some blocks were not remembered.
        """
        shown = {head.hash: hash_at(head.number) for head in unconfirmed.heads}
        gone = [head for head in unconfirmed.heads if shown[head.hash] not in {None, head.hash}]
        there = [head for head in unconfirmed.heads if shown[head.hash] == head.hash and head.number <= cursor]
        # A block beyond the cursor waits: until the cursor passes it, nothing else shows its loss.
        waiting = [head for head in unconfirmed.heads if head not in gone and head not in there]
        # The block itself is gone. What else is gone, the other used blocks and the cursor show.
        forks = [max(0, head.number - 1) for head in gone]
        if unconfirmed.complete:
            return CheckResult(min(forks, default=None), waiting)
        # Waiting blocks are void with the rest. Kept, they would be too many in every later poll.
        return CheckResult(min(*forks, lowest) if forks else lowest, ())

    def settle(self, unconfirmed: ObservedSince, result: CheckResult) -> None:
        """Notes that the result was used: only waiting and later blocks are checked again."""
        self._mark = unconfirmed.mark
        self._waiting = result.waiting


PAUSE_MAX_S: Final = 0.5
"""Longest pause between two rounds; each is twice as long as the one before."""

HEAD_POLL_S: Final = 0.25
"""Interval of head reads while a request waits for `min_block`: part of any chain's block time."""

HEADS_APART: Final = 3
"""Distance from the agreed head in blocks that counts as honest: new blocks take time to arrive."""


class QuorumReader:
    """Agrees on heads and on the contract's views at them, over the providers of `client`.

    An agreed head raises `minimum`, below which none is agreed on. `now` is in unix seconds.
    """

    def __init__(self, client: QuorumClient, minimum: MinimumBlock, now: Callable[[], float] = time.time) -> None:
        self._client = client
        self._reputation = client.reputation
        self._minimum = minimum
        self._now = now
        self.observed: Final = ObservedBlocks(OBSERVED_HEADS_MAX)
        self._known: dict[Provider, Head] = {}
        self._head: Head | None = None
        self._on_report: list[Callable[[], None]] = []
        self._on_head: list[Callable[[Head], None]] = []

    @property
    def head(self) -> Head | None:
        """Last head agreed on; None before the first read."""
        return self._head

    def head_of(self, provider: Provider) -> Head | None:
        """Returns the head this provider reported last, to a read or a follower, or None."""
        return self._known.get(provider)

    def saw(self, provider: Provider, head: Head) -> None:
        """Notes the head that a follower saw. It is only a guess of where to read next."""
        before = self._known_height()
        self._known[provider] = head
        # The quorum-th head has to change, so one provider's changing head cannot cause reads.
        if self._known_height() != before:
            for notify in self._on_report:
                notify()

    def on_report(self, notify: Callable[[], None]) -> None:
        """Calls `notify`, which must be quick and not raise, if heads suggest a new agreed one."""
        self._on_report.append(notify)

    def on_head(self, notify: Callable[[Head], None]) -> None:
        """Call `notify` with each head that is newly agreed on; it must be quick and not raise."""
        self._on_head.append(notify)

    def is_fresh(self, head: Head) -> bool:
        """Whether the head is young enough by this node's clock (`chain_max_head_age_s`)."""
        max_age_s = self._client.settings.chain_max_head_age_s
        return max_age_s == 0 or self._now() - head.timestamp <= max_age_s

    async def look(self) -> Head:
        """Agree on the head alone. Raises ChainUnavailableError."""
        head, _ = await self.read([])
        return head

    async def read(
        self, calls: Sequence[ViewCall], at: Head | None = None, *, of_strangers: bool = False
    ) -> tuple[Head, Sequence[Answer]]:
        """Returns the agreed head, and the answers of a quorum to `calls`, all at that head.

        `at` pins the read to a head agreed on a moment ago, for one that goes with an earlier read.
        A contract `of_strangers` may tell providers apart, so none is blamed for its results.
        Raises ChainUnavailableError if there is no agreement in time, or only on a head that is too
        old, and the errors of the request's read meter.
        """
        count_reads()
        started = self._client.clock()
        pause_s = BEHIND_POLL_S
        while True:
            deadline = started + self._client.rpc.settings.rpc_call_timeout_s
            attempt = QuorumRound(self._client, calls, self._known, at or self._head, deadline)
            agreement = await (attempt.agree(self._minimum.value) if at is None else attempt.agree_at(at))
            if agreement is not None:
                return self._accepted(attempt, agreement, blames=not of_strangers)
            waited_s = self._client.clock() - started
            # Providers that contradict each other do so at the next try too; only lag passes.
            if attempt.divided or not attempt.can_agree or waited_s >= BEHIND_TIMEOUT_S:
                raise self._refused(attempt, blames=not of_strangers)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)

    def _accepted(self, attempt: QuorumRound, agreement: Agreement, *, blames: bool) -> tuple[Head, Sequence[Answer]]:
        head = agreement.head
        if blames:
            for provider in attempt.contradicting(agreement):
                self._reputation.disagreed(provider, OUTVOTED, what="answer", block_number=head.number)
        self._note_disagreement(attempt, agreement)
        # Later reads must not go back behind what this caller is shown.
        self._minimum.raise_to(head.number)
        # A read that began earlier may end later: its head is an older one then.
        if head.number >= self._minimum.value and head != self._head:
            self._head = head
            for notify in self._on_head:
                notify(head)
        self.observed.note(head)
        # Last: an old head still counts as agreed, it only grants nothing.
        if not self.is_fresh(head):
            raise errors.head_too_old(self._now() - head.timestamp)
        return head, agreement.answers

    def _note_disagreement(self, attempt: QuorumRound, agreement: Agreement) -> None:
        agreed = agreement.head
        for provider, head in attempt.fresh.items():
            # Same height, other hash: this provider is on a fork.
            if head.number == agreed.number and head != agreed:
                self._reputation.disagreed(provider, OUTVOTED, what="block", block_number=agreed.number)
            elif abs(head.number - agreed.number) > HEADS_APART:
                self._reputation.disagreed(provider, OUTVOTED, what="head", block_number=agreed.number)
        for provider in attempt.lacking(agreed):
            self._reputation.demote(provider)

    def _refused(self, attempt: QuorumRound, *, blames: bool) -> errors.ChainUnavailableError:
        """Returns the error of a round without agreement; logs the providers that prevent one."""
        if attempt.divided:
            for provider in attempt.divided if blames else ():
                self._reputation.disagreed(provider, DISAGREE, what="answer")
            return errors.contradicted()
        if not attempt.can_agree:
            for provider, why in attempt.failed.items():
                self._reputation.disagreed(provider, DISAGREE, what="nothing", why=why)
            return errors.too_few_answer()
        height = self._known_height()
        if height is None or height < self._minimum.value:
            for provider, head in attempt.fresh.items():
                if head.number < self._minimum.value:
                    self._reputation.disagreed(provider, DISAGREE, what="head", block_number=head.number)
            return errors.behind()
        for provider, head in attempt.fresh.items():
            self._reputation.disagreed(provider, DISAGREE, what="block", block_number=head.number)
        return errors.no_common_block()

    def _known_height(self) -> int | None:
        return height_of(list(self._known.values()), self._client.quorum)


class HeadWatch:
    """Waits for agreed heads, at most `timeout_s` seconds each. One read serves all waiters."""

    def __init__(self, quorum: QuorumReader, timeout_s: float) -> None:
        self._quorum = quorum
        self._timeout_s = timeout_s
        self._wanted: dict[asyncio.Future[Head], int] = {}
        self._reported = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._looks = 0
        quorum.on_report(self._reported.set)
        quorum.on_head(self._came)

    async def reach(self, number: int) -> Head:
        """Returns an agreed head of that number or higher. No later read is of an earlier block.

        Reads made meanwhile count for each request that waits. Raises ChainUnavailableError with
        `details` {"min_block", "block_number"} when the head does not come in time.
        """
        head = self._quorum.head
        if head is not None and head.number >= number:
            return head
        count_reads()
        looks_before = self._looks
        waiter: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._wanted[waiter] = number
        if self._looking is None:
            # The task serves all waiters, so the first one's meter must not count for it.
            with metered(None):
                self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(self._timeout_s):
                return await waiter
        except TimeoutError:
            seen = self._quorum.head
            raise errors.HeadNotReachedError(number, 0 if seen is None else seen.number) from None
        finally:
            await self._leave(waiter)
            count_reads(max(0, self._looks - looks_before - 1))

    async def _leave(self, waiter: "asyncio.Future[Head]") -> None:
        """Stop waiting. The last one to leave ends the task that looks at the chain."""
        del self._wanted[waiter]
        if self._wanted or self._looking is None:
            return
        looking, self._looking = self._looking, None
        # Ended and awaited here, so that no task reads the head without a waiter.
        looking.cancel()
        (ended,) = await asyncio.gather(looking, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended

    async def _look(self) -> None:
        while True:
            self._reported.clear()
            self._looks += 1
            with contextlib.suppress(DomainError):
                await self._quorum.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEAD_POLL_S):
                    await self._reported.wait()

    def _came(self, head: Head) -> None:
        for waiter, number in self._wanted.items():
            if head.number >= number and not waiter.done():
                waiter.set_result(head)
