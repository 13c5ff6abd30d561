"""Starts the local card processor, an HTTP server on loopback."""

import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aiohttp import web
from pydantic import ValidationError

from devkit.processor.account import Account
from devkit.processor.calls import Core, Route
from devkit.processor.control import Control, Subjects
from devkit.processor.control_routes import ControlRoutes
from devkit.processor.customers import Customers
from devkit.processor.dispatch import Dispatcher
from devkit.processor.event_routes import EventRoutes
from devkit.processor.events import EventLog
from devkit.processor.faults import Faults
from devkit.processor.intents import Intents
from devkit.processor.keys import Keys
from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.search import SearchIndex
from devkit.processor.store import Store
from devkit.processor.webhooks import Webhooks
from node.errors import StartupRefusedError

HOST: Final = "127.0.0.1"
SCRIPT: Final = Path(__file__).parent / "stripe.js"
SCRIPT_PATH: Final = "/v3/"
"""Path of the script for browsers, as on the real one's host for scripts."""
ABRUPT_S: Final = 0.01
"""Seconds for running requests when connections are refused; 0 would wait without limit."""


@dataclass(frozen=True, slots=True)
class LocalProcessorOptions:
    """Port 0 takes a free one. Without `state_file` all is lost at the end."""

    port: int = 0
    state_file: Path | None = None
    webhook_url: str | None = None
    webhook_secret: str = field(default="whsec_local", repr=False)
    secret_key: str = field(default="sk_test_local", repr=False)
    publishable_key: str = "pk_test_local"
    limits: LocalProcessorLimits = field(default_factory=LocalProcessorLimits)


@dataclass(frozen=True, slots=True)
class LocalProcessor:
    """A running processor, its URL, and its controls."""

    url: str
    control: Control


class _Listener:
    """A port on loopback that can be released and bound again."""

    def __init__(self, runner: web.AppRunner, port: int) -> None:
        self.runner = runner
        self._site: web.TCPSite | None = None
        self.port = port

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    async def listen(self, listening: bool) -> None:
        if listening and self._site is None:
            self._site = web.TCPSite(self.runner, HOST, self.port)
            await self._site.start()
            # Kept for the next time, since the node keeps the processor's address.
            self.port = int(self.runner.addresses[0][1])
        elif not listening and self._site is not None:
            await self._site.stop()
            self._site = None
            # stop() only closes the port. Open connections would still be served.
            if self.runner.server is not None:
                await self.runner.server.shutdown(ABRUPT_S)


@dataclass(frozen=True, slots=True)
class _Parts:
    store: Store
    webhooks: Webhooks
    control: Control
    runner: web.AppRunner
    listener: _Listener


@contextlib.asynccontextmanager
async def local_processor(
    options: LocalProcessorOptions, clock: Callable[[], float] = time.time
) -> AsyncIterator[LocalProcessor]:
    """Run the processor until the context ends; `clock` is unix time in seconds.

    Raises StartupRefusedError when the port is taken or the file cannot be read.
    """
    parts = _assembled(options, clock)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(parts.store.close)
        stack.push_async_callback(parts.webhooks.close)
        await parts.runner.setup()
        stack.push_async_callback(parts.runner.cleanup)
        # Before the cleanup above, which would wait for requests that a fault keeps hanging.
        stack.callback(parts.control.faults.clear)
        await _start(parts.listener, options.port)
        # Last, since the receiver may call the API as soon as it gets an event.
        parts.webhooks.resume()
        yield LocalProcessor(parts.listener.url, parts.control)


def _assembled(options: LocalProcessorOptions, clock: Callable[[], float]) -> _Parts:
    limits, store, application = options.limits, _opened(options.state_file), web.Application()
    webhooks = Webhooks(store, clock, limits)
    webhooks.url, webhooks.secret = options.webhook_url, options.webhook_secret
    listener = _Listener(
        web.AppRunner(application, shutdown_timeout=limits.shutdown_timeout_s, access_log=None), options.port
    )
    core = Core(
        store=store,
        events=EventLog(store, clock, limits.events_lifetime_s, webhooks.take),
        search=SearchIndex(store, clock, limits.search_lag_s),
        clock=clock,
        url=lambda: listener.url,
        limits=limits,
    )
    subjects, faults, keys = Subjects(core), Faults(), Keys(options.secret_key, options.publishable_key)
    dispatcher = Dispatcher(core, keys, faults, _routes(core, subjects))
    application.router.add_route("*", "/v1/{rest:.*}", dispatcher.handle)
    application.router.add_get(SCRIPT_PATH, _script)
    control = Control(core, subjects, dispatcher, faults, webhooks)
    control.listens_by(listener.listen)
    ControlRoutes(control, keys).add_to(application)
    return _Parts(store, webhooks, control, listener.runner, listener)


async def _script(_: web.Request) -> web.Response:
    headers = {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-store"}
    return web.Response(body=SCRIPT.read_bytes(), headers=headers)


def _opened(path: Path | None) -> Store:
    try:
        return Store(path)
    except (OSError, sqlite3.Error, ValidationError) as error:
        said = f"the local card processor cannot read {path} ({type(error).__name__}): remove it to start with nothing."
        raise StartupRefusedError("data_dir", said) from None


async def _start(listener: _Listener, port: int) -> None:
    try:
        await listener.listen(True)
    except OSError as error:
        said = f"the local card processor cannot listen on {HOST}:{port} ({error.strerror}): choose another port."
        raise StartupRefusedError("dev_processor_port", said) from None


def _routes(core: Core, subjects: Subjects) -> list[Route]:
    parts = (
        Account(core),
        Customers(core, subjects.balances),
        subjects.balances,
        Intents(core, subjects.payments),
        subjects.refunds,
        subjects.disputes,
        EventRoutes(core),
    )
    return [route for part in parts for route in part.routes()]
