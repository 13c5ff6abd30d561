"""One endpoint followed: a poll holds it against what was read before, reads its logs, and tells what is void."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import structlog

from node.chain.clocks import Clocks
from node.chain.listener.cursors import CursorKey, Cursors
from node.chain.listener.limits import ListenerLimits
from node.chain.listener.ports import HeadNews
from node.chain.listener.questions import ListenedContract, LogsRefusedError, Questions, Sight
from node.chain.listener.relied import ReliedCheck
from node.chain.listener.trail import Position, Trail, newest_common
from node.chain.logs import LogRange
from node.chain.port import ChainNews, Head
from node.chain.quorum.relied import Relied, ReliedHeads
from node.chain.rpc import Endpoint
from node.chain.seldom import Seldom

REORGANISED: Final = "chain_reorganised"

_log = structlog.get_logger(__name__)


class Progress(Enum):
    """How a poll ended."""

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


@dataclass(frozen=True, slots=True)
class FollowerPorts:
    """Who is told what: of changes, and of heads; and who says what reads relied on."""

    news: ChainNews
    heads: HeadNews
    relied: ReliedHeads


class Follower:
    """Follows one endpoint. What it tells only ever voids: a liar costs reads and nothing else."""

    def __init__(
        self,
        endpoint: Endpoint,
        contract: ListenedContract,
        key: CursorKey,
        cursors: Cursors,
        told: FollowerPorts,
        limits: ListenerLimits,
        clocks: Clocks,
    ) -> None:
        self._endpoint = endpoint
        self._questions = Questions(endpoint, contract, limits)
        self._key = key
        self._cursors = cursors
        self._told = told
        self._limits = limits
        self._clocks = clocks
        self._trail = Trail(limits.trail_max)
        self._may_log = Seldom(limits.rpc_log_interval_s, clocks.monotonic)
        self._relied = ReliedCheck(told.relied, limits.relied_max)
        self._range = LogRange(limits.log_range_blocks)
        self._behind_since: float | None = None
        self._fresh_at: float | None = None
        self.head: Head | None = None
        self.host = endpoint.host

    def lag_s(self) -> float | None:
        """Seconds since the begin of the last poll that was read to the end, with a head that was not old."""
        return None if self._fresh_at is None else self._clocks.monotonic() - self._fresh_at

    async def poll(self) -> Progress:
        """One step. Raises RpcUnavailableError; nothing is lost then, the next step takes it up again."""
        begun = self._clocks.monotonic()
        cursor = self._trail.cursor
        sight = await self._begin() if cursor is None else await self._go_on(cursor)
        if sight is None:
            return Progress.BEHIND
        if not await self._read_to(sight.head):
            return Progress.MORE
        if self._is_fresh(sight.head):
            self._fresh_at = begun
        return Progress.AT_HEAD

    async def _begin(self) -> Sight:
        """Take up the stored cursor where it is still of use, else begin at the head."""
        stored = await self._cursors.load(self._key)
        unconfirmed = self._relied.gather()
        numbers = [head.number for head in unconfirmed.heads]
        sight = await self._look([*numbers, *([stored.number] if stored else [])])
        if stored is None or sight.hash_at(stored.number) != stored.hash:
            await self._begin_anew(sight.head)
        else:
            self._trail.begin_at(stored)
            await self._skip_if_far(sight.head)
        self._judge(unconfirmed, sight)
        return sight

    async def _go_on(self, cursor: Position) -> Sight | None:
        """Hold the endpoint against what was read before; None when it is merely behind."""
        unconfirmed = self._relied.gather()
        sight = await self._look([cursor.number, *(head.number for head in unconfirmed.heads)])
        self._judge(unconfirmed, sight)
        shown = sight.hash_at(cursor.number)
        if shown is None and not await self._has_lost_blocks(sight.head):
            return None
        self._behind_since = None
        if shown != cursor.hash:
            await self._reorganised(sight.head)
        await self._skip_if_far(sight.head)
        return sight

    async def _look(self, numbers: list[int]) -> Sight:
        sight = await self._questions.look(numbers)
        self.head = sight.head
        self._told.heads.saw(self._endpoint, sight.head)
        return sight

    def _judge(self, unconfirmed: Relied, sight: Sight) -> None:
        cursor = self._trail.cursor.number if self._trail.cursor else 0
        lowest = max(0, cursor - self._limits.margin_blocks)
        verdict = self._relied.judge(unconfirmed, sight, cursor, lowest)
        if verdict.fork is not None:
            self._told.news.reorganised(verdict.fork)
        self._relied.settle(unconfirmed, verdict)

    async def _has_lost_blocks(self, head: Head) -> bool:
        """Whether an endpoint without the cursor's block is on another chain, or has been behind for too long."""
        now = self._clocks.monotonic()
        self._behind_since = now if self._behind_since is None else self._behind_since
        if now - self._behind_since >= self._limits.behind_max_s:
            return True
        below = self._trail.below(head.number)[:1]
        if not below:
            return False
        (block,) = (await self._questions.blocks([below[0].number])).values()
        return block is not None and block.hash != below[0].hash

    async def _reorganised(self, head: Head) -> None:
        """Go back to the newest block that is still there, and void what was read after it."""
        earlier = self._trail.below(head.number)
        blocks = await self._questions.blocks([each.number for each in earlier])
        common = newest_common(earlier, Sight(head, blocks).hash_at)
        if self._may_log(REORGANISED):
            _log.info(REORGANISED, host=self.host, fork=common.number if common else 0)
        if common is None:
            await self._begin_anew(head)
            return
        self._told.news.reorganised(common.number)
        self._trail.back_to(common)
        await self._cursors.save(self._key, common)

    async def _skip_if_far(self, head: Head) -> None:
        cursor = self._trail.cursor
        if cursor is not None and head.number - cursor.number > self._limits.catch_up_max_blocks:
            await self._begin_anew(head)

    async def _begin_anew(self, head: Head) -> None:
        """Void everything, and go on somewhat before the head: later reads may rely on a block that is not the newest."""
        number = max(0, head.number - self._limits.margin_blocks)
        start = head if number == head.number else await self._questions.block(number)
        self._told.news.reorganised(0)
        position = Position(start.number, start.hash)
        self._trail.begin_at(position)
        await self._cursors.save(self._key, position)

    async def _read_to(self, head: Head) -> bool:
        """Read the logs up to `head`, as far as one poll goes; whether it went to the end."""
        cursor = self._trail.cursor
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
        """The logs of one range. What it voids is told before the cursor passes it."""
        # Which block ends the range is asked before its logs: were the chain to change between the two, the cursor
        # would not be found again, and the range be read once more.
        end = head if last == head.number else await self._questions.block(last)
        changes = await self._questions.changes(first, end)
        for master_hash, number in changes.items():
            self._told.news.account_changed(master_hash, number)
        self._range.read(last - first + 1)
        await self._move_to(Position(end.number, end.hash))

    async def _move_to(self, position: Position) -> None:
        before = self._trail.cursor
        self._trail.move_to(position)
        if self._trail.cursor != before:
            await self._cursors.save(self._key, position)

    def _is_fresh(self, head: Head) -> bool:
        oldest = self._limits.chain_max_head_age_s
        return oldest == 0 or self._clocks.unix() - head.timestamp <= oldest
