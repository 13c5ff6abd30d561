"""Budget of gas for writes that nobody pays for, shared fairly between client addresses.

A free write takes the most that its transaction can cost, once it has passed its simulation and before it is sent. So a
request that sends nothing takes nothing. What was taken is forgotten exponentially: of capacity C with time constant T, an
hour sees at most C + C * 3600 / T. CAPACITY_PART and TIME_CONSTANT_S make that sum exactly the budget.

The level is one row in the ledger's database: it survives a restart, and nodes that share the database share the budget.
Which address took how much is kept in memory alone, by each node for itself: no address is written to disk.
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
"""A quarter of an hour's budget may be taken at once: C + C * 3600 / 1200 = 4 C."""
ADDRESSES_MAX: Final = 10_000
"""Addresses whose use is remembered. Each has taken gas within the hour; the one that took longest ago is forgotten first."""
_ATTEMPTS: Final = 8
"""Tries to change the level while other nodes change it; each that fails means that another node's succeeded."""
_US_PER_S: Final = 1_000_000
_AHEAD_MAX_US: Final = 3600 * _US_PER_S
"""A level of a time further ahead was written by a clock that was wrong. Clocks of nodes differ by seconds: were those
differences put right at each change, two nodes in turn would forget the level within moments."""

_CREATE: Final = """
INSERT INTO free_write_gas (chain_id, part, level_wei, at_us) VALUES (?, ?, '0', 0) ON CONFLICT DO NOTHING
"""
_CHANGE: Final = """
UPDATE free_write_gas SET level_wei = ?, at_us = ? WHERE chain_id = ? AND part = ? AND level_wei = ? AND at_us = ?
RETURNING at_us
"""
_READ: Final = "SELECT level_wei, at_us FROM free_write_gas WHERE chain_id = ? AND part = ?"


class FreePart(StrEnum):
    """The two halves of the budget: a flood of sign-ups leaves the writes of accounts alone, and the reverse."""

    SIGN_UP = "sign_up"
    ACCOUNT = "account"
    """Conversions, removals of keys without credit, and every write where writes have no price."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Gas money taken and not forgotten, at a time in unix microseconds."""

    wei: int = 0
    at_us: int = 0

    @classmethod
    def of(cls, row: Row) -> "_Level":
        return cls(int(str(row[0])), int(str(row[1])))

    def later(self, now_us: int) -> "_Level":
        """Return the level at `now_us`; a clock behind the one that wrote the level forgets nothing.

        If that clock was far ahead, the level is taken as of now: else it would not be forgotten until then.
        """
        if self.at_us > now_us + _AHEAD_MAX_US:
            return _Level(self.wei, now_us)
        age_s = max(0, now_us - self.at_us) / _US_PER_S
        # Rounded up: many small steps must not forget more than one long one.
        return _Level(math.ceil(self.wei * math.exp(-age_s / TIME_CONSTANT_S)), max(now_us, self.at_us))


class _Part:
    """State of one half of the budget, as this node knows it."""

    def __init__(self) -> None:
        self.level = _Level()
        self.lock = asyncio.Lock()
        self._used: OrderedDict[str, _Level] = OrderedDict()

    def used_by(self, client: str, now_us: int) -> int:
        """Return the wei that this address has taken through this node."""
        used = self._used.get(client, _Level())
        later = used.later(now_us)
        # The level was of a clock far ahead: kept as it is, it would not be forgotten until that time.
        if later.at_us < used.at_us:
            self._used[client] = later
        return later.wei

    def note(self, client: str, cost_wei: int, now_us: int) -> None:
        """Count so much more for an address."""
        self._used[client] = _Level(self.used_by(client, now_us) + cost_wei, now_us)
        self._used.move_to_end(client)
        if len(self._used) > ADDRESSES_MAX:
            self._used.popitem(last=False)


class FreeWriteBudget:
    """Pays the gas of free writes, from a budget in the ledger's database. `unix` gives unix time in seconds.

    `per_hour_wei` is the gas money of all free writes in an hour; 0: there are none. An address may take as long as its own
    use stays below what is left for everybody: alone it gets half of the capacity; among n that want more than there is
    each gets 1 part of n + 1, and one part is always left for an address that has taken nothing.
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
        # Rounded down twice: never more than the budget.
        self._capacity_wei = per_hour_wei // len(FreePart) // CAPACITY_PART
        self._unix = unix
        self._parts = {part: _Part() for part in FreePart}
        self._refused = Counter(
            "svc_free_writes_refused", "Free writes refused (429) by their budget of gas.", ["part"], registry=registry
        )
        for part in FreePart:
            self._refused.labels(part.value)

    async def open(self) -> None:
        """Create the table and the rows. Raises as Database.migrate and Database.execute do."""
        await self._database.migrate(COMPONENT, STEPS)
        # Rows are made once: a change is a compare and swap, which needs a row to compare.
        await self._database.execute(*(Statement(_CREATE, (self._chain_id, part.value)) for part in FreePart))

    async def take(self, part: FreePart, client: str, cost_wei: int) -> None:
        """Take `cost_wei` for a write of this client address (as rate limits count it).

        Raises LimitReachedError, LedgerUnavailableError.
        """
        known = self._parts[part]

        def check(left_wei: int, now_us: int) -> None:
            used = known.used_by(client, now_us)
            if used + cost_wei > left_wei:
                self._refused.labels(part.value).inc()
                raise self._refusal(used + self._capacity_wei - left_wei, cost_wei)

        now_us = await self._raise(part, cost_wei, check)
        # After the commit: an address is not charged for a change that another node's change defeated.
        known.note(client, cost_wei, now_us)

    async def add(self, part: FreePart, cost_wei: int) -> None:
        """Count what a write costs beyond what was taken for it: it is sent already. Raises LedgerUnavailableError."""
        await self._raise(part, cost_wei, _unchecked)

    async def _raise(self, part: FreePart, cost_wei: int, check: Callable[[int, int], None]) -> int:
        """Raise the level if `check` of what is left (wei, now) raises nothing. Returns the time of the change."""
        known = self._parts[part]
        async with known.lock:
            for _ in range(_ATTEMPTS):
                # The level as this node knows it is never above the true one, so a refusal by it is right without a look.
                level = known.level.later(round(self._unix() * _US_PER_S))
                if level.at_us < known.level.at_us:  # written down first: a refusal would leave it in the future
                    await self._changed(part, known, level)
                    continue
                check(self._capacity_wei - level.wei, level.at_us)
                raised = _Level(level.wei + cost_wei, level.at_us)
                if await self._changed(part, known, raised):
                    return raised.at_us
        raise LimitReachedError("Several nodes send free writes at this moment.")

    async def _changed(self, part: FreePart, known: _Part, to: _Level) -> bool:
        """Change the row if it is as this node knows it; learn what it is. Returns whether it was changed."""
        of_part = (self._chain_id, part.value)
        change = Statement(_CHANGE, (str(to.wei), to.at_us, *of_part, str(known.level.wei), known.level.at_us))
        # Compare and swap: no lock is held across nodes, and the read shows what to try next.
        changed, (row,) = await self._database.execute(change, Statement(_READ, of_part))
        known.level = _Level.of(row)
        return bool(changed)

    def _refusal(self, in_the_way_wei: int, cost_wei: int) -> LimitReachedError:
        """Return 429 with the wait until enough of the level is forgotten."""
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
    """Check nothing: wei that are spent already are counted, whatever is left."""
