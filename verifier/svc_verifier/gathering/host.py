"""Asks a host for its attestation, over connections whose certificate is kept.

Everything has a limit of time and size (`GatheringLimits`), since the host may be hostile.
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
from svc_verifier.material import Connection, HttpResponse, MaybeResponse, Missing


@dataclass(frozen=True, slots=True)
class GatheringLimits:
    """Limits of fetching. Times are seconds from a call to its last byte."""

    connect_timeout_s: float = 10.0
    request_timeout_s: float = 40.0
    """Longest response of the host, whose quote with a nonce waits for the hardware."""
    look_timeout_s: float = 30.0
    """Longest fetching of one verification, from all sources (`--timeout`)."""
    body_bytes: int = 4_194_304
    """Largest response of the host."""
    host_bytes: int = 6_291_456
    """Largest sum of the host's responses. With the others they fit into a bundle."""
    evidence_files: int = 32
    """Files of an evidence set that are fetched."""
    rpc_timeout_s: float = 15.0
    rpc_total_timeout_s: float = 60.0
    """Longest wait for all providers together, if they are asked apart from a verification."""
    rpc_bytes: int = 1_048_576
    """Largest reply of a JSON-RPC provider, which is read in the caller's event loop."""
    rpc_total_bytes: int = 16_777_216
    """Largest sum of one provider's replies, most of them block headers."""
    rpc_kept_bytes: int = 1_048_576
    """Bytes of code, results and events that are kept of one provider, in a bundle as hex."""
    rpc_logs: int = 2_048
    """Events of one contract. Each takes a place in the bundle, and its block one request."""
    rpc_log_ranges: int = 64
    """Requests for events to one provider, each half as long as a refused one."""
    rpc_log_blocks_min: int = 1_000
    """Blocks of a range that is not halved any more."""
    collateral_timeout_s: float = 20.0
    collateral_cache_s: int = 86_400
    """Seconds for which fetched collateral is used. It is valid for a month, but may be old."""
    dns_timeout_s: float = 5.0


def peer_of(connection: AiohttpConnection) -> tuple[bytes | None, str]:
    """Returns a connection's peer certificate in DER and its TLS version; None without TLS."""
    transport = connection.transport
    secured = transport.get_extra_info("ssl_object") if transport is not None else None
    if secured is None:
        return None, ""
    # In DER, since the decoded form is empty if the certificate was not validated.
    return secured.getpeercert(binary_form=True), str(secured.version())


