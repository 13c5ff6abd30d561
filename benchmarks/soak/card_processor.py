"""The card processor beside a soak, in a process of its own: it remembers every balance it is told, and is no part of a node."""

import asyncio
from typing import Final

from benchmarks.origin import Ports
from devkit.processor.server import LocalProcessorOptions, local_processor

PROCESSOR: Final = LocalProcessorOptions()


def serve_processor(ports: Ports) -> None:
    """Run the local card processor until the process ends."""
    asyncio.run(_serve_processor(ports))


async def _serve_processor(ports: Ports) -> None:
    async with local_processor(PROCESSOR) as processor:
        ports.put(int(processor.url.rpartition(":")[2]))
        await asyncio.Event().wait()


def billed_by(url: str) -> dict[str, str]:
    """Return the settings of a node whose card processor answers at `url`."""
    return {
        "SVC_PROCESSOR_URL": url.rstrip("/"),
        "SVC_PROCESSOR_SECRET_KEY": PROCESSOR.secret_key,
        "SVC_PROCESSOR_WEBHOOK_SECRET": PROCESSOR.webhook_secret,
        "SVC_PROCESSOR_PUBLISHABLE_KEY": PROCESSOR.publishable_key,
    }
