"""Sessions whose connections are verified before the first request."""

import asyncio
import json
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from weakref import WeakSet

import aiohttp
from yarl import URL

from svc_verifier.addresses import HTTPS_PORT, HostAddress
from svc_verifier.check import Report, Status, Verdict
from svc_verifier.checks.tls import connection_leaf
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_leaf_der
from svc_verifier.formats.info import AttestedConfig, parse_attested_config
from svc_verifier.formats.strict_json import Json, parse_json
from svc_verifier.gathering.gather import Sources, gather
from svc_verifier.gathering.gather import sources as usual_sources
from svc_verifier.gathering.host import (
    HeldConnector,
    peer_of,
    plain_session,
    read_bounded,
    unverified_context,
    verified_context,
)
from svc_verifier.material import Material
from svc_verifier.trust import Trust
from svc_verifier.worker import JUDGING_S, Worker

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection

_AS_WRITTEN: Final = re.compile(r"/(?!/)[!\"$-~]*")
"""Printable ASCII but `#`, after one slash (RFC 3986 4.2: two begin another authority)."""
CONNECTIONS: Final = 3
"""Tried for one request: a kept connection may have ended unseen, and a server may close one after its evidence."""


def boot_time_s() -> float:
    """Seconds that also pass while the machine sleeps: an attestation ages meanwhile."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Rules of a session."""

    reverify_after_s: float = 3_600.0
    """A key attested longer ago is attested again before the next request: approvals are withdrawn, platforms age."""
    rest_s: float = 5.0
    """For so long a key that was refused is refused without another look."""
    keys: int = 16
    """Keys that are remembered, attested or refused; a host may be several machines."""
    request_timeout_s: float = 300.0
    """Seconds for a request, its verification included, unless the caller says otherwise."""
    body_bytes: int = 16_777_216
    """Largest response body, in bytes."""


DEFAULT_LIMITS: Final = SessionLimits()


class Attestation:
    """The keys that were attested or refused, each with the time at which it was.

    `latest` is the verification that was made last; None before the first. One that decided nothing does not take the place of one
    whose key is in use.
    """

    def __init__(
        self,
        address: HostAddress,
        trust: Trust,
        sources: Sources,
        limits: SessionLimits,
        clock: Callable[[], float],
    ) -> None:
        self.address: Final = address
        self._trust = trust
        self._sources = sources
        self._limits = limits
        self._clock = clock
        self._attested: dict[bytes, float] = {}
        self._refused: dict[bytes, float] = {}
        self._refusals: dict[bytes, NotAcceptedError] = {}
        # One look at a time: many requests that meet a new key wait for one verification instead of each starting its
        # own.
        self._lock = asyncio.Lock()
        self.latest: Verification | None = None

    async def open(self) -> None:
        """Verify the host over a connection of its own. Raises NotAcceptedError."""
        await self._attest(None)

    def is_attested(self, key: bytes) -> bool:
        """Whether a key is attested, and recently enough."""
        return _is_within(self._attested, key, self._clock(), self._limits.reverify_after_s)

    async def require(self, connection: "Connection") -> None:
        """Prove who is at the other end, perhaps by verifying over this connection, one at a time.

        Raises NotAcceptedError, and VerifierError(NOT_ACCEPTED, UNREACHABLE).
        """
        key = _peer_key(connection)
        if self.is_attested(key):
            return
        async with self._lock:
            if self.is_attested(key):
                return
            if _is_within(self._refused, key, self._clock(), self._limits.rest_s):
                refusal = self._refusals.get(key)
                raise _unknown_key(self.address) if refusal is None else NotAcceptedError(refusal.report)
            # Over this very connection: evidence fetched by another one could come from another machine behind the same
            # name.
            held = HeldConnector(connection)
            try:
                attested = await self._attest(held)
            except NotAcceptedError as error:
                # The peer hung up in the middle: nothing was learned of its key, and the next connection may fare
                # better.
                if error.report.verdict is Verdict.UNDECIDED and not held.is_open:
                    raise VerifierError(VerifierErrorCode.UNREACHABLE, "the connection ended meanwhile") from error
                # Refused for a while: an impostor must not be able to make each request cost a whole verification.
                self._remember(self._refused, key)
                self._refusals = {key: error}
                raise
            # The host as verified ends TLS with another key than this connection: nothing may be sent on it.
            if attested != key:
                raise _unknown_key(self.address)

    async def _attest(self, held: HeldConnector | None) -> bytes:
        # Before the look: an attestation is as old as its first byte, however long the rest took.
        started_s = self._clock()
        verification = await look(self.address, self._trust, self._sources, held)
        # A stranger's connection that shows no evidence says nothing of the instance whose key is in use.
        if verification.report.verdict is not Verdict.UNDECIDED or not self._is_latest_in_use():
            self.latest = verification
        if verification.report.verdict is Verdict.REJECTED:
            self._attested.clear()  # what speaks against one instance may speak against all: each is looked at again
        key = verification.attested_key
        self._remember(self._attested, key, started_s)
        return key

    def _is_latest_in_use(self) -> bool:
        latest = self.latest
        accepted = latest if latest is not None and latest.report.verdict is Verdict.ACCEPTED else None
        return accepted is not None and self.is_attested(accepted.attested_key)

    def _remember(self, keys: dict[bytes, float], key: bytes, at_s: float | None = None) -> None:
        keys.pop(key, None)
        keys[key] = self._clock() if at_s is None else at_s
        while len(keys) > self._limits.keys:
            del keys[next(iter(keys))]


