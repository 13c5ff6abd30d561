"""The node's HTTP layer on a loopback port, with endpoints of a test's own and a table of keys for a chain."""

import asyncio
import contextlib
import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import structlog
from aiohttp import web
from blockbuster import blockbuster_ctx
from prometheus_client import CollectorRegistry

from node.api.errors import ErrorCode, NodeError
from node.chain.port import RecalledWrite
from node.errors import DomainError
from node.execution.metrics import LostRuns
from node.http.endpoint import AnyEndpoint
from node.http.openapi import ApiDescription
from node.http.protocol import NodeRunner
from node.http.rate import ClientAddresses
from node.http.server import HttpServices, create_application, create_runner
from node.keyring.enclave import EnclaveKeyring
from node.permissions.grants import Caller
from node.runtime.clock import Clock
from node.settings.http import HttpSettings
from tests.support.clock import FakeClock
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.openapi import OpenApiChecker

CONTRACT = "0x" + "11" * 20
ROOT = bytes(range(32))
_RENDERERS: Sequence[structlog.typing.Processor] = (
    structlog.processors.JSONRenderer(),
    structlog.dev.ConsoleRenderer(colors=False),
)


class KeyTable:
    """Callers by key hash, as the chain would answer; counts what it is asked."""

    def __init__(self) -> None:
        self.callers: dict[int, Caller] = {}
        self.asked = 0

    async def caller(self, key_hash: int) -> Caller | None:
        self.asked += 1
        await asyncio.sleep(0)
        return self.callers.get(key_hash)


class WalletTable:
    """Callers by what their wallet signed; anything else is 401, as a wrong signature is."""

    def __init__(self) -> None:
        self.callers: dict[str, Caller] = {}
        self.error: DomainError | None = None
        self.asked = 0

    async def caller(self, header: str) -> Caller:
        self.asked += 1
        if self.error is not None:
            raise self.error
        if header not in self.callers:
            raise NodeError(ErrorCode.UNAUTHORIZED, "No wallet signed this.", details={"reason": "x"})
        return self.callers[header]


class WriteTable:
    """Ends of journaled writes by idempotency id; notes which were asked for."""

    def __init__(self) -> None:
        self.ends: dict[str, RecalledWrite | DomainError] = {}
        self.asked: list[str] = []

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        self.asked.append(idempotency_id)
        end = self.ends.get(idempotency_id)
        if isinstance(end, DomainError):
            raise end
        return end


class LogLines:
    """A logger that keeps its lines, each of which can be written as JSON and as text for people."""

    def __init__(self) -> None:
        self.lines: list[dict[str, object]] = []
        self._grown = asyncio.Event()

    def info(self, event: str, **fields: object) -> None:
        self._append({"event": event, "level": "info", **fields})

    def error(self, event: str, **fields: object) -> None:
        self._append({"event": event, "level": "error", **fields})

    def _append(self, line: dict[str, object]) -> None:
        for renderer in _RENDERERS:
            renderer(None, str(line["level"]), dict(line))
        self.lines.append(line)
        self._grown.set()

    async def wait_for(self, event: str, count: int) -> None:
        """Wait until there are so many lines of this event."""
        while len(self.named(event)) < count:
            self._grown.clear()
            await self._grown.wait()

    def named(self, event: str) -> list[dict[str, object]]:
        return [line for line in self.lines if line["event"] == event]


@dataclass(frozen=True)
class Reply:
    """One answer, whole; `body` is the parsed JSON where there is one."""

    status: int
    headers: Mapping[str, str]
    body: Any
    raw: bytes


@dataclass
class World:
    """What outlives one run of the server: its database (SQLite unless `ledgers` says otherwise), clocks, keys and journal."""

    directory: Path
    keys: KeyTable = field(default_factory=KeyTable)
    cached_keys: KeyTable | None = None
    wallets: WalletTable = field(default_factory=WalletTable)
    writes: WriteTable = field(default_factory=WriteTable)
    clock: FakeClock = field(default_factory=FakeClock)
    monotonic: FakeClock = field(default_factory=FakeClock)
    logs: LogLines = field(default_factory=LogLines)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    ledgers: LedgerWorld | None = None


@dataclass
class Server:
    """A running server: requests through a client, or bytes through a socket."""

    port: int
    session: aiohttp.ClientSession
    world: World
    runner: NodeRunner
    checker: OpenApiChecker

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        data: bytes | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request under `/core/v1` (or at a full path), its answer checked against the document."""
        sent = dict(headers or {})
        if key is not None:
            sent["X-Api-Key"] = key
        if body is not None:
            data = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        url = f"http://127.0.0.1:{self.port}{path if path.startswith('/core') else '/core/v1' + path}"
        # aiohttp warns of more bytes at once than that.
        content = io.BytesIO(data) if data is not None and len(data) > 2**20 else data
        async with self.session.request(method, url, data=content, headers=sent, allow_redirects=False) as response:
            raw = await response.read()
            parsed = json.loads(raw) if raw else None
            reply = Reply(response.status, response.headers, parsed, raw)
        if method != "OPTIONS":
            self.checker.check(method, path, reply.status, reply.headers, reply.body)
        return reply

    async def raw(self, data: bytes) -> bytes:
        """Send bytes as they are; everything answered until the server closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            await writer.drain()
            return await asyncio.wait_for(reader.read(), 20)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@contextlib.asynccontextmanager
async def serving(
    endpoints: Sequence[AnyEndpoint],
    world: World,
    limits: HttpSettings | None = None,
    addresses: ClientAddresses | None = None,
) -> AsyncIterator[Server]:
    """Serve until the context ends, then stop gracefully; a test in which the HTTP layer blocks the loop fails."""
    kept = world.directory / "kept"  # beside whatever ledger the test itself keeps there
    kept.mkdir(exist_ok=True)
    ledgers = world.ledgers or SqliteWorld(kept)
    books = await ledgers.open()
    services = HttpServices(
        callers=world.keys,
        cached_callers=world.cached_keys or world.keys,
        wallets=world.wallets,
        books=books,
        books_are_shared=ledgers.name == "postgres",
        keyring=EnclaveKeyring(ROOT, 31337, CONTRACT),
        writes=world.writes,
        runs=LostRuns(books, world.registry),
        registry=world.registry,
        addresses=addresses or ClientAddresses(),
        logger=world.logs,
        clock=Clock(unix=world.clock, monotonic=world.monotonic),
    )
    application = create_application(endpoints, services, ApiDescription("API", "1"), limits)
    runner = create_runner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/core/v1/openapi.json") as response:
                checker = OpenApiChecker(await response.json())
            with blockbuster_ctx("node.http") as blocking:
                # A file of procfs is no disk: listing the threads of a worker takes microseconds.
                blocking.functions["os.listdir"].can_block_in("node/engine/admission/priority.py", {"_schedule"})
                yield Server(port, session, world, runner, checker)
    finally:
        await runner.cleanup()
        await books.close()
