"""TLS parts for tests: a served certificate on a real port, the evidence that goes with it, and clients."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from attest.certificates.challenges import TlsAlpnSolver, TlsFront
from attest.certificates.port import Certificate
from attest.certificates.serving import ServedCertificate
from node.http.listener import TlsListener
from node.http.rate import Proxies

LOOPBACK = "127.0.0.1"


class Shown:
    """One prepared set of a `RecordedEvidence`."""

    def __init__(self, evidence: "RecordedEvidence", leaf: bytes) -> None:
        self._evidence = evidence
        self._leaf = leaf

    def publish(self) -> None:
        self._evidence.published.append(self._leaf)


@dataclass
class RecordedEvidence:
    """Notes which certificates were shown, in order; `ready` holds back a set until the test lets it be complete."""

    published: list[bytes] = field(default_factory=list)
    accounts: list[bytes] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.ready.set()

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> Shown:
        self.accounts.append(acme_account)
        self.asked.set()
        await self.ready.wait()
        if self.failures:
            raise self.failures.pop(0)
        return Shown(self, certificates[0].leaf_der)


class NoLog:
    """Keeps what was logged."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def info(self, event: str, **fields: object) -> None:
        self.events.append((event, fields))

    warning = error = info


@dataclass
class TlsPort:
    """A port with TLS, and what decides which certificate it shows."""

    port: int
    served: ServedCertificate
    evidence: RecordedEvidence
    proofs: TlsAlpnSolver
    listener: TlsListener
    clients: list[str | None]
    """Whom proxies named, one entry a connection on which TLS began."""

    async def under_way(self, count: int, client: str | None = None) -> None:
        """Wait until so many handshakes are, of all or of one client."""
        async with asyncio.timeout(30):
            while count != (  # noqa: ASYNC110 - the listener tells nobody
                len(self.listener._handshakes) if client is None else self.listener._by_address[client]
            ):
                await asyncio.sleep(0.01)


async def _hello(_: web.BaseRequest) -> web.Response:
    return web.Response(text="hello")


@contextlib.asynccontextmanager
async def tls_port(handshakes_max: int = 1024, proxies: Proxies | None = None) -> AsyncIterator[TlsPort]:
    """Answers `hello` to every request, once `served` has a certificate."""
    evidence, proofs = RecordedEvidence(), TlsAlpnSolver()
    served = ServedCertificate(evidence)
    server = web.Server(_hello)
    front = TlsFront(served, proofs)
    clients: list[str | None] = []

    def hello(client: str | None) -> asyncio.BaseProtocol:
        clients.append(client)
        return server()

    listener = TlsListener(hello, front, handshakes_max, proxies or Proxies(), NoLog())
    await listener.start(LOOPBACK, 0)
    try:
        yield TlsPort(listener.port, served, evidence, proofs, listener, clients)
    finally:
        await listener.close()
        await server.shutdown(1.0)


def trusting_nobody() -> ssl.SSLContext:
    """A client's context that takes any certificate, to look at it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@contextlib.asynccontextmanager
async def connection(
    port: int, name: str, context: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A TLS connection; closed in the end."""
    reader, writer = await asyncio.open_connection(
        LOOPBACK, port, ssl=context or trusting_nobody(), server_hostname=name
    )
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def peer_leaf(writer: asyncio.StreamWriter) -> bytes:
    """The certificate this very connection was shown, DER."""
    leaf: bytes = writer.get_extra_info("ssl_object").getpeercert(True)
    return leaf


async def shown_leaf(port: int, name: str) -> bytes:
    """The certificate a new connection is shown, DER."""
    async with connection(port, name) as (_, writer):
        return peer_leaf(writer)
