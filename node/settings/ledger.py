"""Settings of the ledger."""

import ssl
from typing import Final

from pydantic import SecretStr, field_validator

from attest.tls import client_context
from node.settings.field import Section
from node.settings.field import of as _of

CA_PEM_MAX_CHARACTERS: Final = 16_384
"""Room for eight certificates of 2 KiB; a private authority has two roots during a rotation."""


class PostgresSettings(Section):
    """The PostgreSQL database that several nodes share."""

    ledger_ca_pem: str = _of(
        "",
        "certificates (PEM) of the authorities that the database's certificate must lead to, in the place of `sslrootcert`",
        max_length=CA_PEM_MAX_CHARACTERS,
    )
    ledger_postgres_spending_connections: int = _of(4, "connections for what requests wait for", ge=1)
    ledger_postgres_books_connections: int = _of(6, "connections for everything else", ge=2)
    ledger_postgres_reserve_patience_s: float = _of(
        2.2, "how long a reservation or a balance is tried for; then 503 `billing_unavailable`", gt=0
    )
    ledger_postgres_settle_patience_s: float = _of(
        2.2, "the same for all else; a settlement that is not done by then is repeated until it is", gt=0
    )

    @field_validator("ledger_ca_pem")
    @classmethod
    def _certificates(cls, text: str) -> str:
        # The file is public, so a private key in it would be published.
        if "PRIVATE KEY" in text:
            raise ValueError("holds a private key: give the certificates of the authorities alone")
        if text:
            try:
                client_context().load_verify_locations(cadata=text)
            except (ssl.SSLError, ValueError, TypeError):
                raise ValueError("cannot be read as certificates (PEM)") from None
        return text


class LedgerSettings(Section):
    """The ledger's database and caches."""

    ledger_url: SecretStr = _of(
        SecretStr(""), "postgresql://… that several nodes share; empty: SQLite, `ledger.sqlite3` in data_dir"
    )
    ledger_max_cached_accounts: int = _of(100_000, "balances kept in memory; as many usage keys' totals", ge=1)