class AttestedConnector(aiohttp.TCPConnector):
    """Hands out connections whose other end holds an attested key, and no others."""

    def __init__(self, attestation: Attestation, context: ssl.SSLContext) -> None:
        super().__init__(ssl=context)
        self._attestation = attestation
        self._handed_out: WeakSet[object] = WeakSet()

    async def connect(
        self,
        req: "ClientRequest",
        traces: "list[aiohttp.tracing.Trace]",
        timeout: "aiohttp.ClientTimeout",  # noqa: ASYNC109 - aiohttp's own signature
    ) -> "Connection":
        """A proven connection. Raises VerifierError for another host and for a key that is not attested."""
        # Before any connection is made: a redirect or a wrong URL must not carry a request to another host.
        if not _is_to(req, self._attestation.address):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, f"this session is with {self._attestation.address.name}")
        refusal: VerifierError | None = None
        attempts = 0
        while attempts < CONNECTIONS:
            connection = await super().connect(req, traces, timeout)
            # The pool may hand out a connection that was proven once; whether its key still is, is asked again.
            is_kept = connection.protocol in self._handed_out
            # Only new connections count: kept ones are finitely many, and each that is refused is closed.
            attempts += not is_kept
            try:
                await self._attestation.require(connection)
            except VerifierError as error:
                _abort(connection)
                if error.code is not VerifierErrorCode.UNREACHABLE:
                    if not is_kept:
                        raise refusal or error from None
                    # A connection from before a change of certificate has no evidence any more; a new one has.
                    refusal = refusal or error
                continue
            # Cancelled in the middle of a verification: an unproven connection must not go back to the pool.
            except BaseException:
                _abort(connection)
                raise
            if not _is_spent(connection):
                self._handed_out.add(connection.protocol)
                # From here on bytes of the request may leave; until here only the verifier's own did (spec 13.4).
                _REACHED.get().is_proven = True
                return connection
            _abort(connection)
        if refusal is not None:
            raise refusal
        message = f"{self._attestation.address.name} ends each connection before a request can be sent on it"
        raise VerifierError(VerifierErrorCode.UNREACHABLE, message)


def _abort(connection: "Connection") -> None:
    """End a connection on which nothing was sent. TLS would wait half a minute for the other end's farewell."""
    if connection.transport is not None:
        connection.transport.abort()
    connection.close()


@dataclass(slots=True)
class _Reached:
    """Progress of one request. `is_proven`: it had a connection to send on, so bytes of it may have left."""

    is_proven: bool = False


_REACHED: Final[ContextVar[_Reached]] = ContextVar("_REACHED")


