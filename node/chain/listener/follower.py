"""Follows one provider: each poll compares checkpoints, reads logs, and reports what is void.

A checkpoint is the block up to which a provider's logs were read. The last one of each provider is
stored. If a stored one is lost, some logs are read again.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import structlog

from node.chain.listener.queries import (
    EXCHANGE_TIMEOUT_S,
    ListenedContract,
    LogsRefusedError,
    ProviderQueries,
    ProviderView,
)
from node.chain.port import ChainNews, Head
from node.chain.quorum.reader import ObservedBlockCheck, ObservedBlocks, ObservedSince
from node.chain.rpc import Provider
from node.chain.rpc.answers import LogRange
from node.chain.rpc.client import LOG_INTERVAL_S
from node.database.sqlite import SqliteDatabase
from node.runtime.clock import Clock, Throttle
from node.settings.chain import ListenerSettings

COMPONENT: Final = "chain_listener"
STEPS: Final = (
    """
    CREATE TABLE listener_cursor (
        chain_id INTEGER NOT NULL,
        contract TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        block_number INTEGER NOT NULL,
        block_hash TEXT NOT NULL,
        PRIMARY KEY (chain_id, contract, endpoint)
    ) STRICT
    """,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Block up to which a provider's logs were read; `hash` is 0x and 64 lower-case hex digits."""

    number: int
    hash: str


class Checkpoints:
    """Latest checkpoints, at most `most`. Each is a descendant of those before it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._positions: list[Checkpoint] = []

    @property
    def cursor(self) -> Checkpoint | None:
        """Newest checkpoint; None before the first."""
        return self._positions[-1] if self._positions else None

    def move_to(self, position: Checkpoint) -> None:
        """Adds a checkpoint, unless it is at the block of the newest or below."""
        if self._positions and position.number <= self._positions[-1].number:
            return
        self._positions.append(position)
        del self._positions[: -self._most]

    def begin_at(self, position: Checkpoint) -> None:
        """Forgets all checkpoints but this one."""
        self._positions = [position]

    def back_to(self, position: Checkpoint) -> None:
        """Forgets the checkpoints after this one."""
        del self._positions[self._positions.index(position) + 1 :]

    def below(self, number: int) -> Sequence[Checkpoint]:
        """Returns the checkpoints at or below `number`, the newest first."""
        return [each for each in reversed(self._positions) if each.number <= number]


def newest_common(positions: Sequence[Checkpoint], hash_at: Callable[[int], str | None]) -> Checkpoint | None:
    """Returns the first of `positions` (newest first) whose block is still canonical, or None."""
    return next((each for each in positions if hash_at(each.number) == each.hash), None)


@dataclass(frozen=True, slots=True)
class CursorKey:
    """Key of a stored cursor. `provider` is its index and host; its URL may hold a credential."""

    chain_id: int
    contract: str
    provider: str


class Cursors:
    """Table of stored cursors. A failing disk is logged and stops no follower."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    @classmethod
    async def open(cls, database: SqliteDatabase) -> "Cursors":
        """Creates the table if missing. Raises StartupRefusedError if a newer version wrote it."""
        await database.migrate(COMPONENT, STEPS)
        return cls(database)

    async def load(self, key: CursorKey) -> Checkpoint | None:
        """Returns the stored checkpoint, or None if there is none or it cannot be read."""

        def work(connection: sqlite3.Connection) -> tuple[int, str] | None:
            row: tuple[int, str] | None = connection.execute(
                "SELECT block_number, block_hash FROM listener_cursor"
                " WHERE chain_id = ? AND contract = ? AND endpoint = ?",
                (key.chain_id, key.contract, key.provider),
            ).fetchone()
            return row

        try:
            row = await self._database.run(work)
        except sqlite3.Error:
            # Without a cursor the follower voids everything, which is safe.
            _log.exception("listener_cursor_not_read")
            return None
        return None if row is None or row[0] < 0 else Checkpoint(*row)

    async def save(self, key: CursorKey, position: Checkpoint) -> None:
        """Stores the checkpoint in place of the one before."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO listener_cursor (chain_id, contract, endpoint, block_number, block_hash)"
                " VALUES (?, ?, ?, ?, ?)",
                (key.chain_id, key.contract, key.provider, position.number, position.hash),
            )

        try:
            await self._database.run(work)
        except sqlite3.Error:
            # An older cursor reads some logs again, which is safe.
            _log.exception("listener_cursor_not_kept")


RANGES_PER_POLL_MAX: Final = 32
"""Log ranges read in one poll, so that a follower that catches up still reports its progress."""

OVERLAP_BLOCKS: Final = 8
"""Blocks whose logs are read twice, for providers that index logs later than blocks."""

CATCH_UP_MAX_BLOCKS: Final = 50_000
"""A follower farther behind voids everything instead of reading logs: that takes fewer requests."""

MARGIN_BLOCKS: Final = 256
"""Distance below a provider's head at which a read may use a block. New followers begin there."""

