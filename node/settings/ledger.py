"""Settings of the ledger."""

from pydantic import SecretStr

from node.settings.field import Section
from node.settings.field import of as _of


class PostgresSettings(Section):
    """The PostgreSQL database that several nodes share."""

    ledger_postgres_spending_connections: int = _of(4, "connections for what requests wait for", ge=1)
    ledger_postgres_books_connections: int = _of(6, "connections for everything else", ge=2)
    ledger_postgres_reserve_patience_s: float = _of(4.0, "how long a reservation or a balance is tried for", gt=0)
    ledger_postgres_settle_patience_s: float = _of(20.0, "the same for what follows work that is done", gt=0)


class LedgerSettings(Section):
    """The ledger's database and caches."""

    ledger_url: SecretStr = _of(
        SecretStr(""), "postgresql://… that several nodes share; empty: SQLite, `ledger.sqlite3` in data_dir"
    )
    ledger_max_cached_accounts: int = _of(100_000, "balances kept in memory; as many usage keys' totals", ge=1)
