"""Leases record which process holds a name, until when, and under which fencing token.

A lease is (scope, name) -> holder, token, until_ms. Only the database's clock counts, so the clocks
of the nodes need not agree. The token rises with each change of holder, and a transaction that
begins with `required` is undone if another process has taken the name since.

A process that keeps rows under its own name has a `ProcessLease`. Once it has lapsed, another
process may bury it, and any process may then release what those rows reserve. Without the token, a
process that wakes after its burial would spend credit that was already released. It finds its token
replaced, and takes its name again first. A late process that was not buried has lost nothing.
"""

from collections.abc import Sequence
from typing import Final

import structlog

from node.database.port import Database, RequirementError, Statement, whole

COMPONENT: Final = "lease"
STEPS: Final = (
    """
    CREATE TABLE lease (
        scope TEXT NOT NULL,
        name TEXT NOT NULL,
        holder TEXT NOT NULL,
        token BIGINT NOT NULL,
        until_ms BIGINT NOT NULL,
        PRIMARY KEY (scope, name)
    )
    """,
)
"""Steps of the table. A lease lapses at `until_ms`; `holder` is empty after its burial or end."""

RENEWALS_PER_LEASE: Final = 3
"""Renewals during one lease, so that two in a row may fail before it lapses."""
ENDLESS_MS: Final = 2**60
"""Duration of a lease that ends only when another process takes the name."""
BURIED_KEPT_MS: Final = 7 * 86_400_000
"""Time for which a buried row is kept, so that a process that wakes gets a higher token."""

# While this holder has the name for long enough, nothing is inserted and no row is locked.
_TAKE: Final = """
INSERT INTO lease (scope, name, holder, token, until_ms) SELECT ?, ?, ?, 1, @now_ms + ? WHERE NOT EXISTS (
    SELECT 1 FROM lease AS held WHERE held.scope = ? AND held.name = ? AND held.holder = ? AND held.until_ms > @now_ms + ?
) ON CONFLICT (scope, name) DO UPDATE SET
    token = lease.token + CASE WHEN lease.holder = excluded.holder THEN 0 ELSE 1 END,
    holder = excluded.holder, until_ms = excluded.until_ms
"""
_READ: Final = "SELECT token, until_ms FROM lease WHERE scope = ? AND name = ?"
# FOR SHARE makes a process that takes the name wait for the commit, without which it could release
# credit that this commit spends. The holder's own transactions do not wait for one another. The
# holder is compared too, since a database restored from a backup issues a token a second time.
_REQUIRE: Final = "SELECT 1 FROM lease WHERE scope = ? AND name = ? AND holder = ? AND token = ? @for_share"
_RENEW: Final = """
UPDATE lease SET until_ms = @now_ms + ? WHERE scope = ? AND name = ? AND token = ? RETURNING until_ms
"""
_BURY: Final = """
UPDATE lease SET holder = '', token = token + 1 WHERE scope = ? AND holder <> '' AND until_ms <= @now_ms RETURNING name
"""
_FORGET: Final = "DELETE FROM lease WHERE scope = ? AND holder = '' AND until_ms <= @now_ms - ?"
_END: Final = (
    "UPDATE lease SET holder = '', token = token + 1, until_ms = @now_ms WHERE scope = ? AND name = ? AND holder = ?"
)
_END_EARLIER: Final = """
UPDATE lease SET holder = '', token = token + 1, until_ms = @now_ms
WHERE scope = ? AND substr(name, 1, length(?)) = ? AND length(name) = length(?) AND name <> ? AND holder <> ''
"""

_log = structlog.get_logger(__name__)


def held_names(scope: str) -> str:
    """Returns a SELECT of the names that processes hold in the scope; other owners are gone."""
    return f"SELECT name FROM lease WHERE scope = '{scope}' AND holder <> ''"  # noqa: S608 - constants


def required(scope: str, name: str, holder: str, token: int) -> Statement:
    """Returns a statement that requires the holder's lease until the transaction ends."""
    return Statement(_REQUIRE, (scope, name, holder, token), is_required=True)


def take(scope: str, name: str, holder: str, duration_ms: int, least_ms: int = 0) -> Sequence[Statement]:
    """Returns statements that take the name from any holder; the last one returns token and end.

    If this holder has the lease for more than `least_ms` longer, it stays as it is.
    """
    key = (scope, name)
    values = (*key, holder, duration_ms, *key, holder, least_ms)
    return Statement(_TAKE, values), Statement(_READ, key)


class ProcessLease:
    """Lease of this process on its own `name`, valid for `duration_s` after each renewal.

    Call `take` first. Every method raises DatabaseUnavailableError.
    """

    def __init__(self, database: Database, scope: str, name: str, duration_s: float) -> None:
        self.name: Final = name
        self.renewal_interval_s: Final = duration_s / RENEWALS_PER_LEASE
        self._database = database
        self._scope = scope
        self._duration_ms = round(1000 * duration_s)
        self._token = 0
        self._watched_ms = 0

    def keep(self) -> Statement:
        """Returns a statement that takes the lease again if it was buried or is near its end.

        Each transaction that adds rows under this name executes it.
        """
        return self._taking()[0]

    async def take(self) -> None:
        """Takes the name, after which the process may keep rows under it."""
        *_, ((token, _),) = await self._database.execute(*self._taking())
        self._token = whole(token)
        self._watched_ms = 0

    async def renew(self) -> None:
        """Extends the lease. Buries lapsed ones if this process renewed on time for a lease.

        A late renewal restarts that time: the outage or the pause of the machine that delayed it
        may have kept other live processes from renewing too.
        """
        key = (self._scope, self.name)
        renewal = Statement(_RENEW, (self._duration_ms, *key, self._token), is_required=True)
        try:
            ((_, before),), ((until,),) = await self._database.execute(Statement(_READ, key), renewal)
        except RequirementError:
            _log.warning("the lease of this process was buried: it renewed it too late", scope=self._scope)
            await self.take()
            return
        gap_ms = whole(until) - whole(before)
        self._watched_ms = self._watched_ms + gap_ms if 2 * gap_ms <= self._duration_ms else 0
        if self._watched_ms >= self._duration_ms:
            await self.bury()

    async def bury(self) -> None:
        """Ends the lapsed leases of the scope, and deletes rows that were buried long ago."""
        bury, forget = Statement(_BURY, (self._scope,)), Statement(_FORGET, (self._scope, BURIED_KEPT_MS))
        buried, _ = await self._database.execute(bury, forget)
        if buried:
            _log.info("processes that did not renew their leases are gone", scope=self._scope, processes=len(buried))

    async def end_earlier(self, owner: str) -> None:
        """Ends the leases of the owner's earlier processes: names as long that begin with it."""
        key = (self._scope, owner, owner, self.name, self.name)
        await self._database.execute(Statement(_END_EARLIER, key))

    async def end(self) -> None:
        """Ends the lease, after which any process may release what this one still reserves."""
        await self._database.execute(Statement(_END, (self._scope, self.name, self.name)))

    def _taking(self) -> Sequence[Statement]:
        least_ms = self._duration_ms // RENEWALS_PER_LEASE
        return take(self._scope, self.name, self.name, self._duration_ms, least_ms)
