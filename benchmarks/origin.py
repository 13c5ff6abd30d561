"""Servers on loopback, each in its own process: one to fetch from, and a local card processor."""

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from aiohttp import web

from devkit.processor.server import LocalProcessorOptions, local_processor

PRICE = 7
PROCESSOR: Final = LocalProcessorOptions()
Ports: TypeAlias = "multiprocessing.Queue[int]"
"""Queue for the port of a server."""
Serve = Callable[[Ports], None]


@dataclass(frozen=True, slots=True)
class Served:
    """URL and process id of a server process."""

    url: str
    pid: int


async def announce_and_serve(application: web.Application, ports: Ports) -> None:
    """Serves on a free port, put into the queue, until the process ends."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ports.put(runner.addresses[0][1])
    await asyncio.Event().wait()


@contextlib.contextmanager
def served(serve: Serve) -> Iterator[Served]:
    """Runs `serve`, a function of a module, in a fresh process until the context ends."""
    # In its own process, so that no measured process pays for its work. Spawned, since a fork
    # would copy a running event loop.
    context = multiprocessing.get_context("spawn")
    ports: Ports = context.Queue()
    process = context.Process(target=serve, args=(ports,), daemon=True)
    process.start()
    try:
        assert process.pid is not None
        yield Served(f"http://127.0.0.1:{ports.get(timeout=60)}/", process.pid)
    finally:
        process.kill()
        process.join()


def serve_prices(ports: Ports) -> None:
    """Serves a small JSON document."""

    async def price(_: web.Request) -> web.Response:
        return web.json_response({"price": PRICE})

    application = web.Application()
    application.router.add_get("/", price)
    asyncio.run(announce_and_serve(application, ports))


def serve_processor(ports: Ports) -> None:
    """Runs the local card processor, which remembers every balance and is not part of a node."""
    asyncio.run(_serve_processor(ports))


async def _serve_processor(ports: Ports) -> None:
    async with local_processor(PROCESSOR) as processor:
        ports.put(int(processor.url.rpartition(":")[2]))
        await asyncio.Event().wait()


def billed_by(url: str) -> dict[str, str]:
    """Returns the settings of a node whose card processor is at `url`."""
    return {
        "SVC_PROCESSOR_URL": url.rstrip("/"),
        "SVC_PROCESSOR_SECRET_KEY": PROCESSOR.secret_key,
        "SVC_PROCESSOR_WEBHOOK_SECRET": PROCESSOR.webhook_secret,
        "SVC_PROCESSOR_PUBLISHABLE_KEY": PROCESSOR.publishable_key,
    }
