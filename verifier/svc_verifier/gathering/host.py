"""Fetches from the host over TLS, knowing for every answer the certificate of the connection that carried it.

Two looks at a host can meet two different ends (hole 5), so nothing is asked about the certificate apart: it is read from
the connection itself at the moment a request takes it. Requests go one after the other over one kept-alive connection.
"""

import asyncio
import ssl
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import Connection as AiohttpConnection

from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.gathering.rpc import read_bounded
from svc_verifier.host_address import HostAddress
from svc_verifier.material import Answer, Connection, MaybeAnswer, Missing


class WatchingConnector(aiohttp.TCPConnector):
    """Keeps, for the connection it handed out last, the peer's certificate and the protocol version."""

    def __init__(self, context: ssl.SSLContext) -> None:
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
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        secured = transport.get_extra_info("ssl_object") if transport is not None else None
        self.peer_der = secured.getpeercert(binary_form=True) if secured is not None else None
        self.version = str(secured.version()) if secured is not None else ""
        return connection


class Host:
    """One host. Use as an async context manager; ask for one thing at a time.

    A certificate that the Web PKI does not accept is looked at all the same: whether that matters is not decided here.
    """

    def __init__(self, address: HostAddress, limits: GatheringLimits) -> None:
        self._address = address
        self._limits = limits
        self._connections: list[Connection] = []
        self._web_pki = ""
        self._bytes_left = limits.host_bytes
        self._until_s: float
        self._connector: WatchingConnector
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        self._until_s = asyncio.get_running_loop().time() + self._limits.host_timeout_s
        self._open(verified_context())
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
            await self._session.close()
            self._web_pki = str(reason)
            self._open(unverified_context())
            return await self._get(path)

    async def _get(self, path: str) -> MaybeAnswer:
        async with self._session.get(self._address.origin + path, allow_redirects=False) as response:
            number = self._seen()
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
        if connection not in self._connections:
            self._connections.append(connection)
        return self._connections.index(connection)

    def _open(self, context: ssl.SSLContext) -> None:
        self._connector = WatchingConnector(context)
        timeout = aiohttp.ClientTimeout(total=self._limits.request_timeout_s, connect=self._limits.connect_timeout_s)
        self._session = plain_session(timeout, self._connector)


def plain_session(
    timeout: aiohttp.ClientTimeout | None = None, connector: aiohttp.TCPConnector | None = None
) -> aiohttp.ClientSession:
    """A session that takes nothing from its surroundings and unpacks nothing: a small body may unpack to a huge one."""
    return aiohttp.ClientSession(
        connector=connector,
        timeout=timeout or aiohttp.ClientTimeout(),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity", "User-Agent": "svc-verify"},
        auto_decompress=False,
        trust_env=False,
    )


def verified_context() -> ssl.SSLContext:
    """TLS by the system's roots. A connection keeps the certificate that it began with."""
    context = ssl.create_default_context()
    context.options |= ssl.OP_NO_RENEGOTIATION
    return context


def unverified_context() -> ssl.SSLContext:
    """TLS whose certificate is judged elsewhere: by the evidence, not by the Web PKI."""
    context = verified_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
