"""Asks for the node's health now and then, so that metrics know it though nobody else asks."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from node.status.health import HealthMonitor


@contextlib.asynccontextmanager
async def watching(
    monitor: HealthMonitor, interval_s: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> AsyncIterator[None]:
    """Ask at once and then every `interval_s`, until the context ends. A probe that fails or hangs ends nothing."""

    async def ask_for_ever() -> None:
        while True:
            await monitor.findings()
            await sleep(interval_s)

    asking = asyncio.create_task(ask_for_ever())
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
