"""The shared SQLite file: durable, grouped, isolated, private, owned by one process."""

import asyncio
import errno
import functools
import os
import re
import sqlite3
import stat
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from node.database.migrations import SQLITE_VERSIONS, migrate_sqlite
from node.database.sqlite import SqliteDatabase
from node.errors import StartupRefusedError
from tests.engine.processes import descriptors

TABLE = ["CREATE TABLE item (name TEXT PRIMARY KEY) STRICT"]


def insert(connection: sqlite3.Connection, name: str) -> str:
    connection.execute("INSERT INTO item VALUES (?)", (name,))
    return name


def names(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM item")}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    database = await SqliteDatabase.open(tmp_path / "node.db")
    await database.migrate("item", TABLE)
    yield database
    await database.close()


async def test_work_that_fails_undoes_itself_and_none_of_its_neighbours(database: SqliteDatabase) -> None:
    def fails(connection: sqlite3.Connection) -> str:
        insert(connection, "half")
        raise ValueError("no")

    works = [functools.partial(insert, name=f"item {i}") if i != 20 else fails for i in range(40)]
    results = await asyncio.gather(*(database.run(work) for work in works), return_exceptions=True)
    assert isinstance(results[20], ValueError)
    assert await database.run(names) == {f"item {i}" for i in range(40) if i != 20}


async def test_a_cancelled_caller_does_not_cancel_its_work(database: SqliteDatabase) -> None:
    caller = asyncio.create_task(database.run(lambda c: insert(c, "kept")))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await database.run(names) == {"kept"}


async def test_a_refused_commit_is_told_to_the_caller_and_the_next_one_works(database: SqliteDatabase) -> None:
    def ends_the_transaction(connection: sqlite3.Connection) -> str:
        connection.execute("COMMIT")
        connection.execute("BEGIN")
        return "never"

    with pytest.raises(sqlite3.OperationalError):
        await database.run(ends_the_transaction)
    assert await database.run(lambda c: insert(c, "after")) == "after"


async def test_files_are_for_the_owner_alone(database: SqliteDatabase, tmp_path: Path) -> None:
    await database.run(lambda c: insert(c, "x"))
    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in os.scandir(tmp_path)}
    assert modes == dict.fromkeys(("node.db", "node.db-wal", "node.db-shm", "node.db.lock"), 0o600)


async def test_a_second_process_is_refused(database: SqliteDatabase, tmp_path: Path) -> None:
    with pytest.raises(StartupRefusedError, match="in use"):
        await SqliteDatabase.open(tmp_path / "node.db")


async def test_migrations_run_once_each_in_order_and_never_backwards(database: SqliteDatabase) -> None:
    steps = [*TABLE, "ALTER TABLE item ADD COLUMN colour TEXT"]
    await database.migrate("item", steps)
    await database.migrate("item", steps)
    columns = await database.run(lambda c: [row[1] for row in c.execute("PRAGMA table_info(item)")])
    assert columns == ["name", "colour"]
    with pytest.raises(StartupRefusedError, match="newer"):
        await database.migrate("item", TABLE)


async def test_a_failing_migration_leaves_nothing(database: SqliteDatabase) -> None:
    with pytest.raises(sqlite3.OperationalError):
        await database.migrate("other", ["CREATE TABLE other (a TEXT) STRICT", "no such statement"])
    await database.migrate("other", ["CREATE TABLE other (a TEXT) STRICT"])


class NamedPlaces(sqlite3.Connection):
    """A connection of Python 3.14, in one thing: it binds places with names by a mapping alone."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        assert not re.search(r"[$:@]\w", sql) or isinstance(parameters, Mapping), sql
        return super().execute(sql, parameters)


def test_places_with_names_are_bound_by_their_names(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "node.db", factory=NamedPlaces)) as connection:
        connection.execute(SQLITE_VERSIONS)
        migrate_sqlite(connection, "item", TABLE)
        for table in ("schema_version", "schema_understood_from"):
            assert connection.execute(f"SELECT component, steps FROM {table}").fetchall() == [("item", 1)]


def open_files(folder: Path) -> set[str]:
    """Files in the folder that this process has open."""
    return {path for path in descriptors().values() if path.startswith(str(folder))}


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "node.db"
    path.write_bytes(b"not a database at all, and longer than a header" * 40)
    # Held beside the error: a connection that is left to the collector goes with the error's traceback.
    with pytest.raises(StartupRefusedError, match=r"node\.db") as refused:
        await SqliteDatabase.open(path)
    assert (open_files(tmp_path), refused.value.setting) == (set(), "data_dir")


async def test_a_database_whose_folder_the_disk_does_not_take_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("node.database.sqlite._flush_directory", refuses)
    with pytest.raises(StartupRefusedError, match="Input/output error") as refused:
        await SqliteDatabase.open(tmp_path / "node.db")
    assert (open_files(tmp_path), refused.value.setting) == (set(), "data_dir")


async def test_closing_finishes_what_is_queued(tmp_path: Path) -> None:
    path = tmp_path / "node.db"
    database = await SqliteDatabase.open(path)
    await database.migrate("item", TABLE)
    queued = [asyncio.create_task(database.run(functools.partial(insert, name=str(i)))) for i in range(100)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*queued)
    with pytest.raises(RuntimeError):
        await database.run(names)
    again = await SqliteDatabase.open(path)
    assert len(await again.run(names)) == 100
    await again.close()


def test_what_run_returned_is_there_after_sigkill(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import asyncio, os, signal, sys
        from pathlib import Path
        from node.database.sqlite import SqliteDatabase
        async def main():
            database = await SqliteDatabase.open(Path(sys.argv[1]))
            await database.migrate("item", ["CREATE TABLE item (name TEXT PRIMARY KEY) STRICT"])
            for number in range(25):
                await database.run(lambda c: c.execute("INSERT INTO item VALUES (?)", (str(number),)) and None)
                os.write(1, b".")
            os.kill(os.getpid(), signal.SIGKILL)
        asyncio.run(main())
    """)
    path = tmp_path / "node.db"
    child = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert child.stdout == b"." * 25
    connection = sqlite3.connect(path)
    assert len(names(connection)) == 25
    connection.close()
