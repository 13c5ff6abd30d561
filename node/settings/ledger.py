"""Settings of the ledger."""

from pydantic import SecretStr

from node.settings.field import Section
from node.settings.field import of as _of


class PostgresSettings(Section):
    """The PostgreSQL database that several nodes share."""

    ledger_postgres_spending_connections: int = _of(4, "connections for what requests wait for", ge=1)
    ledger_postgres_books_connections: int = _of(6, "connections for everything else", ge=2)
    ledger_postgres_connect_timeout_s: float = _of(5.0, "until a connection is there", gt=0)
    ledger_postgres_statement_timeout_s: float = _of(5.0, "of a statement in a transaction that writes", gt=0)
    ledger_postgres_lock_timeout_s: float = _of(4.0, "for a lock that another node holds", gt=0)
    ledger_postgres_idle_in_transaction_timeout_s: float = _of(
        2.0, "after which the server ends the transaction of a node that says no more", gt=0
    )
    ledger_postgres_read_timeout_s: float = _of(300.0, "of a check, or a statement of a large account", gt=0)
    ledger_postgres_migration_timeout_s: float = _of(
        600.0, "of a step of a migration, and of waiting for another's", gt=0
    )
    ledger_postgres_reserve_patience_s: float = _of(4.0, "how long a reservation or a balance is tried for", gt=0)
    ledger_postgres_settle_patience_s: float = _of(20.0, "the same for what follows work that is done", gt=0)
    ledger_postgres_max_waiting: int = _of(50_000, "reservations and settlements that wait; further ones are 503", ge=1)
    ledger_postgres_lease_s: float = _of(15.0, "after which what a silent node has reserved is given back", gt=0)
    ledger_postgres_reservation_idle_s: float = _of(
        3600.0, "after which a reservation neither extended nor ended is given back", gt=0
    )
    ledger_postgres_ended_kept_s: float = _of(7 * 86_400.0, "how long an ended reservation is known", gt=0)


class LedgerSettings(Section):
    """The ledger's database and caches."""

    ledger_url: SecretStr = _of(
        SecretStr(""), "postgresql://… that several nodes share; empty: SQLite, `ledger.sqlite3` in data_dir"
    )
    ledger_max_entries_per_commit: int = _of(1000, "charges and postings that share one durable commit", ge=1)
    ledger_max_cached_accounts: int = _of(100_000, "balances kept in memory; as many usage keys' totals", ge=1)
    ledger_remembered_causes: int = _of(100_000, "ended charges that a repetition finds without the disk", ge=1)
    ledger_max_concurrent_reads: int = _of(4, "statements and lists read beside the writers at once", ge=1)
    ledger_retry_after_s: int = _of(5, "what a client is told to wait when the ledger is out", ge=1)