class NoAnswerError(VerifierError):
    """A request had no answer. `was_sent` is False where no byte of it can have left."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(VerifierErrorCode.UNREACHABLE, message)
        self.was_sent = was_sent


def _is_within(keys: dict[bytes, float], key: bytes, now_s: float, length_s: float) -> bool:
    at_s = keys.get(key)
    # A clock that went backwards makes the attestation count as old, never as young.
    return at_s is not None and 0 <= now_s - at_s < length_s


def _is_to(request: "ClientRequest", address: HostAddress) -> bool:
    """Whether a request goes to this host by TLS."""
    there = urlsplit(address.origin)
    return request.url.scheme == "https" and (request.url.host, request.url.port) == (
        there.hostname,
        there.port or HTTPS_PORT,
    )


def _is_spent(connection: "Connection") -> bool:
    """Whether nothing more can be sent on a connection."""
    protocol, transport = connection.protocol, connection.transport
    return protocol is None or transport is None or transport.is_closing() or protocol.should_close


def _peer_key(connection: "Connection") -> bytes:
    peer, _ = peer_of(connection)
    # No key without TLS: the empty one is never attested, since an attested key comes from a leaf.
    return parse_leaf_der(peer).spki_sha256 if peer is not None else b""


def _unknown_key(address: HostAddress) -> VerifierError:
    message = f"{address.name} showed a key that is not attested; nothing was sent to it"
    return VerifierError(VerifierErrorCode.NOT_ACCEPTED, message)


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of one verification: everything fetched, and the report on it."""

    material: Material
    report: Report

    @property
    def attested_key(self) -> bytes:
        """SHA-256 of the SubjectPublicKeyInfo at which TLS ends inside the TD.

        Raises NotAcceptedError unless the host was accepted.
        """
        leaf = connection_leaf(self.material)
        # Undecided is not accepted: a host that keeps evidence back must not be better off than one that lies.
        if self.report.verdict is not Verdict.ACCEPTED or leaf is None:
            raise NotAcceptedError(self.report)
        return leaf.spki_sha256

    @property
    def attested_config(self) -> AttestedConfig:
        """The configuration that the host attests; nothing of it where its statement did not pass."""
        from svc_verifier.checks.freshness import STATEMENT  # noqa: PLC0415 - with libraries that a first call does without

        statement = next((check for check in self.report.checks if check.id == STATEMENT), None)
        # Settings outside of a statement that passed are the host's word.
        if statement is None or statement.status is not Status.PASSED:
            return AttestedConfig()
        return parse_attested_config(statement.evidence["statement"])


class NotAcceptedError(VerifierError):
    """The host was rejected, or nothing could be decided; `report` says why."""

    def __init__(self, report: Report) -> None:
        decisive = [f"{check.id}: {check.why}" for check in report.causes]
        message = f"{report.host} is {report.verdict}: {'; '.join(decisive)[:1_000]}"
        super().__init__(VerifierErrorCode.NOT_ACCEPTED, message)
        self.report = report


async def look(address: HostAddress, trust: Trust, sources: Sources, held: HeldConnector | None = None) -> Verification:
    """Look at a host and judge it, over the connection `held` where one is given. Nothing is raised for what it sends.

    It takes `look_timeout_s` and less than two seconds more. The loop reads and writes; the work is a process's.
    """
    until_s = asyncio.get_running_loop().time() + sources.limits.look_timeout_s + JUDGING_S
    async with Worker() as worker:
        material = await gather(address, trust, sources, held, worker)
        return Verification(material, await worker.judge(material, trust, until_s))


