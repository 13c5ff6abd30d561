"""Follows one endpoint: a poll compares it with what was read before, reads its logs, and reports what is void."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol

import structlog

from node.chain.listener.cursors import Checkpoint, Checkpoints, CursorKey, Cursors, newest_common
from node.chain.listener.limits import ListenerLimits
from node.chain.listener.queries import ChainView, EndpointQueries, ListenedContract, LogsRefusedError
from node.chain.logs import LogRange
from node.chain.port import ChainNews, Head
from node.chain.quorum.observed_blocks import ObservedBlockCheck, ObservedBlocks, ObservedSince
from node.chain.rpc import Endpoint
from node.runtime.clock import Clock
from node.runtime.throttle import Throttle

REORGANISED: Final = "chain_reorganised"

_log = structlog.get_logger(__name__)


class PollResult(Enum):
    """Result of a poll."""

    AT_HEAD = auto()
    MORE = auto()
    """There are logs left to read: the next poll may follow at once."""
    BEHIND = auto()
    """The endpoint shows less than before: waited out, as far as a setting goes."""


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """For /health: the head last shown, seconds since the last poll that was read to a fresh head, both None before."""

    head_number: int | None
    lag_s: float | None
    websocket: bool


class HeadObserver(Protocol):
    """Keeps the endpoints' heads."""

    def saw(self, endpoint: Endpoint, head: Head) -> None:
        """Note that this endpoint shows this head, or announces it."""
        ...


@dataclass(frozen=True, slots=True)
class ListenerPorts:
    """Receivers of changes and of heads, the blocks that reads relied on, and the stored cursors."""

    news: ChainNews
    heads: HeadObserver
    observed: ObservedBlocks
    cursors: Cursors


