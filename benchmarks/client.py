"""Cost of the SDK: a warm call beside a bare aiohttp session, the first call, and the import.

Warm calls and imports are compared by CPU time of this process, which other load does not change.
The first call is by the clock, with everything imported; its node gives a simulated quote.
"""

import asyncio
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import aiohttp

from benchmarks.aims import Finding
from svc_client import AsyncClient, InsecureDevelopmentRootWarning
from tests.support.client_arguments import ClientArguments, arguments_for
from tests.support.contract import REPOSITORY
from tests.support.verifying import VerifiableNode, verifiable_node

WARM_MS: Final = 1.0
FIRST_MS: Final = 400.0
IMPORT_MS: Final = 60.0
BATCHES: Final = 30
BATCH: Final = 20
FIRST_CALLS: Final = 11
PROCESSES: Final = 9
PATH: Final = "/core/v1/version"


def client_costs() -> list[Finding]:
    """Measures a warm call, the first call and the import."""
    warnings.simplefilter("ignore", InsecureDevelopmentRootWarning)
    with tempfile.TemporaryDirectory() as directory, verifiable_node(Path(directory)) as node:
        return [*asyncio.run(_calls(node)), *_imports()]


async def _calls(node: VerifiableNode) -> list[Finding]:
    arguments = arguments_for(node)
    context = ssl.create_default_context()
    # A development authority issued the node's certificate; the bare session verifies nothing.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(connector=connector) as session, AsyncClient(**arguments) as svc:

        async def bare() -> None:
            async with session.get(node.address.origin + PATH) as response:
                await response.read()

        async def ours() -> None:
            await svc.node.version()

        bare_ms, ours_ms = await _interleaved(bare, ours)
    return [
        Finding("client: warm call over a bare aiohttp session, CPU p50", ours_ms - bare_ms, "ms", WARM_MS),
        Finding("client: warm call, CPU p50", ours_ms, "ms"),
        Finding("bare aiohttp session: the same call, CPU p50", bare_ms, "ms"),
        *await _first(arguments),
    ]


async def _interleaved(*calls: Callable[[], Awaitable[None]]) -> list[float]:
    """Returns CPU milliseconds of one call of each kind, medians of batches that alternate."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(BATCHES):
        for own, call in zip(times, calls, strict=True):
            started = time.process_time()
            for _ in range(BATCH):
                await call()
            own.append((time.process_time() - started) * 1000 / BATCH)
    # The first batch opens the connection, and for the client also verifies the node.
    return [statistics.median(own[1:]) for own in times]


async def _first(arguments: ClientArguments) -> list[Finding]:
    """Measures first calls by the clock, which other load lengthens, and by CPU time."""
    clock, cpu = [], []
    for _ in range(FIRST_CALLS):
        async with AsyncClient(**arguments) as svc:
            started, started_cpu = time.perf_counter(), time.process_time()
            await svc.node.version()
            clock.append((time.perf_counter() - started) * 1000)
            cpu.append((time.process_time() - started_cpu) * 1000)
    return [
        Finding("client: first call, verification included, p50", statistics.median(clock[1:]), "ms", FIRST_MS),
        Finding("client: first call, CPU p50", statistics.median(cpu[1:]), "ms"),
    ]


def _imports() -> list[Finding]:
    # They alternate, so that other load of the machine affects all of them.
    bare, ours, everything = _import_ms("import aiohttp", "from svc_client import Client", _EVERYTHING)
    return [
        Finding("client: import over that of aiohttp, CPU", ours - bare, "ms", IMPORT_MS),
        Finding("client: import, CPU", ours, "ms"),
        Finding("aiohttp: import, CPU", bare, "ms"),
        Finding("client: import of everything a first call needs, CPU", everything, "ms"),
    ]


_EVERYTHING: Final = "from svc_client import Client; import svc_verifier.session, svc_verifier.trust_file"


def _import_ms(*statements: str) -> list[float]:
    times: list[list[float]] = [[] for _ in statements]
    for _ in range(PROCESSES + 1):
        for own, statement in zip(times, statements, strict=True):
            script = f"import time; started = time.process_time(); {statement}; print(time.process_time() - started)"
            ran = subprocess.run(
                [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60
            )
            own.append(float(ran.stdout) * 1000)
    return [statistics.median(own[1:]) for own in times]