NESTING: Final = 64


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer. Header names are in lower case; of one that comes twice the last counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """The body as JSON. Raises VerifierError(NOT_JSON, TOO_LARGE)."""
        return parse_json(self.body, "answer", len(self.body), NESTING)


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer whose body is read in parts. Header names are in lower case; of one that comes twice the last counts."""

    status: int
    headers: Mapping[str, str]
    parts: AsyncIterator[bytes]


class AttestedSession:
    """Requests to one attested host, any number at a time. Paths begin with a slash."""

    def __init__(
        self, attestation: Attestation, session: aiohttp.ClientSession, proxy_url: str | None, limits: SessionLimits
    ) -> None:
        self._attestation = attestation
        self._address = attestation.address
        self._session = session
        self._proxy_url = proxy_url
        self._limits = limits

    @property
    def verification(self) -> Verification | None:
        """The verification that was made last, accepted or not; None before the first.

        An undecided one does not take the place of an accepted one whose key is in use.
        """
        return self._attestation.latest

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """GET a path. Raises VerifierError, and nothing else."""
        return await self.request("GET", path, headers=headers)

    async def post(self, path: str, value: Json, headers: Mapping[str, str] | None = None) -> Response:
        """POST a JSON value to a path. Raises VerifierError, and nothing else."""
        content = {"Content-Type": "application/json", **(headers or {})}
        return await self.request("POST", path, json.dumps(value).encode(), content)

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Response:
        """Any request; its answer as it is, redirects too.

        Raises VerifierError, and nothing else: NotAcceptedError where the host is not accepted (any more), OTHER_HOST
        for a path that is none, NoAnswerError (UNREACHABLE), TOO_LARGE.
        """
        timeout = aiohttp.ClientTimeout(total=timeout_s or self._limits.request_timeout_s)
        # RFC 3986 §4.2: two slashes begin another authority.
        if not path.startswith("/") or path.startswith("//"):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, "name a path of the host that begins with one slash")
        response = await self._begin(method, URL(self._address.origin + path), body, headers, timeout)
        try:
            async with response:
                read = await read_bounded(response, self._limits.body_bytes)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise NoAnswerError(f"no answer ({type(error).__name__})", was_sent=True) from None
        if read is None:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"answer: more than {self._limits.body_bytes} bytes")
        return Response(response.status, _headers_of(response), read)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        body: AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_s: float | None = None,
    ) -> AsyncIterator[Streamed]:
        """Any request, whose body is read as the host takes it, and whose answer is read as the caller takes it.

        `path` leaves as it is written, and is encoded already: printable ASCII without `#`.
        Nothing of `body` is read before the host is proven. `idle_s` limits the wait for the first and each further part of
        the answer. Raises VerifierError as `request` does, also while parts are read; an answer has no largest size.
        """
        timeout = aiohttp.ClientTimeout(total=None, connect=self._limits.request_timeout_s, sock_read=idle_s)
        if not _AS_WRITTEN.fullmatch(path):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, "name a path of the host in printable ASCII")
        # Encoded again it could be another path to the host: `/a/../b` would leave as `/b`, `%7e` as `~`.
        url = URL(self._address.origin + path, encoded=True)
        response = await self._begin(method, url, body, headers, timeout)
        try:
            yield Streamed(response.status, _headers_of(response), _parts_of(response))
        finally:
            # A connection on which an answer has not ended is closed by this: the host learns that nobody listens.
            response.release()

    async def _begin(
        self,
        method: str,
        url: URL,
        body: bytes | AsyncIterator[bytes] | None,
        headers: Mapping[str, str] | None,
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own limits, of each phase
    ) -> aiohttp.ClientResponse:
        """Send a request and return its answer, whose body is still to be read. Raises VerifierError, and nothing else."""
        reached = _Reached()
        token = _REACHED.set(reached)
        try:
            return await self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                timeout=timeout,
                proxy=self._proxy_url,
                allow_redirects=False,
            )
        except VerifierError as error:
            if error.code is not VerifierErrorCode.UNREACHABLE:
                raise
            raise NoAnswerError(error.message, was_sent=reached.is_proven) from None
        # Whether a byte may have left decides if the caller can safely send the request again.
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise NoAnswerError(f"no answer ({type(error).__name__})", was_sent=reached.is_proven) from None
        finally:
            _REACHED.reset(token)


def _headers_of(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


async def _parts_of(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for part in response.content.iter_any():
            yield part
    except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        raise NoAnswerError(f"the answer broke off ({type(error).__name__})", was_sent=True) from None


@asynccontextmanager
async def attested_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    clock: Callable[[], float] = boot_time_s,
) -> AsyncIterator[AttestedSession]:
    """Verify `host` (https://NAME[:PORT]), then speak with it.

    `sources` says where collateral comes from (Intel's service unless named), and through which proxy. `clock` measures
    how old an attestation is. Raises NotAcceptedError, and VerifierError(BAD_HOST).
    """
    used = sources or usual_sources()
    attestation = Attestation(HostAddress.of(host), trust, used, limits, clock)
    await attestation.open()
    # Under Intel's root the Web PKI is required too; under a development root the attested key alone decides.
    context = await asyncio.to_thread(verified_context if trust.development_root is None else unverified_context)
    connector = AttestedConnector(attestation, context)
    async with plain_session(connector=connector) as session:
        yield AttestedSession(attestation, session, used.proxy_url, limits)
