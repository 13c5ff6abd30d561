"""An HTTP session that speaks with an attested TD or not at all.

The host is verified before the first byte. Every connection, new or kept, is looked at when a request takes it: its
certificate must hold an attested key, or the connection is closed before anything is sent on it. A certificate with
another key (a rotation, another instance) is met by verifying anew; what does not end in acceptance, and an attestation
older than `SessionLimits.reverify_after_s` that cannot be renewed, ends in NotAcceptedError.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import aiohttp

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_leaf_der
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.host import unverified_context, verified_context
from svc_verifier.gathering.sources import sources as usual_sources
from svc_verifier.host_address import HTTPS_PORT, HostAddress
from svc_verifier.trust import Trust
from svc_verifier.verification import look

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What a session holds to. Times are seconds of the event loop's clock."""

    reverify_after_s: float = 3_600.0
    """An attestation older than this is renewed before the next request: approvals are withdrawn, platforms age."""
    rest_s: float = 5.0
    """Between two verifications because of a key that is not known: whoever holds the line could ask for one each time."""
    keys: int = 16
    """Attested keys that are remembered; a host may be several machines."""


DEFAULT_LIMITS: Final = SessionLimits()


class Attestation:
    """The keys that were attested, each with the time of the loop's clock at which it was."""

    def __init__(self, address: HostAddress, trust: Trust, sources: Sources, limits: SessionLimits) -> None:
        self.address: Final = address
        self._trust = trust
        self._sources = sources
        self._limits = limits
        self._keys: dict[bytes, float] = {}
        self._lock = asyncio.Lock()
        self._looked_s = float("-inf")

    async def renew(self) -> None:
        """Verify, and remember the key. Raises NotAcceptedError, after which no key counts any more."""
        self._looked_s = _now()
        try:
            key = (await look(self.address, self._trust, self._sources)).attested_key
        except BaseException:
            self._keys.clear()
            raise
        self._keys.pop(key, None)
        self._keys[key] = self._looked_s
        while len(self._keys) > self._limits.keys:
            del self._keys[next(iter(self._keys))]

    def holds(self, key: bytes) -> bool:
        """Whether a key is attested, and recently enough."""
        attested_s = self._keys.get(key)
        return attested_s is not None and _now() - attested_s < self._limits.reverify_after_s

    async def require(self, key: bytes) -> None:
        """Raises VerifierError unless the key is attested, perhaps by verifying anew."""
        async with self._lock:
            if self.holds(key):
                return
            if key not in self._keys and _now() - self._looked_s < self._limits.rest_s:
                raise _unknown_key(self.address)
            await self.renew()
            if not self.holds(key):
                raise _unknown_key(self.address)


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
        """A checked connection. Raises VerifierError for another host and for a key that is not attested."""
        if not _is_to(req, self._attestation.address):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, f"this session is with {self._attestation.address.name}")
        connection = await super().connect(req, traces, timeout)
        try:
            key = _peer_key(connection)
            if not self._attestation.holds(key):
                await self._attestation.require(key)
        except BaseException:
            connection.close()
            raise
        return connection


@asynccontextmanager
async def attested_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    timeout: aiohttp.ClientTimeout | None = None,  # noqa: ASYNC109 - aiohttp's own, of each request
) -> AsyncIterator[aiohttp.ClientSession]:
    """Verify `host` (https://NAME[:PORT]), then speak with it; paths are relative to it.

    `sources` says where collateral comes from, Intel's service unless named. Raises NotAcceptedError, and
    VerifierError(BAD_HOST).
    """
    attestation = Attestation(HostAddress.of(host), trust, sources or usual_sources(), limits)
    await attestation.renew()
    context = verified_context() if trust.development_root is None else unverified_context()
    async with aiohttp.ClientSession(
        base_url=attestation.address.origin,
        connector=AttestedConnector(attestation, context),
        timeout=timeout or aiohttp.ClientTimeout(total=300),
        trust_env=False,
    ) as session:
        yield session


def _is_to(request: "ClientRequest", address: HostAddress) -> bool:
    """Whether a request goes to this host by TLS."""
    there = urlsplit(address.origin)
    secure = request.url.scheme in {"https", "wss"}
    return secure and (request.url.host, request.url.port) == (there.hostname, there.port or HTTPS_PORT)


def _peer_key(connection: "Connection") -> bytes:
    transport = connection.transport
    secured = transport.get_extra_info("ssl_object") if transport is not None else None
    peer = secured.getpeercert(binary_form=True) if secured is not None else None
    return parse_leaf_der(peer).spki_sha256 if peer is not None else b""


def _unknown_key(address: HostAddress) -> VerifierError:
    message = f"{address.name} showed a key that is not attested; nothing was sent to it"
    return VerifierError(VerifierErrorCode.NOT_ACCEPTED, message)


def _now() -> float:
    return asyncio.get_running_loop().time()
