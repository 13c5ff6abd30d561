"""Follows one provider: a poll compares it with earlier checkpoints, reads its logs, and reports what is void.

Checkpoints are the blocks up to which a provider's logs were read. The last one of each is stored; after the loss of a
stored one some logs are read again.
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
    """Block up to which a provider's logs were read: `hash` is 0x and 64 lower-case hex digits."""

    number: int
    hash: str


class Checkpoints:
    """Latest checkpoints, at most `most`. Each is a descendant of those before it, so a reorganisation leaves older ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._positions: list[Checkpoint] = []

    @property
    def cursor(self) -> Checkpoint | None:
        """Newest checkpoint; None before the first."""
        return self._positions[-1] if self._positions else None

    def move_to(self, position: Checkpoint) -> None:
        """Add a checkpoint. One at the same block as the newest, or an earlier one, changes nothing."""
        if self._positions and position.number <= self._positions[-1].number:
            return
        self._positions.append(position)
        del self._positions[: -self._most]

    def begin_at(self, position: Checkpoint) -> None:
        """Forget all checkpoints but this one."""
        self._positions = [position]

    def back_to(self, position: Checkpoint) -> None:
        """Forget the checkpoints after this one."""
        del self._positions[self._positions.index(position) + 1 :]

    def below(self, number: int) -> Sequence[Checkpoint]:
        """Return the checkpoints at or below `number`, the newest first."""
        return [each for each in reversed(self._positions) if each.number <= number]


def newest_common(positions: Sequence[Checkpoint], hash_at: Callable[[int], str | None]) -> Checkpoint | None:
    """Return the first of `positions` (newest first) whose block is still canonical; None when none is."""
    return next((each for each in positions if hash_at(each.number) == each.hash), None)


@dataclass(frozen=True, slots=True)
class CursorKey:
    """Key of a stored cursor. `provider` is its place in the settings and its host: its URL may hold a credential."""

    chain_id: int
    contract: str
    provider: str


class Cursors:
    """Table of stored cursors. A failing disk is logged and stops no follower."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    @classmethod
    async def open(cls, database: SqliteDatabase) -> "Cursors":
        """Create the table if it is missing. Raises StartupRefusedError when a newer version wrote it."""
        await database.migrate(COMPONENT, STEPS)
        return cls(database)

    async def load(self, key: CursorKey) -> Checkpoint | None:
        """Return the stored checkpoint; None when there is none, or it cannot be read."""

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
        """Store the checkpoint in place of the one before."""

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
"""Log ranges read in one poll, so that a follower that catches up still reports its progress; the next poll goes on."""

OVERLAP_BLOCKS: Final = 8
"""Blocks whose logs are read twice, for providers that index logs later than blocks."""

CATCH_UP_MAX_BLOCKS: Final = 50_000
"""A follower that is farther behind voids everything instead of reading the logs: that costs fewer requests."""

MARGIN_BLOCKS: Final = 256
"""Distance below a provider's head at which a read may have used a block. Logs of an empty cache are read from there."""

BEHIND_MAX_S: Final = 30.0
"""A head that stays lower than it was for so long has lost blocks; a shorter time is a lagging server behind one name."""

CHECKPOINTS_MAX: Final = 128
"""Earlier checkpoints kept, to find where a reorganisation began: twenty minutes of polls, deeper than reorganisations are."""

UNCONFIRMED_MAX: Final = 256
"""Used blocks that one provider has yet to confirm; with more everything recent is void."""

REORGANISED: Final = "chain_reorganised"


class PollResult(Enum):
    """Result of a poll."""

    AT_HEAD = auto()
    MORE = auto()
    """There are logs left to read: the next poll may follow at once."""
    BEHIND = auto()
    """The provider shows less than before; it is given up to BEHIND_MAX_S to come back."""


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """Status for /health: last head, and seconds since the last poll that reached a fresh head; both None before."""

    head_number: int | None
    lag_s: float | None
    websocket: bool


@dataclass(frozen=True, slots=True)
class ListenerPorts:
    """Receivers of invalidation events and of heads, the blocks that reads used, and the stored cursors.

    `saw` takes each head that a provider shows or announces. `is_fresh` says whether a head is young
    enough to be believed.
    """

    events: ChainNews
    saw: Callable[[Provider, Head], None]
    is_fresh: Callable[[Head], bool]
    observed: ObservedBlocks
    cursors: Cursors


class Follower:
    """Follows one provider. Its reports only ever void cached answers: a liar costs reads and nothing else."""

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
        """Return the seconds since the last poll that read to a fresh head began; None before the first."""
        return None if self._fresh_at is None else self._clock.monotonic() - self._fresh_at

    async def poll(self) -> PollResult:
        """Read one step further. Raises RpcUnavailableError; the next poll then repeats the step."""
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
        """Continue at the stored cursor if its block is still canonical, else begin at the head."""
        stored = await self._ports.cursors.load(self._key)
        # Gathered before the exchange: blocks that reads use during it are checked by the next poll.
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
        """Compare the provider with what was read before; return None when it is merely behind."""
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
        """Return whether a provider without the cursor's block is on another branch, or behind for too long."""
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
        """Go back to the newest checkpoint that is still canonical, and void what was read after it."""
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
        """Void everything, and continue MARGIN_BLOCKS before the head: later reads may use a block that is not the newest."""
        number = max(0, head.number - MARGIN_BLOCKS)
        # Read before anything is voided: a failure here repeats the step as a whole.
        start = head if number == head.number else await self._queries.block(number)
        self._ports.events.reorganised(0)
        position = Checkpoint(start.number, start.hash)
        self._checkpoints.begin_at(position)
        await self._ports.cursors.save(self._key, position)

    async def _read_to(self, head: Head) -> bool:
        """Read the logs up to `head`, at most RANGES_PER_POLL_MAX ranges; return whether all were read."""
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
                # The provider never gives the logs of this one block: skip it, and void what it may have changed.
                await self._void_everything(head)
                return False
            first = last + 1
        return first > head.number

    async def _read(self, first: int, last: int, head: Head) -> None:
        """Read the logs of one range. Report what they void before the cursor moves past it."""
        # The last block is asked before the logs. If the chain changes between the two, the cursor's block is not found
        # again, and the range is read once more.
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
