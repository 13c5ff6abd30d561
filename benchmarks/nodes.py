"""Nodes to measure: `svc-devkit run` as a process of its own."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.node import REPOSITORY, NodeProcess, running_node
from tests.support.scraping import Scrape

MANY_ACCOUNTS: Final = {"SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "1000000"}
"""One address makes all the accounts."""
_LOOK_S = 0.05


@contextlib.asynccontextmanager
async def measured_node(settings: Mapping[str, str], checkout: Path = REPOSITORY) -> AsyncIterator[NodeProcess]:
    """A development node of this checkout, or of another one, with fresh data and these settings."""
    with tempfile.TemporaryDirectory() as directory:
        context = running_node(Path(directory), settings, checkout)
        node = await asyncio.to_thread(context.__enter__)
        try:
            yield node
        finally:
            await asyncio.to_thread(context.__exit__, None, None, None)


async def until_running(node: NodeProcess, actions: int, within_s: float) -> None:
    """Wait until exactly so many actions run. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while await asyncio.to_thread(_running, node.log_value("metrics")) != actions:
            await asyncio.sleep(_LOOK_S)


def _running(metrics: str) -> float:
    return Scrape(metrics).value("svc_executions_in_progress")