class WatchingConnector(aiohttp.TCPConnector):
    """Keeps the peer certificate and TLS version of the connection it handed out last."""

    def __init__(self, context: ssl.SSLContext) -> None:
        # One connection at a time, so that the kept certificate is that of the read body.
        super().__init__(ssl=context, limit=1)
        self.peer_der: bytes | None = None
        self.version = ""

    async def connect(
        self,
        req: ClientRequest,
        traces: "list[aiohttp.tracing.Trace]",
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> AiohttpConnection:
        """Hand out a connection, and note its peer."""
        # aiohttp drops `response.connection` after a small body, so the peer is noted before.
        connection = await super().connect(req, traces, timeout)
        self.peer_der, self.version = peer_of(connection)
        return connection


class HeldConnector(aiohttp.BaseConnector):
    """Hands out one open connection, never a new one. Closing it leaves the connection open."""

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
        # Never a new connection instead, since its peer would be unverified.
        if not self.is_open or self._held is None or not self._held.is_connected():
            self.is_open = False
            raise aiohttp.ClientConnectionError("the connection has ended")
        return self._held

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        """Keep the connection, which its holder can use again after a whole response."""
        self._release_acquired(key, protocol)
        self.is_open = self.is_open and not should_close and not protocol.should_close


class Host:
    """Client of one host. Use it as an async context manager, with one request at a time.

    A certificate that the Web PKI rejects is fetched all the same, since a check decides on it.
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
        # In a thread, since the system's roots are hundreds of certificates.
        self._open(await asyncio.to_thread(verified_context))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    @property
    def connections(self) -> tuple[Connection, ...]:
        """Every distinct connection, to which the numbers in responses refer."""
        return tuple(self._connections)

    async def get(self, path: str) -> MaybeResponse:
        """GET a path of the host, without following redirects."""
        try:
            async with asyncio.timeout_at(self._until_s):
                return await self._get_from_anybody(path)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            return Missing(f"{path}: {self._address.name} gave no answer ({type(error).__name__})")

    async def _get_from_anybody(self, path: str) -> MaybeResponse:
        """GET a path, also over a certificate that the Web PKI rejects, which is noted."""
        try:
            return await self._get(path)
        except aiohttp.ClientConnectorCertificateError as error:
            reason = getattr(error.certificate_error, "verify_message", None) or "it is not accepted"
            # The reason is kept for `tls.web-pki`. Evidence is fetched all the same, so that the
            # report can say what the host is.
            await self._session.close()
            self._web_pki = str(reason)
            self._open(unverified_context())
            return await self._get(path)

    async def _get(self, path: str) -> MaybeResponse:
        async with self._session.get(self._address.origin + path, allow_redirects=False) as response:
            number = self._seen()
            # One limit for a response, and one for all responses of the host.
            limit = min(self._limits.body_bytes, self._bytes_left)
            body = await read_bounded(response, limit)
            if body is None:
                self._bytes_left = 0 if limit < self._limits.body_bytes else self._bytes_left - limit
                return Missing(f"{path} answers with more than {limit} bytes")
            self._bytes_left -= len(body)
            return HttpResponse(response.status, body, number)

    def _seen(self) -> int:
        """Returns the number of the connection in use."""
        peer = self._connector.peer_der
        connection = Connection((peer,) if peer is not None else (), self._connector.version, self._web_pki)
        # By certificate and TLS version, so a reconnection to the same peer is no other connection
        # to the checks.
        if connection not in self._connections:
            self._connections.append(connection)
        return self._connections.index(connection)

    def _open(self, context: ssl.SSLContext) -> None:
        self._connector = self._held or WatchingConnector(context)
        timeout = aiohttp.ClientTimeout(total=self._limits.request_timeout_s, connect=self._limits.connect_timeout_s)
        self._session = plain_session(timeout, self._connector, self._proxy_url)


async def read_bounded(response: aiohttp.ClientResponse, limit_bytes: int) -> bytes | None:
    """Returns the body; None when it is longer."""
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
    """Returns a session that ignores its environment and decompresses nothing.

    `proxy_url` is a proxy, which for https carries a tunnel (CONNECT) and reads nothing.
    """
    return aiohttp.ClientSession(
        # Without a connector the library's own context would write keys to SSLKEYLOGFILE.
        connector=connector or aiohttp.TCPConnector(ssl=shared_context()),
        timeout=timeout or aiohttp.ClientTimeout(),
        proxy=proxy_url,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity", "User-Agent": "svc-verify"},
        # Limits count bytes as they arrive.
        auto_decompress=False,
        # HTTP_PROXY and .netrc come from the environment, which is not trusted.
        trust_env=False,
    )


def verified_context() -> ssl.SSLContext:
    """Returns TLS by the system's roots. A connection keeps its first certificate."""
    context = _client_context()
    context.load_default_certs()
    return context


@functools.cache
def shared_context() -> ssl.SSLContext:
    """Returns a shared `verified_context`, since reading the roots takes some milliseconds."""
    return verified_context()


def unverified_context() -> ssl.SSLContext:
    """Returns TLS whose certificate is judged by the evidence, not by the Web PKI.

    It loads none of the system's roots, which would be half the CPU time of a verification.
    """
    context = _client_context()
    context.check_hostname = False
    # The certificate is compared with the evidence set and the statement's keys instead.
    context.verify_mode = ssl.CERT_NONE
    return context


def _client_context() -> ssl.SSLContext:
    # Not ssl.create_default_context, which would write every session's keys to SSLKEYLOGFILE, and
    # from Python 3.13 on refuse a private authority whose certificates have no key identifiers.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.verify_flags = ssl.VerifyFlags.VERIFY_X509_TRUSTED_FIRST
    return context
