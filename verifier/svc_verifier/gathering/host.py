"""Asks a host for its attestation, over connections whose certificate is kept.

Everything fetched has a ceiling in time and size (`GatheringLimits`): the other side may be hostile.
"""

import asyncio
import functools
import ssl
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import Connection as AiohttpConnection

from svc_verifier.formats.addresses import HostAddress
from svc_verifier.material import Answer, Connection, MaybeAnswer, Missing


@dataclass(frozen=True, slots=True)
class GatheringLimits:
    """Times are seconds from a call to its last byte."""

    connect_timeout_s: float = 10.0
    request_timeout_s: float = 40.0
    """Time for an answer of the host; a quote with a nonce waits for the hardware."""
    look_timeout_s: float = 30.0
    """Everything that one look fetches, from whomever (`--timeout`)."""
    body_bytes: int = 4_194_304
    """Largest answer of the host."""
    host_bytes: int = 6_291_456
    """All answers of the host together: with the others they fit into a bundle."""
    evidence_files: int = 32
    """Files of an evidence set that are fetched."""
    rpc_timeout_s: float = 15.0
    rpc_total_timeout_s: float = 60.0
    """All answers of the providers together, where they are asked apart from a look."""
    rpc_bytes: int = 1_048_576
    """Largest answer of a JSON-RPC provider. It is read in the caller's event loop; more events are asked for in parts."""
    rpc_total_bytes: int = 16_777_216
    """All answers of one provider together, most of them block headers of which a few bytes are kept."""
    rpc_kept_bytes: int = 1_048_576
    """Code, results and events that are kept of one provider; a bundle holds them in hex."""
    rpc_logs: int = 2_048
    """Events of one contract; each takes a place in the bundle, and its block one request."""
    rpc_log_ranges: int = 64
    """Requests for events to one provider, each half as long as one that was refused."""
    rpc_log_blocks_min: int = 1_000
    """A range that is not halved any more."""
    collateral_timeout_s: float = 20.0
    collateral_cache_s: int = 86_400
    """Age up to which fetched collateral is used: it stays valid for a month, but a newer one may know more."""
    dns_timeout_s: float = 5.0


def peer_of(connection: AiohttpConnection) -> tuple[bytes | None, str]:
    """The certificate of a connection's other end in DER, and the protocol's version; None and empty without TLS."""
    transport = connection.transport
    secured = transport.get_extra_info("ssl_object") if transport is not None else None
    if secured is None:
        return None, ""
    # In DER: the decoded form is empty where the certificate was not validated.
    return secured.getpeercert(binary_form=True), str(secured.version())


