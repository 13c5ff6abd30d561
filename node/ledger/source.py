"""Ledger opened read-only, beside the nodes that write it."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.database.port import Reader, Snapshots, Statement
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import SETTING, address_of
from node.database.sqlite_reader import SqliteReader
from node.errors import StartupRefusedError
from node.ledger.check import FILE_RULES, LEDGER_RULES, RESERVATION_RULES, TRIGGER_RULE, Rule
from node.ledger.postgres import schema as postgres_schema
from node.ledger.sqlite import schema as sqlite_schema
from node.settings.ledger import PostgresSettings

PATIENCE_S: Final = 2.0
"""Wait for a server that is out: a person who runs a command sees the error at once, and repeats it."""


@dataclass(frozen=True, slots=True)
class LedgerSource:
    """Tables to read, and the rules that hold of them."""

    reader: Snapshots
    rules: Sequence[Rule]


@contextlib.asynccontextmanager
async def sqlite_source(path: Path) -> AsyncIterator[LedgerSource]:
    """Open the file of a node that runs or not. Raises StartupRefusedError when it is no ledger of this version."""
    if not path.is_file():
        raise StartupRefusedError("data_dir", f"{path} is not there: no node has kept a ledger in it.")
    reader = SqliteReader(path)
    await _require_version(reader, len(sqlite_schema.STEPS), "data_dir")
    yield LedgerSource(reader, (*LEDGER_RULES, *FILE_RULES))


@contextlib.asynccontextmanager
async def postgres_source(url: str, ca_pem: str = "") -> AsyncIterator[LedgerSource]:
    """Open the database of any number of nodes; `ca_pem` as for `address_of`. Raises as `sqlite_source` does."""
    settings = PostgresSettings(ledger_postgres_settle_patience_s=PATIENCE_S)
    database = PostgresDatabase(address_of(url, ca_pem), settings)
    try:
        await database.require_reachable(PATIENCE_S)
        await _require_version(database, len(postgres_schema.STEPS), SETTING)
        yield LedgerSource(database, (*LEDGER_RULES, *RESERVATION_RULES, TRIGGER_RULE))
    finally:
        await database.close()


async def _require_version(reader: Reader, steps: int, setting: str) -> None:
    ((*found,),) = await reader.read(Statement("SELECT steps FROM schema_version WHERE component = 'ledger'"))
    if [row[0] for row in found] != [steps]:
        raise StartupRefusedError(setting, "The ledger is of another version: use the svc-node that its nodes run.")
