"""Asks a host for its attestation, over connections whose certificate is kept."""

import asyncio
import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import aiohttp
import dns.asyncresolver
import dns.exception
import dns.flags
import dns.inet
import dns.name
import dns.rdtypes.ANY.CAA
import dns.resolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import Connection as AiohttpConnection

from svc_verifier.addresses import HostAddress
from svc_verifier.errors import VerifierError
from svc_verifier.formats.certificate import parse_checksums
from svc_verifier.gathering.chain import read_bounded
from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.material import Answer, CaaAnswer, CaaRecord, Connection, MaybeAnswer, Missing


async def look_up_caa(
    host: str, limits: GatheringLimits, resolver: dns.asyncresolver.Resolver | None = None
) -> CaaAnswer | Missing:
    """The relevant records; aliases are followed by the resolver (the system's, unless named), the tree is climbed here."""
    if dns.inet.is_address(host):
        return Missing("an address has no CAA records")
    try:
        resolver = resolver or dns.asyncresolver.Resolver()
        resolver.use_edns(0, dns.flags.DO, 1_232)
        resolver.flags = dns.flags.RD | dns.flags.AD
        name = dns.name.from_text(host)
        authenticated = True
        while name != dns.name.root:
            records, secure = await _at(resolver, name, limits)
            authenticated = authenticated and secure
            if records:
                return CaaAnswer(name.to_text(omit_final_dot=True), records, authenticated)
            name = name.parent()
        return CaaAnswer("", (), authenticated)
    except (dns.exception.DNSException, OSError, ValueError) as error:
        return Missing(f"no answer from DNS ({type(error).__name__})")


async def _at(
    resolver: dns.asyncresolver.Resolver, name: dns.name.Name, limits: GatheringLimits
) -> tuple[tuple[CaaRecord, ...], bool]:
    """The records of one name, and whether the resolver says that DNSSEC vouches for them."""
    try:
        answer = await resolver.resolve(name, "CAA", raise_on_no_answer=False, lifetime=limits.dns_timeout_s)
    except dns.resolver.NXDOMAIN:
        return (), False
    secure = bool(answer.response.flags & dns.flags.AD)
    found = (record for record in answer.rrset or () if isinstance(record, dns.rdtypes.ANY.CAA.CAA))
    records = (
        CaaRecord(record.flags, record.tag.decode("latin-1"), record.value.decode("latin-1")) for record in found
    )
    return tuple(records), secure


FOLDER = "/evidences/"
CHECKSUMS = "sha256sum.txt"
QUOTE = "quote.json"


def _listed(checksums: Answer) -> list[str]:
    try:
        return [name for name in parse_checksums(checksums.body) if name not in {CHECKSUMS, QUOTE}]
    except VerifierError:
        return []


def peer_of(connection: AiohttpConnection) -> tuple[bytes | None, str]:
    """The certificate of a connection's other end in DER, and the protocol's version; None and empty without TLS."""
    transport = connection.transport
    secured = transport.get_extra_info("ssl_object") if transport is not None else None
    if secured is None:
        return None, ""
    return secured.getpeercert(binary_form=True), str(secured.version())


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
        self._proxy_url = proxy_url if held is None else None
        self._connections: list[Connection] = []
        self._web_pki = ""
        self._bytes_left = limits.host_bytes
        self._connector: WatchingConnector | HeldConnector
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
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
        self._connector = self._held or WatchingConnector(context)
        timeout = aiohttp.ClientTimeout(total=self._limits.request_timeout_s, connect=self._limits.connect_timeout_s)
        self._session = plain_session(timeout, self._connector, self._proxy_url)


def plain_session(
    timeout: aiohttp.ClientTimeout | None = None,
    connector: aiohttp.BaseConnector | None = None,
    proxy_url: str | None = None,
) -> aiohttp.ClientSession:
    """A session that takes nothing from its surroundings and unpacks nothing: a small body may unpack to a huge one.

    `proxy_url` is a proxy to go through; for https it carries a tunnel (CONNECT) and reads nothing.
    """
    return aiohttp.ClientSession(
        connector=connector,
        timeout=timeout or aiohttp.ClientTimeout(),
        proxy=proxy_url,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity", "User-Agent": "svc-verify"},
        auto_decompress=False,
        trust_env=False,
    )


def verified_context() -> ssl.SSLContext:
    """TLS by the system's roots. A connection keeps the certificate that it began with.

    The environment chooses no file for TLS secrets: `SSLKEYLOGFILE` would hand every session to whoever reads it.
    """
    context = ssl.create_default_context()
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.keylog_filename = None  # type: ignore[assignment] # documented to switch it off; typeshed knows only paths
    return context


def unverified_context() -> ssl.SSLContext:
    """TLS whose certificate is judged elsewhere: by the evidence, not by the Web PKI.

    It loads none of the system's roots, which would be half the CPU time of a look.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def fetch_evidence(host: Host, limits: GatheringLimits) -> Mapping[str, MaybeAnswer] | Missing:
    """The files by name; a file that cannot be had is `Missing` in its place."""
    checksums = await host.get(FOLDER + CHECKSUMS)
    if isinstance(checksums, Missing):
        return checksums
    files: dict[str, MaybeAnswer] = {CHECKSUMS: checksums, QUOTE: await host.get(FOLDER + QUOTE)}
    for name in _listed(checksums)[: limits.evidence_files]:
        files[name] = await host.get(FOLDER + name)
    return files
