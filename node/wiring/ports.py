"""The ports of one node: metrics, the API, and HTTPS beside or before it."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry

from node.errors import StartupRefusedError
from node.http.listener import PlainListener
from node.http.metrics import create_metrics_application
from node.http.plain_port import create_plain_application
from node.http.protocol import NodeRunner
from node.http.server import create_runner
from node.settings import Settings
from node.wiring.https import Https
from node.wiring.proxies import announcing_proxies


@dataclass(frozen=True, slots=True)
class RunningNode:
    """Where the API and the metrics answer; `api_url` is that of HTTPS where nothing else serves the API."""

    api_url: str
    metrics_url: str
    https_url: str | None = None
    """The port with TLS, where there is one; its certificate may still be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What is to be served where."""

    application: web.Application
    https: Https | None
    api_without_tls: bool


async def listening(
    settings: Settings, ports: Ports, registry: CollectorRegistry, stack: contextlib.AsyncExitStack
) -> RunningNode:
    """Serve metrics and API until the stack is left."""
    metrics = web.AppRunner(create_metrics_application(registry), access_log=None)
    metrics_url = await _listen_on(
        metrics, settings.metrics_host, settings.metrics_port, "metrics_host, metrics_port", stack
    )
    metrics_url += "/metrics"
    runner, https = create_runner(ports.application), ports.https
    plain = runner
    if https is not None and not ports.api_without_tls:
        await _set_up(runner, stack)
        plain = create_runner(create_plain_application(ports.application, https.public_url, https.proof_of), runner)
    http_url = await _listen_for_clients(settings, plain, stack)
    if https is None:
        return RunningNode(http_url, metrics_url)
    https_url = await stack.enter_async_context(https.running(runner))
    return RunningNode(http_url if ports.api_without_tls else https_url, metrics_url, https_url)


async def _set_up(runner: web.AppRunner, stack: contextlib.AsyncExitStack) -> None:
    await runner.setup()
    stack.push_async_callback(runner.cleanup)


async def _listen_for_clients(settings: Settings, runner: NodeRunner, stack: contextlib.AsyncExitStack) -> str:
    """Serve on the HTTP port, behind proxies that name their clients where the settings say so; its URL."""
    host, port, names = settings.http_host, settings.http_port, "http_host, http_port"
    proxies = announcing_proxies(settings)
    if not proxies:
        return await _listen_on(runner, host, port, names, stack)
    await _set_up(runner, stack)
    log = structlog.get_logger("node.http").bind()
    listener = PlainListener(runner.protocol_for, settings.https_max_handshakes, proxies, log)
    with _address(host, port, names):
        await listener.start(host, port)
    stack.push_async_callback(listener.close)
    return f"http://{host}:{listener.port}"


async def _listen_on(
    runner: web.AppRunner, host: str, port: int, setting: str, stack: contextlib.AsyncExitStack
) -> str:
    """Serve on an address until the stack is left; its URL. Raises StartupRefusedError when it cannot be had."""
    await _set_up(runner, stack)
    with _address(host, port, setting):
        await web.TCPSite(runner, host, port).start()
    return f"http://{host}:{runner.addresses[0][1]}"


@contextlib.contextmanager
def _address(host: str, port: int, setting: str) -> Iterator[None]:
    """Raises StartupRefusedError when it cannot be had."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        raise StartupRefusedError(setting, f"{host}:{port} cannot be had: {why}.") from None
