"""Measures the ledger: durable reserve and settle pairs a second, also ungrouped and alone."""

import itertools
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.aims import Aim, Finding
from benchmarks.api_calls import Row
from benchmarks.load import Figures, measure
from node.ledger import ledger as stored
from node.ledger.port import MICRODOLLARS_PER_CENT, LedgerDatabase, Posting, Service, Source, Spender, Usage
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import SqliteLedger
from node.settings.ledger import LedgerSettings, PostgresSettings
from tests.support.postgres import binaries, running_postgres

ACCOUNTS = 200
USAGE_KEYS = 500
CREDIT = 10**15
AT_ONCE = 512
PAIRS = 40_000
UNGROUPED_PAIRS = 1_500
POSTGRES_PAIRS = 5_000
ALONE = 1_000
SECOND = MICRODOLLARS_PER_CENT
WANTED_PAIRS_PER_SECOND = 10_000
ALONE_BOUND_MS = 1.5
CID = "QmPK1s3pNYLi9ERiq3BDxKa4XosgWwFRQUydHUtz4YgpqB"

PATIENT = PostgresSettings(ledger_postgres_reserve_patience_s=120.0, ledger_postgres_settle_patience_s=120.0)
"""Patience for the last commit of a large load, which would otherwise be refused."""

Pair = Callable[[], Awaitable[None]]


async def pairs(ledger: LedgerDatabase) -> Pair:
    """Charges one-second actions of many accounts, half of them through usage keys."""
    for account in range(ACCOUNTS):
        await ledger.post(Posting(f"starter:{account}", account, Source.STARTER, CREDIT))
    numbers = itertools.count()

    async def once() -> None:
        number = next(numbers)
        cause = f"{number:032x}"
        key = ACCOUNTS + number % USAGE_KEYS if number % 2 else None
        await ledger.reserve(Spender(number % ACCOUNTS, key), cause, SECOND)
        await ledger.settle(cause, SECOND, Usage(Service.EXECUTION, CID, f"request-{number:028x}", 12))

    return once


async def sqlite(at_once: int, requests: int) -> Figures:
    """Measures a lone node's ledger. The file is in the working directory: /tmp may be memory."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".ledger-benchmark-") as directory:
        ledger = await SqliteLedger.open(Path(directory) / "ledger.sqlite3", LedgerSettings(), time.time)
        try:
            return await measure(await pairs(ledger), concurrency=at_once, requests=requests, warm_up=100)
        finally:
            await ledger.close()


async def postgres(url: str, at_once: int, requests: int) -> Figures:
    """Measures the ledger on its own local PostgreSQL server, which flushes each commit."""
    ledger = await PostgresLedger.open(url, "benchmark", PATIENT, time.time)
    try:
        return await measure(await pairs(ledger), concurrency=at_once, requests=requests, warm_up=100)
    finally:
        await ledger.close()


@contextmanager
def one_by_one() -> Iterator[None]:
    """Gives each charge its own commit."""
    before = stored.MAX_ORDERS_PER_COMMIT
    # Patched and no setting, since only this comparison needs it.
    stored.MAX_ORDERS_PER_COMMIT = 1  # type: ignore[misc]
    try:
        yield
    finally:
        stored.MAX_ORDERS_PER_COMMIT = before  # type: ignore[misc]


async def bare_commits() -> Figures:
    """Measures this machine's minimum: SQLite itself commits one row durably."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".ledger-benchmark-") as directory:
        connection = sqlite3.connect(Path(directory) / "bare.sqlite3", isolation_level=None, check_same_thread=False)
        with closing(connection):
            # FULL in WAL mode flushes each commit, as the ledger does. Without it the baseline
            # would be memory.
            for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE bare (value TEXT)"):
                connection.execute(statement)

            async def once() -> None:
                connection.execute("INSERT INTO bare VALUES ('a row about as long as the smallest of the ledger')")

            return await measure(once, concurrency=1, requests=ALONE, warm_up=100)


async def ledger_costs() -> tuple[list[Row], list[Finding], list[Aim]]:
    """Measures SQLite, and PostgreSQL if a server is available."""
    print("measuring: the ledger on SQLite", file=sys.stderr)
    many = await sqlite(AT_ONCE, PAIRS)
    with one_by_one():
        ungrouped = await sqlite(AT_ONCE, UNGROUPED_PAIRS)
    alone = await sqlite(1, ALONE)
    rows = [
        Row("reserve + settle, SQLite", AT_ONCE, many, "a commit each", ungrouped),
        Row("reserve + settle, SQLite", 1, alone, "a bare commit", await bare_commits()),
    ]
    findings = _alone("SQLite", alone, ALONE_BOUND_MS)
    aims = [
        Aim(
            "durable reserve + settle pairs, SQLite",
            many.per_second,
            WANTED_PAIRS_PER_SECOND,
            "a second",
            at_least=True,
        ),
        Aim("one pair alone, SQLite, p50", alone.p50_ms, ALONE_BOUND_MS, "ms", at_least=False),
    ]
    if binaries() is None:
        print("no PostgreSQL here: its figures are left out", file=sys.stderr)
        return rows, findings, aims
    print("measuring: the ledger on PostgreSQL", file=sys.stderr)
    # Tests turn fsync off, but here every commit must be flushed to be comparable.
    with running_postgres(fsync="on") as server:
        urls = [server.url(server.new_role()) for _ in range(3)]
        many = await postgres(urls[0], AT_ONCE, POSTGRES_PAIRS)
        with one_by_one():
            ungrouped = await postgres(urls[1], AT_ONCE, UNGROUPED_PAIRS)
        alone = await postgres(urls[2], 1, ALONE)
    rows.append(Row("reserve + settle, PostgreSQL", AT_ONCE, many, "a commit each", ungrouped))
    return rows, [*findings, *_alone("PostgreSQL", alone, None)], aims


def _alone(database: str, alone: Figures, bound_ms: float | None) -> list[Finding]:
    return [
        Finding(f"one reserve + settle alone, {database}: p50", alone.p50_ms, "ms", bound_ms),
        Finding(f"one reserve + settle alone, {database}: p99", alone.p99_ms, "ms"),
    ]
