"""Instances of one app behind a name, each with a TLS key of its own, and a balancer that chooses where a connection ends."""

import asyncio
import contextlib
import hashlib
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from aiohttp import web
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import JsonValue

from attest.evidence import ACCOUNT_FILE, QUOTE_FILE, SUMS_FILE, quote_file, sums_of
from attest.responses import Quote
from attest.statement import CanonicalConfig, Statement, padded_sha256
from devkit.tee_simulator.seed import seeded_key
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.gathering.collateral import CollateralSource
from svc_verifier.gathering.gather import Sources, fresh_nonce
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import Platform
from svc_verifier.trust import Trust
from tests.support import lies
from tests.support.attested.accounts import ADMIN_PAYER
from tests.support.attested.look import NOTHING_PINNED, certificate, development_trust, pem, spki_sha256
from tests.support.attested.td import NOW_S, Td
from tests.support.rpc_proxy import RpcProxy
from tests.support.tls import LOOPBACK
from tests.support.told_chain import CHAIN_ID, Told

HOST: Final = "localhost"
CONFIG: Final[dict[str, JsonValue]] = {"chain_id": CHAIN_ID, "domain": HOST}
"""The configuration that an application without an account contract attests."""
SEED: Final = hashlib.sha256(b"svc verifier tests: TLS").digest()
VERIFIERS_OWN: Final = ("/attestation", "/info", "/evidences/")


@dataclass
class Instance:
    """A server over TLS. `shown` is whose certificate its evidence holds: its own, or for a forger another's.

    `requests` are all that it got, in order, with paths as they were written; `told` those beside the verifier's own questions.
    """

    name: str
    td: Td = field(default_factory=Td)
    shown: str = ""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    closes_after: int | None = None
    """So many answers on a connection, then it is closed."""
    redirect: str = ""
    body: bytes = b""
    """Its answer to everything beside the verifier's questions, in place of its name."""
    last_on_connection: str = ""
    """After an answer to this path the connection is closed."""
    config: dict[str, JsonValue] = field(default_factory=lambda: CONFIG)
    """The configuration that it attests."""

    @property
    def told(self) -> list[tuple[str, str, dict[str, str]]]:
        return [request for request in self.requests if not request[1].startswith(VERIFIERS_OWN)]

    @cached_property
    def files(self) -> dict[str, bytes]:
        leaf = certificate(self.shown or self.name, HOST)
        files = {ACCOUNT_FILE: b'{"uri":"self-signed"}\n', f"cert-{HOST}.pem": pem(leaf)}
        sums = sums_of(files)
        quote = quote_file(Quote.model_validate(self.td.quote(padded_sha256(sums))))
        return {**files, SUMS_FILE: sums, QUOTE_FILE: quote}

    def attestation(self, nonce: str) -> dict[str, str]:
        sums = hashlib.sha256(self.files[SUMS_FILE]).digest()
        key = spki_sha256(certificate(self.shown or self.name, HOST))
        statement = Statement(nonce, HOST, [key], sums, CanonicalConfig(self.config), f"0x{ADMIN_PAYER.hex()}").text
        return {**self.td.quote(padded_sha256(statement.encode())), "statement": statement}

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append((request.method, request.raw_path, dict(request.headers)))
        response = self._response(request)
        if request.path == self.last_on_connection:
            response.force_close()
        if self.closes_after is not None:
            transport = request.transport
            assert transport is not None
            count = self._answers.get(transport, 0) + 1
            self._answers[transport] = count
            if count >= self.closes_after:
                response.force_close()
        return response

    @cached_property
    def _answers(self) -> dict[asyncio.Transport, int]:
        return {}

    def _response(self, request: web.BaseRequest) -> web.Response:
        if request.path == "/attestation":
            return web.json_response(self.attestation(request.query["nonce"]))
        if request.path == "/info":
            return web.Response(body=json.dumps(self.td.info()).encode())
        name = request.path.removeprefix("/evidences/")
        if name in self.files:
            return web.Response(body=self.files[name])
        if self.redirect:
            return web.Response(status=307, headers={"Location": self.redirect})
        return web.Response(body=self.body) if self.body else web.json_response({"instance": self.name})

    @asynccontextmanager
    async def running(self) -> AsyncIterator[int]:
        """The port on loopback."""
        runner = web.ServerRunner(web.Server(self.answer, access_log=None), shutdown_timeout=1.0)
        await runner.setup()
        site = web.TCPSite(runner, LOOPBACK, 0, ssl_context=self._context())
        await site.start()
        try:
            yield runner.addresses[0][1]
        finally:
            await runner.cleanup()

    def rotate(self, name: str) -> None:
        """Show the certificate of another name from now on, to new connections; the evidence is of it alone."""
        self.name = self.shown = name
        self.__dict__.pop("files", None)
        self._load(self._tls)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def _context(self) -> ssl.SSLContext:
        self._load(self._tls)
        return self._tls

    def _load(self, context: ssl.SSLContext) -> None:
        key = seeded_key(SEED, self.name).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        with TemporaryDirectory() as directory:
            both = Path(directory) / "both.pem"
            both.write_bytes(key + pem(certificate(self.name, HOST)))
            context.load_cert_chain(both)


