"""How many connections the ledger takes of a PostgreSQL server, and how long everything may last."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PostgresLimits:
    """Settings `ledger_postgres_…`."""

    spending_connections: int = 4
    """For what requests wait for: the batches of reservations and settlements, balances, the node's lease."""
    books_connections: int = 6
    """For everything else: postings, the outbox, usage, statements; at most half of them for long reads."""
    connect_timeout_s: float = 5.0
    statement_timeout_s: float = 5.0
    """Of one statement in a transaction that writes; the server ends it then."""
    lock_timeout_s: float = 4.0
    """For a lock that another node holds; above `idle_in_transaction_timeout_s`, so that a node that stopped is waited out."""
    idle_in_transaction_timeout_s: float = 2.0
    """After which the server ends the transaction of a node that says no more, and frees its locks."""
    read_timeout_s: float = 300.0
    """Of a read of the books (a check, a statement of a large account), which nobody waits for."""
    migration_timeout_s: float = 600.0
    """Of one step of a migration, and of waiting for another node's."""
    reserve_patience_s: float = 4.0
    """How long a reservation, or a balance, is tried for before the client is told to come back."""
    settle_patience_s: float = 20.0
    """The same for what follows work that is done already, and for postings: a server that restarts is waited for."""
    max_waiting: int = 50_000
    """Reservations and settlements that wait for the server, beyond which new ones are refused at once."""
    lease_s: float = 15.0
    """After which, by the server's clock, what a node that is not heard of has reserved is given back."""
    reservation_idle_s: float = 3_600.0
    """After which a reservation that was neither extended nor ended is given back though its node lives."""
    ended_kept_s: float = 7 * 86_400.0
    """How long a reservation that was released, or expired, is known: repeated calls change nothing, late ones settle."""