class WatchingConnector(aiohttp.TCPConnector):
    """Keeps, for the connection it handed out last, the peer's certificate and the protocol version."""

    def __init__(self, context: ssl.SSLContext) -> None:
        # One connection at a time, so that the certificate kept here is that of the body being read.
        super().__init__(ssl=context, limit=1)
        self.peer_der: bytes | None = None
        self.version = ""

    async def connect(
        self,
        req: ClientRequest,
        traces: "list[aiohttp.tracing.Trace]",
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> AiohttpConnection:
        """Hand out a connection, and read who is at its other end."""
        # aiohttp drops `response.connection` once a small body is read, so the peer is noted here, before any request.
        connection = await super().connect(req, traces, timeout)
        self.peer_der, self.version = peer_of(connection)
        return connection


class HeldConnector(aiohttp.BaseConnector):
    """Hands out one connection that is open already, and never opens another. Closing it leaves that connection open."""

    def __init__(self, connection: AiohttpConnection) -> None:
        super().__init__(limit=1)
        self._held = connection.protocol
        self.peer_der, self.version = peer_of(connection)
        self.is_open = self._held is not None and self._held.is_connected()

    async def _create_connection(
        self,
        req: ClientRequest,  # noqa: ARG002 - aiohttp's own signature
        traces: "list[aiohttp.tracing.Trace]",  # noqa: ARG002 - likewise
        timeout: aiohttp.ClientTimeout,  # noqa: ARG002, ASYNC109 - likewise
    ) -> ResponseHandler:
        # Never a new connection in its place: the answer would come from a peer nobody looked at.
        if not self.is_open or self._held is None or not self._held.is_connected():
            self.is_open = False
            raise aiohttp.ClientConnectionError("the connection has ended")
        return self._held

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        """After an answer that was read to its end the connection can be used again, by its holder too."""
        self._release_acquired(key, protocol)
        self.is_open = self.is_open and not should_close and not protocol.should_close


class Host:
    """Client of one host. Use it as an async context manager, with one request at a time.

    A certificate that the Web PKI does not accept is looked at all the same: whether that matters is not decided here.
    With `held`, everything goes over that one connection.
    """

    def __init__(
        self,
        address: HostAddress,
        limits: GatheringLimits,
        until_s: float,
        held: HeldConnector | None = None,
        proxy_url: str | None = None,
    ) -> None:
        self._address = address
        self._limits = limits
        self._until_s = until_s
        self._held = held
        # A held connection goes through the proxy already.
        self._proxy_url = proxy_url if held is None else None
        self._connections: list[Connection] = []
        self._web_pki = ""
        self._bytes_left = limits.host_bytes
        self._connector: WatchingConnector | HeldConnector
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        # In a thread: the system's roots are a file of hundreds of certificates, and OpenSSL lets others run meanwhile.
        self._open(await asyncio.to_thread(verified_context))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    @property
    def connections(self) -> tuple[Connection, ...]:
        """Every distinct connection seen; `Answer.connection` counts into it."""
        return tuple(self._connections)

    async def get(self, path: str) -> MaybeAnswer:
        """GET a path of the host, without following redirects."""
        try:
            async with asyncio.timeout_at(self._until_s):
                return await self._get_from_anybody(path)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            return Missing(f"{path}: {self._address.name} gave no answer ({type(error).__name__})")

    async def _get_from_anybody(self, path: str) -> MaybeAnswer:
        """A certificate the Web PKI does not accept is noted, and looked at all the same."""
        try:
            return await self._get(path)
        except aiohttp.ClientConnectorCertificateError as error:
            reason = getattr(error.certificate_error, "verify_message", None) or "it is not accepted"
            # The reason is kept for `tls.web-pki`; evidence is fetched all the same, so that the report can say what
            # the host is.
            await self._session.close()
            self._web_pki = str(reason)
            self._open(unverified_context())
            return await self._get(path)

    async def _get(self, path: str) -> MaybeAnswer:
        async with self._session.get(self._address.origin + path, allow_redirects=False) as response:
            number = self._seen()
            # Two ceilings: one answer, and all answers of a host that gives many just below the first.
            limit = min(self._limits.body_bytes, self._bytes_left)
            body = await read_bounded(response, limit)
            if body is None:
                self._bytes_left = 0 if limit < self._limits.body_bytes else self._bytes_left - limit
                return Missing(f"{path} answers with more than {limit} bytes")
            self._bytes_left -= len(body)
            return Answer(response.status, body, number)

    def _seen(self) -> int:
        """The number of the connection in use."""
        peer = self._connector.peer_der
        connection = Connection((peer,) if peer is not None else (), self._connector.version, self._web_pki)
        # By certificate and TLS version: reconnecting to the same peer is one connection to the checks, another peer is
        # a second.
        if connection not in self._connections:
            self._connections.append(connection)
        return self._connections.index(connection)

    def _open(self, context: ssl.SSLContext) -> None:
        self._connector = self._held or WatchingConnector(context)
        timeout = aiohttp.ClientTimeout(total=self._limits.request_timeout_s, connect=self._limits.connect_timeout_s)
        self._session = plain_session(timeout, self._connector, self._proxy_url)


async def read_bounded(response: aiohttp.ClientResponse, limit_bytes: int) -> bytes | None:
    """The body; None when it is longer."""
    body = bytearray()
    async for block in response.content.iter_chunked(65_536):
        body += block
        if len(body) > limit_bytes:
            return None
    return bytes(body)


def plain_session(
    timeout: aiohttp.ClientTimeout | None = None,
    connector: aiohttp.BaseConnector | None = None,
    proxy_url: str | None = None,
) -> aiohttp.ClientSession:
    """A session that takes nothing from its surroundings and unpacks nothing: a small body may unpack to a huge one.

    `proxy_url` is a proxy to go through; for https it carries a tunnel (CONNECT) and reads nothing.
    """
    return aiohttp.ClientSession(
        # The library's own context, for which no connector is needed, writes its keys to SSLKEYLOGFILE.
        connector=connector or aiohttp.TCPConnector(ssl=shared_context()),
        timeout=timeout or aiohttp.ClientTimeout(),
        proxy=proxy_url,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity", "User-Agent": "svc-verify"},
        # Limits count bytes as they arrive.
        auto_decompress=False,
        # HTTP_PROXY and .netrc belong to whoever set the environment.
        trust_env=False,
    )


def verified_context() -> ssl.SSLContext:
    """TLS by the system's roots. A connection keeps the certificate that it began with.

    The environment chooses no file for TLS secrets: `SSLKEYLOGFILE` would hand every session to whoever reads it.
    """
    # Not ssl.create_default_context, which opens that file. PROTOCOL_TLS_CLIENT checks certificates and names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.load_default_certs()
    return context


@functools.cache
def shared_context() -> ssl.SSLContext:
    """The same for sessions that look at no certificate themselves. Made once, since reading the roots takes some milliseconds."""
    return verified_context()


def unverified_context() -> ssl.SSLContext:
    """TLS whose certificate is judged elsewhere: by the evidence, not by the Web PKI.

    It loads none of the system's roots, which would be half the CPU time of a look.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.check_hostname = False
    # Nothing is believed for it: the certificate is compared with the evidence set and the statement's keys.
    context.verify_mode = ssl.CERT_NONE
    return context
