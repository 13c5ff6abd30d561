"""The keys of a host that were attested or refused, and for how long that counts."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from svc_verifier.check import Verdict
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.formats.certificate import parse_leaf_der
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.host import HeldConnector, peer_of
from svc_verifier.session.verification import NotAcceptedError, Verification, look
from svc_verifier.trust import Trust

if TYPE_CHECKING:
    from aiohttp.connector import Connection


def boot_time_s() -> float:
    """Returns seconds that also pass while the machine sleeps, since attestations age then."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Rules of a session."""

    reverify_after_s: float = 3_600.0
    """Age at which a key is attested again before a request, since approvals may be withdrawn."""
    rest_s: float = 5.0
    """Seconds for which a refused key is refused without another verification."""
    keys: int = 16
    """Keys that are remembered, attested or refused. A host may be several machines."""
    request_timeout_s: float = 300.0
    """Seconds for a request, its verification included, unless the caller says otherwise."""
    body_bytes: int = 16_777_216
    """Largest response body, in bytes."""


DEFAULT_LIMITS: Final = SessionLimits()


class Attestation:
    """The keys that were attested or refused, each with its time.

    `latest` is the last verification, None before the first. An undecided one does not replace one
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
        # One verification at a time, for which all requests that meet a new key wait.
        self._lock = asyncio.Lock()
        self.latest: Verification | None = None

    async def open(self) -> None:
        """Verify the host over a connection of its own. Raises NotAcceptedError."""
        await self._attest(None)

    def is_attested(self, key: bytes) -> bool:
        """Whether a key is attested, and recently enough."""
        return _is_within(self._attested, key, self._clock(), self._limits.reverify_after_s)

    async def require(self, connection: "Connection") -> None:
        """Require an attested peer, if necessary by a verification over this connection.

        Raises NotAcceptedError, and VerifierError(NOT_ACCEPTED, UNREACHABLE).
        """
        peer, _ = peer_of(connection)
        # No key without TLS. The empty one is never attested, since attested keys are of leaves.
        key = parse_leaf_der(peer).spki_sha256 if peer is not None else b""
        if self.is_attested(key):
            return
        async with self._lock:
            if self.is_attested(key):
                return
            if _is_within(self._refused, key, self._clock(), self._limits.rest_s):
                refusal = self._refusals.get(key)
                raise _unknown_key(self.address) if refusal is None else NotAcceptedError(refusal.report)
            # Over this very connection, since another one could lead to another machine behind the
            # same name.
            held = HeldConnector(connection)
            try:
                attested = await self._attest(held)
            except NotAcceptedError as error:
                # The peer hung up, so nothing was learned of its key. The next connection may be
                # better.
                if error.report.verdict is Verdict.UNDECIDED and not held.is_open:
                    raise VerifierError(VerifierErrorCode.UNREACHABLE, "the connection ended meanwhile") from error
                # Refused for a while, so that an impostor's requests cost no verifications.
                self._remember(self._refused, key)
                self._refusals = {key: error}
                raise
            # The verified host ends TLS with another key than this connection. Nothing may be sent.
            if attested != key:
                raise _unknown_key(self.address)

    async def _attest(self, held: HeldConnector | None) -> bytes:
        # Before the verification, since an attestation is as old as its first byte.
        started_s = self._clock()
        verification = await look(self.address, self._trust, self._sources, held)
        # A connection without evidence says nothing of the instance whose key is in use.
        if verification.report.verdict is not Verdict.UNDECIDED or not self._is_latest_in_use():
            self.latest = verification
        if verification.report.verdict is Verdict.REJECTED:
            self._attested.clear()  # others may fail likewise
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


def _is_within(keys: dict[bytes, float], key: bytes, now_s: float, length_s: float) -> bool:
    at_s = keys.get(key)
    # A clock that went backwards makes the attestation old, never young.
    return at_s is not None and 0 <= now_s - at_s < length_s


def _unknown_key(address: HostAddress) -> VerifierError:
    message = f"{address.name} showed a key that is not attested; nothing was sent to it"
    return VerifierError(VerifierErrorCode.NOT_ACCEPTED, message)
