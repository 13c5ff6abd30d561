"""Nodes to measure: `svc-node dev` as a process of its own."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from tests.world.node import NodeProcess, running_node


@contextlib.asynccontextmanager
async def measured_node(settings: Mapping[str, str]) -> AsyncIterator[NodeProcess]:
    """A development node with fresh data and these settings."""
    with tempfile.TemporaryDirectory() as directory:
        context = running_node(Path(directory), settings)
        node = await asyncio.to_thread(context.__enter__)
        try:
            yield node
        finally:
            await asyncio.to_thread(context.__exit__, None, None, None)
