"""A server on loopback for actions to fetch from, in a process of its own."""

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from aiohttp import web

PRICE = 7
Ports: TypeAlias = "multiprocessing.Queue[int]"
"""Tells the one port of a server."""
Serve = Callable[[Ports], None]


@dataclass(frozen=True, slots=True)
class Served:
    """A server process: where it answers and its process id."""

    url: str
    pid: int


async def announce_and_serve(application: web.Application, ports: Ports) -> None:
    """Serve on a free port, told through the queue, until the process ends."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ports.put(runner.addresses[0][1])
    await asyncio.Event().wait()


@contextlib.contextmanager
def served(serve: Serve) -> Iterator[Served]:
    """Run `serve`, a function of a module, in a fresh process until the context ends."""
    # A process of its own, so that its work is on nobody's account; spawned, since a fork would copy a running event
    # loop.
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
    """Answers a small JSON document."""

    async def price(_: web.Request) -> web.Response:
        return web.json_response({"price": PRICE})

    application = web.Application()
    application.router.add_get("/", price)
    asyncio.run(announce_and_serve(application, ports))
