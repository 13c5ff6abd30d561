"""A ledger's books opened to be read and nothing else, beside the nodes that write them."""

import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.errors import StartupRefusedError
from node.ledger.books import Reader, Snapshots, Statement
from node.ledger.check import LEDGER_RULES, Rule
from node.ledger.limits import LedgerLimits
from node.ledger.postgres import schema as postgres_schema
from node.ledger.postgres.address import SETTING, address_of
from node.ledger.postgres.books import PostgresBooks
from node.ledger.postgres.check import RESERVATION_RULES, TRIGGER_RULE
from node.ledger.postgres.limits import PostgresLimits
from node.ledger.sqlite import schema as sqlite_schema
from node.ledger.sqlite.check import FILE_RULES
from node.ledger.sqlite.reader import SqliteReader

PATIENCE_S: Final = 2.0
"""With a server that is out: whoever runs a command sees so at once, and repeats it."""


@dataclass(frozen=True, slots=True)
class LedgerSource:
    """Books to read, and the rules that hold of them."""

    reader: Snapshots
    rules: Sequence[Rule]


@contextlib.asynccontextmanager
async def sqlite_source(path: Path) -> AsyncIterator[LedgerSource]:
    """The file of a node that runs or not. Raises StartupRefusedError when it is no ledger of this version."""
    if not path.is_file():
        raise StartupRefusedError("data_dir", f"{path} is not there: no node has kept a ledger in it.")
    reader = SqliteReader(path, LedgerLimits())
    await _require_version(reader, len(sqlite_schema.STEPS), "data_dir")
    yield LedgerSource(reader, (*LEDGER_RULES, *FILE_RULES))


@contextlib.asynccontextmanager
async def postgres_source(url: str) -> AsyncIterator[LedgerSource]:
    """The database of any number of nodes. Raises StartupRefusedError likewise."""
    books = PostgresBooks(address_of(url), LedgerLimits(), PostgresLimits(settle_patience_s=PATIENCE_S), time.time)
    try:
        await _require_version(books, len(postgres_schema.STEPS), SETTING)
        yield LedgerSource(books, (*LEDGER_RULES, *RESERVATION_RULES, TRIGGER_RULE))
    finally:
        await books.close()


async def _require_version(reader: Reader, steps: int, setting: str) -> None:
    ((*found,),) = await reader.read(Statement("SELECT steps FROM schema_version WHERE component = 'ledger'"))
    if [row[0] for row in found] != [steps]:
        raise StartupRefusedError(setting, "The ledger is of another version: use the svc-node that its nodes run.")