class Follower:
    """Follows one endpoint. Its reports only ever void cached answers: a liar costs reads and nothing else."""

    def __init__(
        self,
        endpoint: Endpoint,
        contract: ListenedContract,
        key: CursorKey,
        ports: ListenerPorts,
        limits: ListenerLimits,
        clocks: Clock,
    ) -> None:
        self._endpoint = endpoint
        self._queries = EndpointQueries(endpoint, contract, limits)
        self._key = key
        self._ports = ports
        self._limits = limits
        self._clocks = clocks
        self._checkpoints = Checkpoints(limits.trail_max)
        self._may_log = Throttle(limits.rpc_log_interval_s, clocks.monotonic)
        self._observed = ObservedBlockCheck(ports.observed, limits.relied_max)
        self._range = LogRange(limits.log_range_blocks)
        self._behind_since: float | None = None
        self._fresh_at: float | None = None
        self.head: Head | None = None
        self.host = endpoint.host

    def lag_s(self) -> float | None:
        """Seconds since the begin of the last poll that was read to the end, with a head that was not old."""
        return None if self._fresh_at is None else self._clocks.monotonic() - self._fresh_at

    async def poll(self) -> PollResult:
        """Read one step further. Raises RpcUnavailableError; nothing is lost then, the next step takes it up again."""
        begun = self._clocks.monotonic()
        cursor = self._checkpoints.cursor
        view = await self._begin() if cursor is None else await self._go_on(cursor)
        if view is None:
            return PollResult.BEHIND
        if not await self._read_to(view.head):
            return PollResult.MORE
        if self._is_fresh(view.head):
            self._fresh_at = begun
        return PollResult.AT_HEAD

    async def _begin(self) -> ChainView:
        """Take up the stored cursor where it is still of use, else begin at the head."""
        stored = await self._ports.cursors.load(self._key)
        unconfirmed = self._observed.gather()
        numbers = [head.number for head in unconfirmed.heads]
        view = await self._look([*numbers, *([stored.number] if stored else [])])
        if stored is None or view.hash_at(stored.number) != stored.hash:
            await self._begin_anew(view.head)
        else:
            self._checkpoints.begin_at(stored)
            await self._skip_if_far(view.head)
        self._judge(unconfirmed, view)
        return view

    async def _go_on(self, cursor: Checkpoint) -> ChainView | None:
        """Hold the endpoint against what was read before; None when it is merely behind."""
        unconfirmed = self._observed.gather()
        view = await self._look([cursor.number, *(head.number for head in unconfirmed.heads)])
        self._judge(unconfirmed, view)
        shown = view.hash_at(cursor.number)
        if shown is None and not await self._has_lost_blocks(view.head):
            return None
        self._behind_since = None
        if shown != cursor.hash:
            await self._reorganised(view.head)
        await self._skip_if_far(view.head)
        return view

    async def _look(self, numbers: list[int]) -> ChainView:
        view = await self._queries.look(numbers)
        self.head = view.head
        self._ports.heads.saw(self._endpoint, view.head)
        return view

    def _judge(self, unconfirmed: ObservedSince, view: ChainView) -> None:
        cursor = self._checkpoints.cursor.number if self._checkpoints.cursor else 0
        lowest = max(0, cursor - self._limits.margin_blocks)
        result = self._observed.judge(unconfirmed, view.hash_at, cursor, lowest)
        if result.fork is not None:
            self._ports.news.reorganised(result.fork)
        self._observed.settle(unconfirmed, result)

    async def _has_lost_blocks(self, head: Head) -> bool:
        """Whether an endpoint without the cursor's block is on another chain, or has been behind for too long."""
        now = self._clocks.monotonic()
        self._behind_since = now if self._behind_since is None else self._behind_since
        if now - self._behind_since >= self._limits.behind_max_s:
            return True
        below = self._checkpoints.below(head.number)[:1]
        if not below:
            return False
        (block,) = (await self._queries.blocks([below[0].number])).values()
        return block is not None and block.hash != below[0].hash

    async def _reorganised(self, head: Head) -> None:
        """Go back to the newest block that is still there, and void what was read after it."""
        earlier = self._checkpoints.below(head.number)
        blocks = await self._queries.blocks([each.number for each in earlier])
        common = newest_common(earlier, ChainView(head, blocks).hash_at)
        if self._may_log(REORGANISED):
            _log.info(REORGANISED, host=self.host, fork=common.number if common else 0)
        if common is None:
            await self._begin_anew(head)
            return
        self._ports.news.reorganised(common.number)
        self._checkpoints.back_to(common)
        await self._ports.cursors.save(self._key, common)

    async def _skip_if_far(self, head: Head) -> None:
        cursor = self._checkpoints.cursor
        if cursor is not None and head.number - cursor.number > self._limits.catch_up_max_blocks:
            await self._begin_anew(head)

    async def _begin_anew(self, head: Head) -> None:
        """Void everything, and go on somewhat before the head: later reads may rely on a block that is not the newest."""
        number = max(0, head.number - self._limits.margin_blocks)
        start = head if number == head.number else await self._queries.block(number)
        self._ports.news.reorganised(0)
        position = Checkpoint(start.number, start.hash)
        self._checkpoints.begin_at(position)
        await self._ports.cursors.save(self._key, position)

    async def _read_to(self, head: Head) -> bool:
        """Read the logs up to `head`, as far as one poll goes; whether it went to the end."""
        cursor = self._checkpoints.cursor
        first = (cursor.number if cursor else head.number) + 1
        first = max(0, first - min(self._limits.overlap_blocks, self._range.blocks - 1))
        begun = self._clocks.monotonic()
        for _ in range(self._limits.chunks_max):
            if first > head.number:
                return True
            last = min(first + self._range.blocks - 1, head.number)
            try:
                await self._read(first, last, head)
            except LogsRefusedError:
                halved = self._range.refused()
                if halved and self._clocks.monotonic() - begun < self._limits.exchange_timeout_s:
                    continue
                if halved or first > head.number - self._limits.margin_blocks:
                    raise
                # One block whose logs the endpoint never gives must not hold it up for ever.
                await self._begin_anew(head)
                return False
            first = last + 1
        return first > head.number

    async def _read(self, first: int, last: int, head: Head) -> None:
        """Read the logs of one range. What they void is reported before the cursor passes it."""
        # Which block ends the range is asked before its logs: were the chain to change between the two, the cursor
        # would not be found again, and the range be read once more.
        end = head if last == head.number else await self._queries.block(last)
        changes = await self._queries.changes(first, end)
        for master_hash, number in changes.items():
            self._ports.news.account_changed(master_hash, number)
        self._range.read(last - first + 1)
        await self._move_to(Checkpoint(end.number, end.hash))

    async def _move_to(self, position: Checkpoint) -> None:
        before = self._checkpoints.cursor
        self._checkpoints.move_to(position)
        if self._checkpoints.cursor != before:
            await self._ports.cursors.save(self._key, position)

    def _is_fresh(self, head: Head) -> bool:
        oldest = self._limits.chain_max_head_age_s
        return oldest == 0 or self._clocks.unix() - head.timestamp <= oldest
