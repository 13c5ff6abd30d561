"""Payer lease: the right to sign for the payers of an instance. The process that started last under its id has it.

Two processes with one instance id derive the same payers. Each acquires their leases when it starts: a fencing token
of its own in their rows (column `holder`). Every change of the journal checks in its own transaction that the token is
still there. So a second node given the same id by mistake (or a machine that was thought dead and wakes) never makes
another transaction under a nonce of the first. The node that started earlier sends nothing new from then on, and reports
why.
"""

import secrets
import sqlite3
from typing import Final

import structlog

from node.chain.errors import PayersTakenOverError
from node.database.port import Statement
from node.database.sqlite import SqliteDatabase

_INSTANCE_MIGRATIONS: Final = (
    "CREATE TABLE instance (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT",
)


async def persisted_instance(database: SqliteDatabase) -> str:
    """Return this instance's id, drawn at random once and kept in the database."""
    await database.migrate("instance", _INSTANCE_MIGRATIONS)

    def work(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT OR IGNORE INTO instance (only, name) VALUES (1, ?)", (secrets.token_hex(16),))
        return str(connection.execute("SELECT name FROM instance").fetchone()[0])

    return await database.run(work)


_ACQUIRE: Final = """
INSERT INTO write_payer (chain_id, instance, payer, next_nonce, holder) VALUES (?, ?, ?, 0, ?)
ON CONFLICT (chain_id, instance, payer) DO UPDATE SET holder = excluded.holder RETURNING next_nonce
"""
_LOCK: Final = """
UPDATE write_payer SET next_nonce = next_nonce
WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ? RETURNING next_nonce
"""
_CHECK: Final = "SELECT 1 FROM write_payer WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ?"

TAKEN: Final = "Another node runs under this node's instance_id: give each node one of its own."

_log = structlog.get_logger(__name__)


class PayerLease:
    """Leases that one process holds on the payers of one instance on one chain.

    `token` is the fencing token. The statements return no row once another process has acquired the payer.
    """

    def __init__(self, chain_id: int, instance: str) -> None:
        self.chain_id: Final = chain_id
        self.instance: Final = instance
        self.token: Final = secrets.token_hex(16)
        self.lost = False

    def key(self, payer: str) -> tuple[int, str, str]:
        """Return the first columns of every row of this payer."""
        return (self.chain_id, self.instance, payer)

    def owned_key(self, payer: str) -> tuple[int, str, str, str]:
        """Return the same and the token: `write_payer` has a row with all four while the lease is held."""
        return (*self.key(payer), self.token)

    def acquire(self, payer: str) -> Statement:
        """Take the payer over from whichever process had it. Returns its next nonce, 0 for a new one."""
        # Unconditional: a process that crashed cannot give its lease back, so the latest start wins.
        return Statement(_ACQUIRE, self.owned_key(payer))

    def lock(self, payer: str) -> Statement:
        """Lock the payer until the transaction ends. Returns its next nonce, or no row when the lease is lost."""
        # An update without a change: it takes the row lock on PostgreSQL and the write lock on SQLite alike.
        return Statement(_LOCK, self.owned_key(payer))

    def check(self, payer: str) -> Statement:
        """Read whether the lease is held, without a lock. Returns one row while it is."""
        return Statement(_CHECK, self.owned_key(payer))

    def require(self) -> None:
        """Raise ChainUnavailableError once it is known that another node has the lease."""
        if self.lost:
            raise PayersTakenOverError

    def refusal(self) -> PayersTakenOverError:
        """Return the error for a statement that returned no row, and remember that the lease is lost."""
        # Logged once: every later write fails for the same reason.
        if not self.lost:
            self.lost = True
            _log.error("this node sends no more writes", reason=TAKEN, instance=self.instance)
        return PayersTakenOverError()
