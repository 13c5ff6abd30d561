"""TCP connections whose other end was proven to be inside an accepted TD.

A connection is looked at each time a request takes it, new or kept. Where its key is not attested, or not recently enough,
the host is verified over that very connection before anything else is written to it: behind a balancer every connection
may end in another instance. What does not end in acceptance is closed.
"""

import asyncio
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import aiohttp

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_leaf_der
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.host import HeldConnector, peer_of
from svc_verifier.host_address import HTTPS_PORT, HostAddress
from svc_verifier.report import Verdict
from svc_verifier.trust import Trust
from svc_verifier.verification import NotAcceptedError, look

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection

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
    """The keys that were attested or refused, each with the time at which it was."""

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
        self._lock = asyncio.Lock()

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
                raise _unknown_key(self.address)
            held = HeldConnector(connection)
            try:
                attested = await self._attest(held)
            except NotAcceptedError as error:
                if error.report.verdict is Verdict.UNDECIDED and not held.is_open:
                    raise VerifierError(VerifierErrorCode.UNREACHABLE, "the connection ended meanwhile") from error
                self._remember(self._refused, key)
                raise
            if attested != key:
                raise _unknown_key(self.address)

    async def _attest(self, held: HeldConnector | None) -> bytes:
        started_s = self._clock()
        verification = await look(self.address, self._trust, self._sources, held)
        if verification.report.verdict is Verdict.REJECTED:
            self._attested.clear()  # what speaks against one instance may speak against all: each is looked at again
        key = verification.attested_key
        self._remember(self._attested, key, started_s)
        return key

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

    async def connect(
        self,
        req: "ClientRequest",
        traces: "list[aiohttp.tracing.Trace]",
        timeout: "aiohttp.ClientTimeout",  # noqa: ASYNC109 - aiohttp's own signature
    ) -> "Connection":
        """A proven connection. Raises VerifierError for another host and for a key that is not attested."""
        if not _is_to(req, self._attestation.address):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, f"this session is with {self._attestation.address.name}")
        for _ in range(CONNECTIONS):
            connection = await super().connect(req, traces, timeout)
            try:
                await self._attestation.require(connection)
            except VerifierError as error:
                connection.close()
                if error.code is VerifierErrorCode.UNREACHABLE:
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            if not _is_spent(connection):
                return connection
            connection.close()
        message = f"{self._attestation.address.name} ends each connection before a request can be sent on it"
        raise VerifierError(VerifierErrorCode.UNREACHABLE, message)


def _is_within(keys: dict[bytes, float], key: bytes, now_s: float, length_s: float) -> bool:
    at_s = keys.get(key)
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
    return parse_leaf_der(peer).spki_sha256 if peer is not None else b""


def _unknown_key(address: HostAddress) -> VerifierError:
    message = f"{address.name} showed a key that is not attested; nothing was sent to it"
    return VerifierError(VerifierErrorCode.NOT_ACCEPTED, message)
