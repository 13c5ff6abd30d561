"""The HTTP application: all endpoints, the documents that describe them, and middleware."""

import asyncio
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry
from pydantic import RootModel

from node.api.calls import json_bytes
from node.chain.port import WriteRecall
from node.database.lease import RENEWALS_PER_LEASE, ProcessLease
from node.database.port import Database
from node.http.answers import Envelope, HttpMetrics, Logger, preflight_response
from node.http.api_page import add_api_page
from node.http.authentication import Authenticator, Callers, WalletCallers
from node.http.endpoint import AnyEndpoint
from node.http.idempotency import Idempotency, RunRecall
from node.http.idempotency_store import COMPONENT, IdempotencyStore
from node.http.openapi import ApiDescription, openapi_document
from node.http.pipeline import API_PREFIX, Pipeline, RateLimits
from node.http.protocol import Connections, NodeRunner
from node.http.rate import ClientAddresses, ReadBudget
from node.keyring.port import Keyring
from node.runtime.clock import Clock
from node.runtime.limits import MINUTE_S, TRACKED_ADDRESSES_MAX, TokenBuckets
from node.runtime.tasks import TaskSet
from node.settings.http import HttpSettings

Serve = Callable[[web.Request], Awaitable[web.Response]]

_PURGE_EVERY_S: Final = 60.0
REREADS_PER_MINUTE_PER_ADDRESS: Final = 60
"""Most rereads a minute per client address; a cached denial is reread at the head of the chain."""
ANONYMOUS_IDEMPOTENCY_KEYS_PER_MINUTE_PER_ADDRESS: Final = 60
"""Most Idempotency-Keys a minute per address without authentication; each costs a stored row."""

