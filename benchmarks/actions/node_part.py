"""Measures the node's own share of a trivial action: `POST /svc_action` with an instant engine."""

import asyncio
import contextlib
import gc
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

from aiohttp import web
from prometheus_client import CollectorRegistry

from benchmarks.actions.closed_loop import Target, median_of, one_round
from benchmarks.actions.kinds import TRIVIAL
from benchmarks.aims import Finding
from benchmarks.cached_decisions import account_key_cache
from benchmarks.origin import served
from benchmarks.processes import tree_cpu_s
from benchmarks.wire import post
from node.billing.charging import Prices
from node.chain.authorisations.cache import CachedAuthorisations
from node.engine.egress.egress import Egress
from node.engine.port import ActionJob, ActionOutcome, HostCalls, StopReason
from node.execution import routes
from node.execution.host_calls import Derivation
from node.execution.metrics import ExecutionMetrics, LostRuns
from node.execution.service import ExecutionService
from node.http.endpoint import account_gate
from node.http.openapi import ApiDescription
from node.http.server import HttpServices, create_application, create_runner
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import Posting, Source
from node.ledger.sqlite_ledger import SqliteLedger
from node.settings.ledger import LedgerSettings
from node.values import ZERO_ADDRESS, hash_of_text
from node.wiring.logs import configure_logs
from tests.support.http_server import WalletTable, WriteTable

TENANTS = 4
KEYS = [f"{index:043d}=" for index in range(TENANTS)]
CREDIT = 10**15
CONCURRENCY = (1, 8, 32)
ROUNDS = 3
ROUND_S = 1.0
BOUND_MS = 0.45


class InstantEngine:
    """An `Engine` that returns at once and calls nothing."""

    async def run(
        self,
        job: ActionJob,
        host: HostCalls,
        stop: "asyncio.Future[StopReason]",
        dispatched: Callable[[], None],
        commit: Callable[[], Awaitable[None]] | None = None,
    ) -> ActionOutcome:
        del job, host, stop
        if commit is not None:
            await commit()
        dispatched()
        return ActionOutcome(response="done", logs="", error=None, duration_ms=0.25)


class _NoAdmins:
    """Finds no admin, since no account here is ChainSecured."""

    def kept(self, account: int) -> list[int]:
        del account
        return []

    async def read(self, account: int) -> list[int]:
        return self.kept(account)


@contextlib.asynccontextmanager
async def instant_application(directory: Path) -> AsyncIterator[web.Application]:
    """Yields the execution endpoints with a real ledger and cache, and an instant engine."""
    registry = CollectorRegistry()
    ledger = await SqliteLedger.open(directory / "ledger.sqlite3", LedgerSettings(), time.time)
    for key in KEYS:
        await ledger.post(Posting(f"starter:{key}", hash_of_text(key), Source.STARTER, CREDIT))
    keyring = EnclaveKeyring(bytes(range(32)), 31337, ZERO_ADDRESS)
    authorisations: CachedAuthorisations = account_key_cache()
    service = ExecutionService(
        authorisations=authorisations,
        derivation=Derivation(keyring, _NoAdmins(), remembered=100),
        engine=InstantEngine(),
        keyring=keyring,
        ledger=ledger,
        metrics=ExecutionMetrics(registry),
        egress=Egress(),
        prices=Prices(),
    )

    async def reach(_: int) -> None: ...

    services = HttpServices(
        callers=authorisations,
        cached_callers=authorisations,
        wallets=WalletTable(),
        books=ledger,
        books_are_shared=False,
        keyring=keyring,
        writes=WriteTable(),
        runs=LostRuns(ledger, registry),
        registry=registry,
    )
    endpoints = routes.endpoints(service, account_gate(64), reach, 65_536)
    try:
        yield create_application(endpoints, services, ApiDescription("benchmark", "0", ""))
    finally:
        await service.close()
        await ledger.close()


async def node_part() -> list[Finding]:
    """Measures CPU time of the node's process per request, at each concurrency."""
    findings: list[Finding] = []
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".node-part-") as directory,
        served(partial(serve_instant, directory)) as server,
    ):
        url = f"{server.url}core/v1/svc_action"
        body = {"code": TRIVIAL.code, "js_params": {"wallet": ZERO_ADDRESS}}
        requests = [post(url, body, {"X-Api-Key": key}) for key in KEYS]
        target = Target("the node's own part", url, requests, lambda: tree_cpu_s(server.pid))
        for concurrency in CONCURRENCY:
            print(f"measuring: the node's own part, {concurrency} at once", file=sys.stderr)
            rounds = [
                await one_round(target, TRIVIAL.answered, concurrency=concurrency, seconds=ROUND_S)
                for _ in range(ROUNDS)
            ]
            found = median_of(rounds)
            name = f"trivial action without its engine, {concurrency} at once"
            bound = BOUND_MS if concurrency > 1 else None
            findings += [
                Finding(f"{name}: processor time a request", found.cpu_ms, "ms", bound),
                Finding(f"{name}: p50", found.p50_ms, "ms"),
                Finding(f"{name}: p99", found.p99_ms, "ms"),
            ]
    return findings


def serve_instant(directory: str, ports: "multiprocessing.Queue[int]") -> None:
    """Serves the node without an engine, with its log written to the null device."""
    # Lines are still made and written, as in a node; only their reader is missing.
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        asyncio.run(_serve(Path(directory), ports))


async def _serve(directory: Path, ports: "multiprocessing.Queue[int]") -> None:
    configure_logs("info")
    async with instant_application(directory) as application:
        runner = create_runner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        gc.collect()
        gc.freeze()  # as the node does once it serves
        ports.put(runner.addresses[0][1])
        await asyncio.Event().wait()
