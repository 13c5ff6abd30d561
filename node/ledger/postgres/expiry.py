"""Reservations that end without their node: those of expired leases, and those that were forgotten.

A reservation is valid while its node's lease has not expired; any node may release the rest. A node that was paused past
its lease finds its reservations expired, and settles them from the credit that is left.
"""

from collections.abc import Sequence
from typing import Final

from node.database.postgres_connections import Connection
from node.database.postgres_leases import forget_marks
from node.ledger.postgres.schema import LOCK_ACCOUNTS, LOCK_USAGE_KEYS

RESERVATION_IDLE_S: Final = 3_600.0
"""Age at which a reservation that was neither extended nor ended is given back though its node is alive. No action and no
write takes so long."""
ENDED_KEPT_S: Final = 7 * 86_400.0
"""Time for which a released or expired reservation is known: repeated calls change nothing, late ones settle."""
MOST_AT_ONCE: Final = 500
"""Reservations given back in one transaction, which holds their accounts' locks."""

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
_FORGET_LEASES: Final = """
DELETE FROM ledger_lease WHERE expires_at < clock_timestamp() - make_interval(secs => $1)
AND NOT EXISTS (SELECT 1 FROM ledger_reservation AS kept WHERE kept.holder = ledger_lease.holder AND state = 'held')
"""


async def expire(connection: Connection) -> int:
    """Give back some reservations of expired leases, and idle ones. Returns how many."""
    lapsed = await connection.fetch(_LAPSED, MOST_AT_ONCE)
    idle = await connection.fetch(_IDLE, MOST_AT_ONCE, RESERVATION_IDLE_S)
    # Read without locks first: most rounds find nothing and lock nobody.
    causes = sorted({str(row[0]) for row in (*lapsed, *idle)})
    if not causes:
        return 0
    nothing: list[str] = []
    # The locks of every change of a reservation. `_EXPIRE` checks again: its node may have renewed the lease meanwhile.
    await connection.fetch(LOCK_ACCOUNTS, nothing, causes)
    await connection.fetch(LOCK_USAGE_KEYS, nothing, causes)
    expired: Sequence[object] = await connection.fetch(_EXPIRE, causes, RESERVATION_IDLE_S)
    return len(expired)


async def forget(connection: Connection) -> None:
    """Remove reservations, leases and marks that ended long ago."""
    await connection.execute(_FORGET_ENDED, ENDED_KEPT_S, MOST_AT_ONCE)
    await forget_marks(connection)
    await connection.execute(_FORGET_LEASES, ENDED_KEPT_S)
