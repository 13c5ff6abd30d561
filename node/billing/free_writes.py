"""Budget of gas for free writes, shared fairly between client addresses.

A free write takes its transaction's maximum cost between simulation and sending, so a request that
sends nothing takes nothing. The level decays exponentially. With capacity C and time constant T, an
hour takes at most C + C * 3600 / T, which CAPACITY_PART and TIME_CONSTANT_S make the budget.

The level is a row of the ledger's database, shared by its nodes. The use of each address is only in
each node's memory, so no address is written to disk.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from prometheus_client import CollectorRegistry, Counter

from node.database.port import Database, Row, Statement
from node.runtime.limits import LimitReachedError

COMPONENT: Final = "free_writes"
STEPS: Final = (
    """
    CREATE TABLE free_write_gas (
        chain_id BIGINT NOT NULL,
        part TEXT NOT NULL,
        level_wei TEXT NOT NULL,
        at_us BIGINT NOT NULL,
        PRIMARY KEY (chain_id, part)
    )
    """,
)

TIME_CONSTANT_S: Final = 1200.0
CAPACITY_PART: Final = 4
"""Part of an hour's budget that is the capacity, as C + C * 3600 / 1200 = 4 C."""
ADDRESSES_MAX: Final = 10_000
"""Maximum addresses whose use is remembered. The one that took gas longest ago is evicted."""
_ATTEMPTS: Final = 8
"""Attempts to change the level while other nodes change it. Each failure is another's success."""
_US_PER_S: Final = 1_000_000
_AHEAD_MAX_US: Final = 3600 * _US_PER_S
"""Maximum lead of a level's time, beyond which a wrong clock wrote it. Nodes' clocks differ by
seconds. Correcting those differences would let two nodes in turn reset the level."""

_CREATE: Final = """
INSERT INTO free_write_gas (chain_id, part, level_wei, at_us) VALUES (?, ?, '0', 0) ON CONFLICT DO NOTHING
"""
_CHANGE: Final = """
UPDATE free_write_gas SET level_wei = ?, at_us = ? WHERE chain_id = ? AND part = ? AND level_wei = ? AND at_us = ?
RETURNING at_us
"""
_READ: Final = "SELECT level_wei, at_us FROM free_write_gas WHERE chain_id = ? AND part = ?"


class FreePart(StrEnum):
    """Halves of the budget, so that a flood of sign-ups does not block accounts' writes."""

    SIGN_UP = "sign_up"
    ACCOUNT = "account"
    """Conversions, removals of keys without credit, and all writes if writes have no price."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Gas money in the budget's level, at a time in unix microseconds."""

    wei: int = 0
    at_us: int = 0

    @classmethod
    def of(cls, row: Row) -> "_Level":
        return cls(int(str(row[0])), int(str(row[1])))

    def later(self, now_us: int) -> "_Level":
        """Returns the level at `now_us`. A clock behind the level's time decays nothing.

        If the level's time is far ahead, it is reset to now, or it would not decay until then.
        """
        if self.at_us > now_us + _AHEAD_MAX_US:
            return _Level(self.wei, now_us)
        age_s = max(0, now_us - self.at_us) / _US_PER_S
        # Rounded up, so that many small steps do not decay more than one long step.
        return _Level(math.ceil(self.wei * math.exp(-age_s / TIME_CONSTANT_S)), max(now_us, self.at_us))


class _Part:
    """State of one half of the budget, as known to this node."""

    def __init__(self) -> None:
        self.level = _Level()
        self.lock = asyncio.Lock()
        self._used: OrderedDict[str, _Level] = OrderedDict()

    def used_by(self, client: str, now_us: int) -> int:
        """Returns the wei that this address has taken through this node."""
        used = self._used.get(client, _Level())
        later = used.later(now_us)
        # A level far ahead is replaced, or it would not decay until that time.
        if later.at_us < used.at_us:
            self._used[client] = later
        return later.wei

    def note(self, client: str, cost_wei: int, now_us: int) -> None:
        """Adds a cost to an address."""
        self._used[client] = _Level(self.used_by(client, now_us) + cost_wei, now_us)
        self._used.move_to_end(client)
        if len(self._used) > ADDRESSES_MAX:
            self._used.popitem(last=False)


