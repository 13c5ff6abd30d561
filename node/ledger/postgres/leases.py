"""Whose reservations stand: those of nodes that are heard of. Any node gives back those of one that is gone.

Time is the server's alone, so nodes need not agree on one. A node that was paused past its lease and wakes finds its
reservations expired, and settles them from what is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from node.ledger.postgres.connections import Connection
from node.ledger.postgres.limits import PostgresLimits
from node.ledger.postgres.locks import LOCK_ACCOUNTS, LOCK_USAGE_KEYS

MOST_AT_ONCE: Final = 500
"""Reservations given back in one transaction, which holds their accounts' locks."""
RENEWALS_PER_LEASE: Final = 3
MARKS_AT_ONCE: Final = 20_000
"""Removed in one transaction: more than a node makes between two, and few enough that the next renewal is in time."""
MARKS_KEPT_S: Final = 3_600.0
"""Of transactions that are over, which are looked for within `settle_patience_s`, if ever."""

_RENEW: Final = """
INSERT INTO ledger_lease (holder, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at
"""
_END: Final = "UPDATE ledger_lease SET expires_at = clock_timestamp() WHERE holder = $1"
_LAPSED: Final = """
SELECT cause FROM ledger_reservation WHERE state = 'held' AND holder NOT IN (
    SELECT holder FROM ledger_lease WHERE expires_at > clock_timestamp()
) LIMIT $1
"""
_IDLE: Final = """
SELECT cause FROM ledger_reservation
WHERE changed_at < clock_timestamp() - make_interval(secs => $2) AND state = 'held' LIMIT $1
"""
_EXPIRE: Final = """
UPDATE ledger_reservation SET state = 'expired', changed_at = clock_timestamp()
WHERE cause = ANY($1::text[]) AND state = 'held' AND (
    changed_at < clock_timestamp() - make_interval(secs => $2)
    OR holder NOT IN (SELECT holder FROM ledger_lease WHERE expires_at > clock_timestamp())
) RETURNING cause
"""
_FORGET_ENDED: Final = """
DELETE FROM ledger_reservation WHERE cause IN (
    SELECT cause FROM ledger_reservation
    WHERE changed_at < clock_timestamp() - make_interval(secs => $1) AND state <> 'held'
    LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""
_FORGET_MARKS: Final = """
DELETE FROM ledger_transaction WHERE mark IN (
    SELECT mark FROM ledger_transaction WHERE made_at < clock_timestamp() - make_interval(secs => $1)
    ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""
_FORGET_LEASES: Final = """
DELETE FROM ledger_lease WHERE expires_at < clock_timestamp() - make_interval(secs => $1)
AND NOT EXISTS (SELECT 1 FROM ledger_reservation AS kept WHERE kept.holder = ledger_lease.holder AND state = 'held')
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """Of one life of a node; it stands for `lasts_s` seconds after each renewal, by the server's clock."""

    holder: str
    lasts_s: float

    @property
    def renewed_every_s(self) -> float:
        """How often a node that lives renews it, and so what is always left of it."""
        return self.lasts_s / RENEWALS_PER_LEASE


async def renew(connection: Connection, lease: Lease) -> None:
    """Say that this node lives."""
    await connection.execute(_RENEW, lease.holder, lease.lasts_s)


async def end(connection: Connection, lease: Lease) -> None:
    """Say that this node is done: what it still holds may be given back at once."""
    await connection.execute(_END, lease.holder)


async def expire(connection: Connection, limits: PostgresLimits) -> int:
    """Give back some of what is held by nodes that are gone, or by nobody's memory; how many reservations it was."""
    lapsed = await connection.fetch(_LAPSED, MOST_AT_ONCE)
    idle = await connection.fetch(_IDLE, MOST_AT_ONCE, limits.reservation_idle_s)
    causes = sorted({str(row[0]) for row in (*lapsed, *idle)})
    if not causes:
        return 0
    return len(await _expire(connection, causes, limits))


async def forget(connection: Connection, limits: PostgresLimits) -> None:
    """Remove what ended long ago."""
    await connection.execute(_FORGET_ENDED, limits.ended_kept_s, MOST_AT_ONCE)
    await connection.execute(_FORGET_MARKS, MARKS_KEPT_S, MARKS_AT_ONCE)
    await connection.execute(_FORGET_LEASES, limits.ended_kept_s)


async def _expire(connection: Connection, causes: Sequence[str], limits: PostgresLimits) -> Sequence[object]:
    nothing: list[str] = []
    await connection.fetch(LOCK_ACCOUNTS, nothing, causes)
    await connection.fetch(LOCK_USAGE_KEYS, nothing, causes)
    return await connection.fetch(_EXPIRE, causes, limits.reservation_idle_s)
