"""Measures the node's attestation with a platform that returns its quote at once.

The node runs in its own process, as in production; the load comes from this one.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web
from prometheus_client import CollectorRegistry

from attest.certificates.port import Certificate
from attest.guest_agent import GuestAgent
from attest.responses import Info, Quote
from benchmarks.load import Figures, measure
from devkit.tee_simulator.options import SimulatorOptions
from devkit.tee_simulator.platform import SimulatedPlatform
from node.api.calls import Call, NoInput
from node.api.errors import ErrorCode, NodeError
from node.attestation.component import AttestationComponent
from node.attestation.service import Identity
from node.chain.port import RecalledWrite
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from node.http.openapi import ApiDescription
from node.http.server import HttpServices, create_application, create_runner
from node.keyring.enclave import EnclaveKeyring
from node.ledger.sqlite_ledger import FILE_NAME, SqliteLedger
from node.permissions.grants import Caller
from node.settings import Settings
from node.settings.ledger import LedgerSettings
from node.settings.published import published_settings
from node.values import ZERO_ADDRESS
from node.wiring.logs import configure_logs

CONTRACT = "0x" + "11" * 20
HUGE = 10**9
START_TIMEOUT_S = 30.0
NONCE = "ab" * 32


class InstantAgent(GuestAgent):
    """The simulated platform without a socket, and with one prepared quote for all report data."""

    def __init__(self) -> None:
        super().__init__("/nowhere")
        platform = SimulatedPlatform(bytes(32), SimulatorOptions(), time.time)
        self._info = Info.model_validate(platform.info({}))
        self._quote = Quote.model_validate(platform.get_quote({"report_data": "00" * 64}))

    async def info(self) -> Info:
        """Returns the prepared identity."""
        return self._info

    async def get_quote(self, report_data: bytes) -> Quote:  # noqa: ARG002 - the port's own name
        """Returns the prepared quote, for any report data."""
        return self._quote


class Nobody:
    """Knows no caller and remembers no write."""

    async def caller(self, key_hash: int) -> Caller | None:  # noqa: ARG002 - the port's own name
        """Returns None."""
        return None

    async def charged_cents(self, cause: str, account: int | None) -> int:  # noqa: ARG002 - the port's own name
        """Returns 0."""
        return 0

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:  # noqa: ARG002 - the port's own name
        """Returns None."""
        return None


class NoWallets:
    """Authenticates no wallet."""

    async def caller(self, header: str) -> Caller:  # noqa: ARG002 - the port's own name
        """Raises NodeError `unauthorized`."""
        raise NodeError(ErrorCode.UNAUTHORIZED, "There are no accounts here.")


@dataclass(frozen=True)
class Certificates:
    """The node's single certificate."""

    current: tuple[Certificate, ...] = (Certificate("node.example", b"", b"", bytes(32), 0, HUGE),)
    problem: str | None = None
    failed_at_s: float | None = None


def _no_op() -> Endpoint[NoInput, str]:
    async def handle(_: Call, __: NoInput) -> str:
        return "done"

    return Endpoint(Operation("GET", "/noop", NoInput, str, handle), Docs("Nothing"), "Benchmark", Access(Auth.NONE))


async def _serve(port: "multiprocessing.Queue[int]", directory: Path) -> None:
    configure_logs("info")
    settings = Settings(domain="127.0.0.1", attestation_nonces_per_minute_per_address=HUGE, quote_places=1024)
    attestation = AttestationComponent(InstantAgent(), settings)
    identity = Identity("127.0.0.1", published_settings(Settings(domain="127.0.0.1")), ZERO_ADDRESS)
    services = HttpServices(
        callers=Nobody(),
        cached_callers=Nobody(),
        wallets=NoWallets(),
        books=await SqliteLedger.open(directory / FILE_NAME, LedgerSettings(), time.time),
        books_are_shared=False,
        keyring=EnclaveKeyring(bytes(range(32)), 1, CONTRACT),
        writes=Nobody(),
        runs=Nobody(),
        registry=CollectorRegistry(),
    )
    endpoints = [*attestation.endpoints(Certificates(), identity), _no_op()]
    runner = create_runner(create_application(endpoints, services, ApiDescription("Benchmark", "1")))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port.put(runner.addresses[0][1])
    await asyncio.Event().wait()


def _process(port: "multiprocessing.Queue[int]", directory: Path) -> None:
    """Runs the node, with its log written to the null device."""
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        asyncio.run(_serve(port, directory))


@contextlib.asynccontextmanager
async def _node() -> AsyncIterator[str]:
    context = multiprocessing.get_context("spawn")
    ports: multiprocessing.Queue[int] = context.Queue()
    with tempfile.TemporaryDirectory() as directory:
        process = context.Process(target=_process, args=(ports, Path(directory)), daemon=True)
        process.start()
        try:
            yield f"http://127.0.0.1:{await asyncio.to_thread(ports.get, timeout=START_TIMEOUT_S)}"
        finally:
            process.kill()
            process.join()


@dataclass(frozen=True)
class Cost:
    """Figures of a kind of request, beside the no-op handler of the same application."""

    name: str
    concurrency: int
    figures: Figures
    no_op: Figures


async def attestation_costs(session: aiohttp.ClientSession, requests: int = 1500) -> list[Cost]:
    """Measures a cached quote, a quote with a nonce at an instant platform, and `/info`."""
    costs = []
    async with _node() as url:

        def once(path: str) -> Callable[[], Awaitable[None]]:
            async def call() -> None:
                async with session.get(url + path) as response:
                    body = await response.read()
                    assert response.status == 200, body

            return call

        subjects = {
            "/attestation, cached": once("/attestation"),
            "/attestation?nonce=, platform instant": once(f"/attestation?nonce={NONCE}"),
            "/info": once("/info"),
        }
        for concurrency in (1, 16):
            load = {"concurrency": concurrency, "requests": requests, "warm_up": 50}
            no_op = await measure(once("/core/v1/noop"), **load)
            for name, subject in subjects.items():
                costs.append(Cost(name, concurrency, await measure(subject, **load), no_op))
    return costs


if __name__ == "__main__":

    async def _main() -> None:
        async with aiohttp.ClientSession() as session:
            for cost in await attestation_costs(session):
                print(json.dumps([cost.name, cost.concurrency, cost.figures.__dict__, cost.no_op.__dict__]))

    asyncio.run(_main())