class FreeWriteBudget:
    """Takes the gas of free writes from a budget in the database. `unix` returns unix seconds.

    `per_hour_wei` bounds the gas money of free writes in an hour; 0 allows none. An address may
    take gas while its own use is below what is left. So alone it gets half of the capacity, each of
    n gets one part of n + 1, and one part is always left for a new address.
    """

    def __init__(
        self,
        database: Database,
        chain_id: int,
        per_hour_wei: int,
        unix: Callable[[], float],
        registry: CollectorRegistry,
    ) -> None:
        self._database = database
        self._chain_id = chain_id
        # Rounded down twice, so that the parts never exceed the budget.
        self._capacity_wei = per_hour_wei // len(FreePart) // CAPACITY_PART
        self._unix = unix
        self._parts = {part: _Part() for part in FreePart}
        self._refused = Counter(
            "svc_free_writes_refused", "Free writes refused (429) by their budget of gas.", ["part"], registry=registry
        )
        for part in FreePart:
            self._refused.labels(part.value)

    async def open(self) -> None:
        """Creates the table and the rows. Raises as Database.migrate and Database.execute do."""
        await self._database.migrate(COMPONENT, STEPS)
        # Rows are created first, since a change is a compare and swap, which needs a row.
        await self._database.execute(*(Statement(_CREATE, (self._chain_id, part.value)) for part in FreePart))

    async def take(self, part: FreePart, client: str, cost_wei: int) -> None:
        """Takes `cost_wei` for a write of this client address (as in rate limits).

        Raises LimitReachedError, LedgerUnavailableError.
        """
        known = self._parts[part]

        def check(left_wei: int, now_us: int) -> None:
            used = known.used_by(client, now_us)
            if used + cost_wei > left_wei:
                self._refused.labels(part.value).inc()
                raise self._refusal(used + self._capacity_wei - left_wei, cost_wei)

        now_us = await self._raise(part, cost_wei, check)
        # After the commit, so that an address is not charged for a change that failed.
        known.note(client, cost_wei, now_us)

    async def add(self, part: FreePart, cost_wei: int) -> None:
        """Adds costs of a write that is sent already. Raises LedgerUnavailableError."""
        await self._raise(part, cost_wei, _unchecked)

    async def _raise(self, part: FreePart, cost_wei: int, check: Callable[[int, int], None]) -> int:
        """Raises the level if `check` of the rest (wei, now) passes. Returns the time of change."""
        known = self._parts[part]
        async with known.lock:
            for _ in range(_ATTEMPTS):
                # The known level is never above the true one, so a refusal needs no read.
                level = known.level.later(round(self._unix() * _US_PER_S))
                if level.at_us < known.level.at_us:  # stored first, or a refusal leaves it ahead
                    await self._changed(part, known, level)
                    continue
                check(self._capacity_wei - level.wei, level.at_us)
                raised = _Level(level.wei + cost_wei, level.at_us)
                if await self._changed(part, known, raised):
                    return raised.at_us
        raise LimitReachedError("Several nodes send free writes at this moment.")

    async def _changed(self, part: FreePart, known: _Part, to: _Level) -> bool:
        """Changes the row if it is as known, and reads it. Returns whether it was changed."""
        of_part = (self._chain_id, part.value)
        change = Statement(_CHANGE, (str(to.wei), to.at_us, *of_part, str(known.level.wei), known.level.at_us))
        # Compare and swap holds no lock across nodes. The read shows what to try next.
        changed, (row,) = await self._database.execute(change, Statement(_READ, of_part))
        known.level = _Level.of(row)
        return bool(changed)

    def _refusal(self, in_the_way_wei: int, cost_wei: int) -> LimitReachedError:
        """Returns a 429 with the time until enough of the level has decayed."""
        wait_s = 3600
        if cost_wei < self._capacity_wei:
            allowed = self._capacity_wei - cost_wei
            wait_s = min(3600, max(1, math.ceil(TIME_CONSTANT_S * math.log(max(1.0, in_the_way_wei / allowed)))))
        return LimitReachedError(
            "This write is free, and the gas that the node spends on free writes is used up for now, or your address has "
            "had its share of it.",
            fix=f"Wait {wait_s} seconds, then send the request again.",
            retry_after_s=wait_s,
            limit="free_writes_per_hour_wei",
        )


def _unchecked(_left_wei: int, _now_us: int) -> None:
    """Checks nothing, since these wei are spent already."""
