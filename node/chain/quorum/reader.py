"""Reads of the contract: the answers of a quorum at one agreed block; and waiting for the chain to reach a block."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Final

from node.chain.block_floor import BlockFloor
from node.chain.port import Head
from node.chain.quorum import refusals
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.heads import height_of
from node.chain.quorum.limits import QuorumLimits
from node.chain.quorum.observed_blocks import ObservedBlocks
from node.chain.quorum.reputation import DISAGREE, OUTVOTED
from node.chain.quorum.round import Agreement, QuorumRound
from node.chain.quorum.view_calls import Answer, ViewCall
from node.chain.read_meter import count_reads, metered
from node.chain.rpc import Endpoint
from node.errors import NodeError

PAUSE_MAX_S: Final = 0.5
"""The longest pause between two rounds; each is twice as long as the one before."""

HEADS_APART: Final = 3
"""Blocks an honest endpoint may be from the agreed head without being named: new blocks take time to arrive."""


class QuorumReader:
    """Agrees on heads and on what the contract says at them, over the endpoints of `client`.

    An agreed head raises `floor`, below which nothing is ever agreed on. `now` is unix seconds, for the age of a head.
    """

    def __init__(self, client: QuorumClient, floor: BlockFloor, now: Callable[[], float] = time.time) -> None:
        self._client = client
        self._reputation = client.reputation
        self._floor = floor
        self._now = now
        self.observed: Final = ObservedBlocks(client.limits.rpc_relied_heads)
        self._known: dict[Endpoint, Head] = {}
        self._head: Head | None = None
        self._on_news: list[Callable[[], None]] = []
        self._on_head: list[Callable[[Head], None]] = []

    @property
    def head(self) -> Head | None:
        """The last head agreed on; None before the first read."""
        return self._head

    def head_of(self, endpoint: Endpoint) -> Head | None:
        """The head this endpoint reported last, to a read or to a follower; None before the first."""
        return self._known.get(endpoint)

    def saw(self, endpoint: Endpoint, head: Head) -> None:
        """Note the head that a follower saw at this endpoint: a guess of where to read next, and no more."""
        before = self._known_height()
        self._known[endpoint] = head
        # One endpoint alone cannot wake anybody, however often its head changes.
        if self._known_height() != before:
            for notify in self._on_news:
                notify()

    def on_news(self, notify: Callable[[], None]) -> None:
        """Call `notify` when followers let expect another head; it must be quick and not raise."""
        self._on_news.append(notify)

    def on_head(self, notify: Callable[[Head], None]) -> None:
        """Call `notify` with each head that is newly agreed on; it must be quick and not raise."""
        self._on_head.append(notify)

    async def look(self) -> Head:
        """Agree on the head alone. Raises NodeError `chain_unavailable`."""
        head, _ = await self.read([])
        return head

    async def read(
        self, calls: Sequence[ViewCall], at: Head | None = None, *, of_strangers: bool = False
    ) -> tuple[Head, Sequence[Answer]]:
        """The agreed head, and the answers of a quorum to `calls`, all at that head.

        `at` pins the read to a head that was agreed on a moment ago, for a read that goes with an earlier one. Where a
        contract `of_strangers` answers, it may tell endpoints apart: none is blamed for what it says. Raises
        NodeError `chain_unavailable` when there is no agreement in time, or only on a head that is too old, and what the
        meter of the request it is made for raises.
        """
        count_reads()
        limits, started = self._client.rpc.limits, self._client.clock()
        pause_s = limits.behind_poll_s
        while True:
            deadline = started + limits.call_timeout_s
            attempt = QuorumRound(self._client, calls, self._known, at or self._head, deadline)
            agreement = await (attempt.agree(self._floor.value) if at is None else attempt.agree_at(at))
            if agreement is not None:
                return self._accepted(attempt, agreement, blames=not of_strangers)
            waited_s = self._client.clock() - started
            if attempt.divided or not attempt.can_agree or waited_s >= limits.behind_timeout_s:
                raise self._refused(attempt, blames=not of_strangers)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)

    def _accepted(self, attempt: QuorumRound, agreement: Agreement, *, blames: bool) -> tuple[Head, Sequence[Answer]]:
        head = agreement.head
        if blames:
            self._note_contradiction(attempt, agreement)
        self._note_dissent(attempt, agreement)
        self._floor.raise_to(head.number)
        # A read that began earlier may end later: its head is an older one then.
        if head.number >= self._floor.value and head != self._head:
            self._head = head
            for notify in self._on_head:
                notify(head)
        self.observed.note(head)
        age_s = self._now() - head.timestamp
        if 0 < self._client.limits.chain_max_head_age_s < age_s:
            raise refusals.head_too_old(age_s)
        return head, agreement.answers

    def _note_contradiction(self, attempt: QuorumRound, agreement: Agreement) -> None:
        number = agreement.head.number
        for endpoint in attempt.contradicting(agreement):
            self._reputation.disagreed(endpoint, OUTVOTED, what="answer", block_number=number)

    def _note_dissent(self, attempt: QuorumRound, agreement: Agreement) -> None:
        agreed = agreement.head
        for endpoint, head in attempt.fresh.items():
            if head.number == agreed.number and head != agreed:
                self._reputation.disagreed(endpoint, OUTVOTED, what="block", block_number=agreed.number)
            elif abs(head.number - agreed.number) > HEADS_APART:
                self._reputation.disagreed(endpoint, OUTVOTED, what="head", block_number=agreed.number)
        for endpoint in attempt.unacquainted(agreed):
            self._reputation.doubt(endpoint)

    def _refused(self, attempt: QuorumRound, *, blames: bool) -> NodeError:
        """The error of a round without agreement; the endpoints that keep a quorum from agreeing are logged."""
        if attempt.divided:
            for endpoint in attempt.divided if blames else ():
                self._reputation.disagreed(endpoint, DISAGREE, what="answer")
            return refusals.contradicted()
        if not attempt.can_agree:
            for endpoint, why in attempt.failed.items():
                self._reputation.disagreed(endpoint, DISAGREE, what="nothing", why=why)
            return refusals.too_few_answer()
        height = self._known_height()
        if height is None or height < self._floor.value:
            for endpoint, head in attempt.fresh.items():
                if head.number < self._floor.value:
                    self._reputation.disagreed(endpoint, DISAGREE, what="head", block_number=head.number)
            return refusals.behind()
        for endpoint, head in attempt.fresh.items():
            self._reputation.disagreed(endpoint, DISAGREE, what="block", block_number=head.number)
        return refusals.no_common_block()

    def _known_height(self) -> int | None:
        return height_of(list(self._known.values()), self._client.quorum)


class HeadWatch:
    """Waits for agreed heads: one look at the chain serves all who wait, each for at most `timeout_s` seconds."""

    def __init__(self, quorum: QuorumReader, timeout_s: float, limits: QuorumLimits | None = None) -> None:
        self._quorum = quorum
        self._timeout_s = timeout_s
        self._poll_s = (limits or QuorumLimits()).chain_head_poll_s
        self._wanted: dict[asyncio.Future[Head], int] = {}
        self._news = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._looks = 0
        quorum.on_news(self._news.set)
        quorum.on_head(self._came)

    async def reach(self, number: int) -> Head:
        """An agreed head of that number or a later one. No read that begins afterwards is of an earlier block.

        The looks that are made meanwhile count as reads of each request that waits. Raises NodeError `chain_unavailable`
        with `details` {"min_block", "block_number"} when it does not come in time.
        """
        head = self._quorum.head
        if head is not None and head.number >= number:
            return head
        count_reads()
        looks_before = self._looks
        waiter: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._wanted[waiter] = number
        if self._looking is None:
            with metered(None):  # it is for all who wait, whoever came first
                self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(self._timeout_s):
                return await waiter
        except TimeoutError:
            seen = self._quorum.head
            raise refusals.not_reached(number, 0 if seen is None else seen.number) from None
        finally:
            await self._leave(waiter)
            count_reads(max(0, self._looks - looks_before - 1))

    async def _leave(self, waiter: "asyncio.Future[Head]") -> None:
        """Stop waiting. The last one to leave ends the task that looks at the chain."""
        del self._wanted[waiter]
        if self._wanted or self._looking is None:
            return
        looking, self._looking = self._looking, None
        looking.cancel()
        (ended,) = await asyncio.gather(looking, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended

    async def _look(self) -> None:
        while True:
            self._news.clear()
            self._looks += 1
            with contextlib.suppress(NodeError):
                await self._quorum.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await self._news.wait()

    def _came(self, head: Head) -> None:
        for waiter, number in self._wanted.items():
            if head.number >= number and not waiter.done():
                waiter.set_result(head)