ENVELOPE: Final = web.AppKey("ENVELOPE", Envelope)
LIMITS: Final = web.AppKey("LIMITS", HttpSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServices:
    """Components that the HTTP layer itself uses.

    Endpoints with `cached_caller` use `cached_callers`, all others `callers`. `wallets` find the
    callers of `X-Wallet-Auth`. `books` stores the responses to Idempotency-Keys.
    """

    callers: Callers
    cached_callers: Callers
    wallets: WalletCallers
    books: Database
    books_are_shared: bool
    keyring: Keyring
    writes: WriteRecall
    runs: RunRecall
    registry: CollectorRegistry
    addresses: ClientAddresses = field(default_factory=ClientAddresses)
    logger: Logger = field(default_factory=lambda: structlog.get_logger("node.http").bind())
    clock: Clock = field(default_factory=Clock)


def create_application(
    endpoints: Sequence[AnyEndpoint],
    services: HttpServices,
    about: ApiDescription,
    limits: HttpSettings | None = None,
) -> web.Application:
    """Return the node's application. `create_runner` serves it; a plain runner lacks its bounds.

    Raises ValueError if two endpoints have one method and path, or a model takes unknown fields.
    """
    limits = limits or HttpSettings()
    envelope = Envelope(HttpMetrics(services.registry), services.logger, services.addresses)
    store = _idempotency_store(services, limits)
    idempotency = Idempotency(store, services.keyring, services.writes, services.runs, limits, services.clock)
    application = web.Application(middlewares=[envelope.handle])
    application[ENVELOPE] = envelope
    application[LIMITS] = limits
    application.cleanup_ctx.append(_keeping(store, services, limits))
    _add_endpoints(application, endpoints, _pipeline(services, limits, idempotency))
    add_api_page(application, json_bytes(openapi_document(endpoints, about, limits)))
    _answer_preflights(application)
    return application


def create_runner(application: web.Application, beside: NodeRunner | None = None) -> NodeRunner:
    """Return the runner of `create_application`'s result; it shares the connections of `beside`."""
    limits = application[LIMITS]
    connections = Connections(limits.http_max_connections) if beside is None else beside.connections
    return NodeRunner(application, application[ENVELOPE], limits, connections)


def _pipeline(services: HttpServices, limits: HttpSettings, idempotency: Idempotency) -> Pipeline:
    def by_address(what: str, per_minute: int) -> TokenBuckets:
        return TokenBuckets(what, per_minute, MINUTE_S, services.clock.monotonic, TRACKED_ADDRESSES_MAX)

    rates = RateLimits(
        mints=by_address("new accounts or wallets from this address", limits.http_mints_per_minute_per_address),
        anonymous_idempotency_keys=by_address(
            "Idempotency-Keys without an API key from this address",
            ANONYMOUS_IDEMPOTENCY_KEYS_PER_MINUTE_PER_ADDRESS,
        ),
        rereads=by_address("cached denials read again from this address", REREADS_PER_MINUTE_PER_ADDRESS),
        reads=ReadBudget(limits, services.clock.monotonic),
    )
    unknown_keys = by_address("unknown keys from this address", limits.http_unknown_keys_per_minute_per_address)
    authenticator = Authenticator(services.callers, services.cached_callers, services.wallets, unknown_keys)
    return Pipeline(limits, authenticator, idempotency, rates)


def _idempotency_store(services: HttpServices, limits: HttpSettings) -> IdempotencyStore:
    """Return the store of responses. Without a lease it ends the claims of the last process."""
    lease = None
    if services.books_are_shared:
        # Random, since two processes must never mistake each other's claims for their own.
        name = secrets.token_hex(16)
        lease = ProcessLease(services.books, COMPONENT, name, limits.http_idempotency_lease_s)
    return IdempotencyStore(services.books, limits, lease, services.logger, services.clock.monotonic)


def _keeping(
    store: IdempotencyStore, services: HttpServices, limits: HttpSettings
) -> Callable[[web.Application], AsyncIterator[None]]:
    """Opens the store, purges it once a minute, and renews this node's claims in each lease."""

    async def again(what: str, every_s: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - a failure now must not keep secrets without limit
                services.logger.error(what, exception=type(error).__name__)  # noqa: TRY400 - no values in logs
            await asyncio.sleep(every_s)

    stopping_at = math.inf

    async def stopping(_: web.Application) -> None:
        nonlocal stopping_at
        stopping_at = services.clock.monotonic()

    async def context(application: web.Application) -> AsyncIterator[None]:
        application.on_shutdown.append(stopping)
        await store.open()
        maintain_every_s = limits.http_idempotency_lease_s / RENEWALS_PER_LEASE
        tasks = TaskSet("http")
        tasks.start(again("idempotency_purge_failed", _PURGE_EVERY_S, lambda: store.purge(services.clock.unix())))
        tasks.start(again("idempotency_not_tended", maintain_every_s, store.maintain))
        yield
        # First the periodic tasks, since `maintain` must not run beside `close`.
        await tasks.stop()
        # Work without a connection gets as much time as work with one.
        left_s = stopping_at + limits.http_shutdown_timeout_s - services.clock.monotonic()
        await store.close(min(max(left_s, 0.0), limits.http_shutdown_timeout_s))

    return context


def _add_endpoints(application: web.Application, endpoints: Sequence[AnyEndpoint], pipeline: Pipeline) -> None:
    claimed: set[tuple[str, str]] = set()
    for endpoint in endpoints:
        # Checked at every start: a model that ignores misspelled fields would act wrongly.
        takes = endpoint.operation.takes
        if not issubclass(takes, RootModel) and takes.model_config.get("extra") != "forbid":
            raise ValueError(f'{endpoint.operation.path}: {takes.__name__} must say extra="forbid".')
        route = pipeline.route(endpoint)
        for path in (
            endpoint.operation.path if endpoint.operation.host_root else API_PREFIX + endpoint.operation.path,
            *endpoint.operation.also_at,
        ):
            if (endpoint.operation.method, path) in claimed:
                raise ValueError(f"{endpoint.operation.method} {path} is declared twice.")
            claimed.add((endpoint.operation.method, path))
            methods: list[str] = [endpoint.operation.method]
            # A GET also serves HEAD, unless it is deprecated: a GET that mints must not be
            # triggered by a routine HEAD.
            if endpoint.operation.method == "GET" and endpoint.operation.deprecated_by is None:
                methods.append("HEAD")
            for method in methods:
                application.router.add_route(method, path, route.answer, expect_handler=_ignore_expectation)


async def _ignore_expectation(_: web.Request) -> None:
    """Ignores unknown expectations. `node.http.reading` answers `100-continue`."""


def _answer_preflights(application: web.Application) -> None:
    """Answer OPTIONS on every path."""
    # Called after all other routes were added, so that each path's methods are known.
    for resource in list(application.router.resources()):
        allow = ", ".join(sorted({route.method for route in resource} | {"OPTIONS"}))

        async def preflight(_: web.Request, allow: str = allow) -> web.Response:
            return preflight_response(allow)

        application.router.add_route("OPTIONS", resource.canonical, preflight)