BEHIND_MAX_S: Final = 30.0
"""Time after which a lower head has lost blocks; before, a lagging server may have answered."""

CHECKPOINTS_MAX: Final = 128
"""Checkpoints kept to find where a reorganisation began: 20 minutes of polls, deeper than any."""

UNCONFIRMED_MAX: Final = 256
"""Observed blocks that one provider has yet to confirm; with more everything recent is void."""

REORGANISED: Final = "chain_reorganised"


class PollResult(Enum):
    """Result of a poll."""

    AT_HEAD = auto()
    MORE = auto()
    """Logs are left to read, so the next poll may follow at once."""
    BEHIND = auto()
    """The provider shows less than before. It has BEHIND_MAX_S to recover."""


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """Status for /health: last head, and age of the last poll that reached a fresh head."""

    head_number: int | None
    lag_s: float | None
    websocket: bool


@dataclass(frozen=True, slots=True)
class ListenerPorts:
    """Receivers of invalidation events and of heads, the observed blocks, and the stored cursors.

    `saw` takes each head that a provider shows or announces. `is_fresh` says whether a head is
    young enough to be believed.
    """

    events: ChainNews
    saw: Callable[[Provider, Head], None]
    is_fresh: Callable[[Head], bool]
    observed: ObservedBlocks
    cursors: Cursors