class Balancer:
    """Passes each connection to the instance that is next; `next_port` says which."""

    def __init__(self, next_port: Callable[[], int]) -> None:
        self.next_port = next_port
        self.connections = 0
        self.port = 0
        self._pipes: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """End every connection that is open."""
        for writer in self._pipes:
            writer.transport.abort()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Balancer"]:
        tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(
            lambda reader, writer: tasks.add(asyncio.ensure_future(self._pass(reader, writer))), LOOPBACK, 0
        )
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await asyncio.sleep(0)  # a connection that was accepted just now has its task then
            while under_way := [task for task in tasks if not task.done()]:
                self.cut()
                await asyncio.wait(under_way, timeout=0.1)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            there_reader, there = await asyncio.open_connection(LOOPBACK, self.next_port())
        except OSError:
            writer.transport.abort()
            return
        self._pipes |= {writer, there}
        both = [asyncio.ensure_future(_copy(reader, there)), asyncio.ensure_future(_copy(there_reader, writer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for each in both:
            each.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        for end in (writer, there):
            self._pipes.discard(end)
            end.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


class _Collateral(CollateralSource):
    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        return json.dumps(Td().collateral)


@dataclass
class App:
    """Instances behind a balancer, and what their user trusts. Without an `order` connections go round."""

    instances: tuple[Instance, ...]
    trust: Trust
    balancer: Balancer
    chain: RpcProxy
    order: list[str] = field(default_factory=list)
    nonces: list[bytes] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"https://{HOST}:{self.balancer.port}"

    @property
    def address(self) -> HostAddress:
        return HostAddress.of(self.origin)

    def sources(self, proxy_url: str | None = None) -> Sources:
        def nonce() -> bytes:
            self.nonces.append(fresh_nonce())
            return self.nonces[-1]

        limits = GatheringLimits(look_timeout_s=60.0, rpc_timeout_s=30.0)
        return Sources(_Collateral(), nonce, lambda: NOW_S, limits, proxy_url)

    def tell_chain(self, told: Told) -> None:
        """From now on the chain says so."""
        self.chain.behaviour = lies.per_call(told)


ALLOWING: Final = Told(allowed=True, chain_id=CHAIN_ID)


@asynccontextmanager
async def running_app(*instances: Instance) -> AsyncIterator[App]:
    """The instances, their balancer and a provider of the chain, on loopback."""
    async with AsyncExitStack() as stack:
        ports = {each.name: await stack.enter_async_context(each.running()) for each in instances}
        chain = await stack.enter_async_context(RpcProxy(None).running())
        trust = development_trust(host=HOST, chain_id=CHAIN_ID, rpc_urls=(chain.url,), **NOTHING_PINNED)
        names = [each.name for each in instances]

        def next_port() -> int:
            if app.order:
                return ports[app.order.pop(0)]
            names.append(names.pop(0))
            return ports[names[-1]]

        balancer = await stack.enter_async_context(Balancer(next_port).running())
        app = App(instances, trust, balancer, chain)
        app.tell_chain(ALLOWING)
        yield app
