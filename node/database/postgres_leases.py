"""Leases of the nodes that share a PostgreSQL database, and marks of their transactions.

A node is alive while its lease has not expired. Only the server's clock counts, so nodes need not agree on the time.
"""

from dataclasses import dataclass
from typing import Final

from node.database.postgres_connections import Connection

COMPONENT: Final = "database"
RENEWALS_PER_LEASE: Final = 3
"""Two renewals in a row may fail before the lease expires."""
MARKS_AT_ONCE: Final = 20_000
"""Removed in one transaction: more than a node makes between two renewals, and few enough that the next one is in time."""
MARKS_KEPT_S: Final = 3_600.0
"""Marks are looked for within seconds, while `Transactions.run_once` repeats its work."""

# The tables are older than this component: existing databases have them.
STEPS: Final = (
    """
    CREATE TABLE IF NOT EXISTS ledger_lease (
        holder TEXT PRIMARY KEY,
        expires_at TIMESTAMPTZ NOT NULL
    );
    CREATE TABLE IF NOT EXISTS ledger_transaction (
        mark TEXT PRIMARY KEY,
        made_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX IF NOT EXISTS ledger_transaction_made ON ledger_transaction (made_at);
    """,
)

_RENEW: Final = """
INSERT INTO ledger_lease (holder, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at
"""
_END: Final = "UPDATE ledger_lease SET expires_at = clock_timestamp() WHERE holder = $1"
_FORGET_MARKS: Final = """
DELETE FROM ledger_transaction WHERE mark IN (
    SELECT mark FROM ledger_transaction WHERE made_at < clock_timestamp() - make_interval(secs => $1)
    ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """Lease of one process. It is valid for `duration_s` seconds after each renewal, by the server's clock."""

    holder: str
    duration_s: float

    @property
    def renewal_interval_s(self) -> float:
        """Seconds between two renewals, and so the least that is left of the lease of a live node."""
        return self.duration_s / RENEWALS_PER_LEASE


async def renew(connection: Connection, lease: Lease) -> None:
    """Extend the lease to its full duration."""
    await connection.execute(_RENEW, lease.holder, lease.duration_s)


async def end(connection: Connection, lease: Lease) -> None:
    """Let the lease expire now: other nodes may release what this process still holds."""
    await connection.execute(_END, lease.holder)


async def forget_marks(connection: Connection) -> None:
    """Remove marks of transactions that ended long ago."""
    await connection.execute(_FORGET_MARKS, MARKS_KEPT_S, MARKS_AT_ONCE)