class Follower:
    """Follows one provider. Reports only void cached results, so a liar can only cost reads."""

    def __init__(
        self,
        provider: Provider,
        contract: ListenedContract,
        key: CursorKey,
        ports: ListenerPorts,
        settings: ListenerSettings,
        clock: Clock,
    ) -> None:
        self._provider = provider
        self._queries = ProviderQueries(provider, contract, settings)
        self._key = key
        self._ports = ports
        self._clock = clock
        self._checkpoints = Checkpoints(CHECKPOINTS_MAX)
        self._may_log = Throttle(LOG_INTERVAL_S, clock.monotonic)
        self._observed = ObservedBlockCheck(ports.observed, UNCONFIRMED_MAX)
        self._range = LogRange(settings.listener_log_range_blocks)
        self._behind_since: float | None = None
        self._fresh_at: float | None = None
        self.head: Head | None = None
        self.host = provider.host

    def lag_s(self) -> float | None:
        """Returns the seconds since the last poll to a fresh head began; None before the first."""
        return None if self._fresh_at is None else self._clock.monotonic() - self._fresh_at

    async def poll(self) -> PollResult:
        """Reads one step further. Raises RpcUnavailableError; the next poll repeats the step."""
        begun = self._clock.monotonic()
        cursor = self._checkpoints.cursor
        view = await self._resume() if cursor is None else await self._compare(cursor)
        if view is None:
            return PollResult.BEHIND
        if not await self._read_to(view.head):
            return PollResult.MORE
        # A provider that shows an old head reads without error; its lag must grow all the same.
        if self._ports.is_fresh(view.head):
            self._fresh_at = begun
        return PollResult.AT_HEAD

    async def _resume(self) -> ProviderView:
        """Continues at the stored cursor if its block is canonical, else begins at the head."""
        stored = await self._ports.cursors.load(self._key)
        # Gathered before the exchange: the next poll checks blocks that reads use during it.
        unconfirmed = self._observed.gather()
        numbers = [head.number for head in unconfirmed.heads]
        view = await self._look([*numbers, *([stored.number] if stored else [])])
        if stored is None or view.hash_at(stored.number) != stored.hash:
            await self._void_everything(view.head)
        else:
            self._checkpoints.begin_at(stored)
            await self._skip_if_far(view.head)
        # After the cursor is set: the check depends on where the provider is.
        self._check_observed(unconfirmed, view)
        return view

    async def _compare(self, cursor: Checkpoint) -> ProviderView | None:
        """Compares the provider with what was read before; returns None if it is merely behind."""
        unconfirmed = self._observed.gather()
        view = await self._look([cursor.number, *(head.number for head in unconfirmed.heads)])
        self._check_observed(unconfirmed, view)
        shown = view.hash_at(cursor.number)
        # Several servers may answer under one name, and one of them lags.
        if shown is None and not await self._has_lost_blocks(view.head):
            return None
        self._behind_since = None
        if shown != cursor.hash:
            await self._reorganised(view.head)
        await self._skip_if_far(view.head)
        return view

    async def _look(self, numbers: list[int]) -> ProviderView:
        view = await self._queries.look(numbers)
        self.head = view.head
        self._ports.saw(self._provider, view.head)
        return view

    def _check_observed(self, unconfirmed: ObservedSince, view: ProviderView) -> None:
        cursor = self._checkpoints.cursor.number if self._checkpoints.cursor else 0
        lowest = max(0, cursor - MARGIN_BLOCKS)
        result = self._observed.check(unconfirmed, view.hash_at, cursor, lowest)
        if result.fork is not None:
            self._ports.events.reorganised(result.fork)
        self._observed.settle(unconfirmed, result)

    async def _has_lost_blocks(self, head: Head) -> bool:
        """Whether a provider that lacks the cursor's block is on another branch or long behind."""
        now = self._clock.monotonic()
        self._behind_since = now if self._behind_since is None else self._behind_since
        if now - self._behind_since >= BEHIND_MAX_S:
            return True
        below = self._checkpoints.below(head.number)[:1]
        if not below:
            return False
        (block,) = (await self._queries.blocks([below[0].number])).values()
        return block is not None and block.hash != below[0].hash

    async def _reorganised(self, head: Head) -> None:
        """Goes back to the newest checkpoint still canonical, and voids what was read after it."""
        earlier = self._checkpoints.below(head.number)
        blocks = await self._queries.blocks([each.number for each in earlier])
        common = newest_common(earlier, ProviderView(head, blocks).hash_at)
        if self._may_log(REORGANISED):
            _log.info(REORGANISED, host=self.host, fork=common.number if common else 0)
        if common is None:
            await self._void_everything(head)
            return
        # Before the cursor is stored: a crash in between reports the reorganisation once more.
        self._ports.events.reorganised(common.number)
        self._checkpoints.back_to(common)
        await self._ports.cursors.save(self._key, common)

    async def _skip_if_far(self, head: Head) -> None:
        cursor = self._checkpoints.cursor
        # Voiding too much costs reads; leaving a stale grant costs safety.
        if cursor is not None and head.number - cursor.number > CATCH_UP_MAX_BLOCKS:
            await self._void_everything(head)

    async def _void_everything(self, head: Head) -> None:
        """Voids everything. Continues MARGIN_BLOCKS below the head, which reads may use."""
        number = max(0, head.number - MARGIN_BLOCKS)
        # Read before anything is voided: a failure here repeats the step as a whole.
        start = head if number == head.number else await self._queries.block(number)
        self._ports.events.reorganised(0)
        position = Checkpoint(start.number, start.hash)
        self._checkpoints.begin_at(position)
        await self._ports.cursors.save(self._key, position)

    async def _read_to(self, head: Head) -> bool:
        """Reads logs up to `head`, at most RANGES_PER_POLL_MAX ranges; returns whether done."""
        cursor = self._checkpoints.cursor
        first = (cursor.number if cursor else head.number) + 1
        first = max(0, first - min(OVERLAP_BLOCKS, self._range.blocks - 1))
        begun = self._clock.monotonic()
        for _ in range(RANGES_PER_POLL_MAX):
            if first > head.number:
                return True
            last = min(first + self._range.blocks - 1, head.number)
            try:
                await self._read(first, last, head)
            except LogsRefusedError:
                halved = self._range.refused()
                if halved and self._clock.monotonic() - begun < EXCHANGE_TIMEOUT_S:
                    continue
                if halved or first > head.number - MARGIN_BLOCKS:
                    raise
                # The provider never gives this block's logs: skip it, and void what it may change.
                await self._void_everything(head)
                return False
            first = last + 1
        return first > head.number

    async def _read(self, first: int, last: int, head: Head) -> None:
        """Reads the logs of one range. Reports what they void before the cursor moves past it."""
        # The last block is read before the logs. If the chain changes in between, the next poll
        # does not find the cursor's block, and the range is read again.
        end = head if last == head.number else await self._queries.block(last)
        changes = await self._queries.changes(first, end)
        for master_hash, number in changes:
            # Before the cursor moves: after a crash the range is read again.
            self._ports.events.account_changed(master_hash, number)
        self._range.read(last - first + 1)
        await self._move_to(Checkpoint(end.number, end.hash))

    async def _move_to(self, position: Checkpoint) -> None:
        before = self._checkpoints.cursor
        self._checkpoints.move_to(position)
        if self._checkpoints.cursor != before:
            await self._ports.cursors.save(self._key, position)
