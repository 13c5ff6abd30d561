"""Real ledgers in which every account begins with credit, as a development node's do."""

import contextlib
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from devkit.starter import StarterLedger
from node.ledger.sqlite_ledger import SqliteLedger
from node.settings.ledger import LedgerSettings


class StarterLedgers:
    """Makes ledgers, each in a file of its own; they are closed together."""

    def __init__(self, directory: Path, stack: contextlib.AsyncExitStack) -> None:
        self._directory = directory
        self._stack = stack
        self._made = 0

    async def make(self, starter_cents: int) -> StarterLedger:
        """A new one whose accounts begin with so much."""
        self._made += 1
        ledger = await SqliteLedger.open(self._directory / f"{self._made}.sqlite3", LedgerSettings(), time.time)
        self._stack.push_async_callback(ledger.close)
        return StarterLedger(ledger, starter_cents)


@contextlib.asynccontextmanager
async def starter_ledgers() -> AsyncIterator[StarterLedgers]:
    """Ledgers until the context ends."""
    with tempfile.TemporaryDirectory() as directory:
        async with contextlib.AsyncExitStack() as stack:
            yield StarterLedgers(Path(directory), stack)
