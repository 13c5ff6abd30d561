"""docs/backups.md: its command copies a database whole while the node writes, and a node starts from the copy."""

import re
import shlex
import shutil
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from node.ledger.sqlite_ledger import FILE_NAME
from tests.e2e.account import new_account
from tests.support.contract import REPOSITORY
from tests.support.node import running_node
from tests.support.serving import unchecked

PAGE = (REPOSITORY / "docs" / "backups.md").read_text()
COPY = "backup.sqlite3"


def backed_up(folder: Path) -> Path:
    """The page's command, run in the folder; by Python's own library where there is no `sqlite3`."""
    found = re.search(r"<!-- backup -->\n```\n(.*)\n```", PAGE)
    assert found is not None
    program, read_only, name, statement = shlex.split(found[1])
    assert (program, read_only, name) == ("sqlite3", "-readonly", FILE_NAME)
    if shutil.which(program):
        subprocess.run([program, read_only, name, statement], cwd=folder, check=True, timeout=60)
        return folder / COPY
    with sqlite3.connect(f"file:{folder / name}?mode=ro", uri=True) as connection:
        connection.execute(statement.replace(COPY, str(folder / COPY)))
    connection.close()
    return folder / COPY


def rows(database: Path) -> dict[str, int]:
    """How many each table has, of a database that is whole."""
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counted = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    connection.close()
    return counted


@pytest.mark.exhaustive
def test_a_copy_of_a_node_that_writes_is_whole_and_a_node_starts_from_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    key = {"Idempotency_Key": "before-the-backup-of-the-node-was-made"}
    body = {"account_name": "kept"}
    with running_node(data) as node:
        client = unchecked(node.url)
        before = client.post("new_account", body, **key).ok()
        writing = threading.Event()
        writer = threading.Thread(target=lambda: [new_account(client) for _ in iter(writing.is_set, True)])
        writer.start()
        try:
            copy = backed_up(data)
        finally:
            writing.set()
            writer.join(60)
        assert client.post("new_account", body, **key).ok() == before
    assert sum(rows(copy).values()) > 0
    for ending in ("", "-wal", "-shm"):
        (data / f"{FILE_NAME}{ending}").unlink(missing_ok=True)
    copy.rename(data / FILE_NAME)
    with running_node(data) as node:
        again = unchecked(node.url).post("new_account", body, **key).ok()
    assert again == before, "the kept answer came back with the database"
