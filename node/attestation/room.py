"""Everything about the attestation of one node, put together."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attest.answers import Info, Quote
from attest.certificates.port import Certificate, CurrentCertificates, Evidence
from attest.evidence.folder import EvidenceFolder
from attest.evidence.limits import EvidenceLimits
from attest.evidence.maker import EvidenceMaker
from attest.evidence.shelf import EvidenceShelf
from attest.guest_agent import GuestAgent
from attest.kept import Kept, KeptLimits
from attest.quote_bytes import REPORT_DATA_LENGTH_BYTES
from attest.quote_queue import QuoteLimits, QuoteQueue
from node.attestation import routes
from node.attestation.evidence import EvidenceService
from node.attestation.limits import AttestationLimits
from node.attestation.service import AttestationService, Identity
from node.http.endpoint import AnyEndpoint


class NoCertificates:
    """Where the node ends no TLS: a proxy before it does."""

    @property
    def current(self) -> Sequence[Certificate]:
        """None."""
        return ()

    @property
    def problem(self) -> str | None:
        """None: there is nobody here to have one."""
        return None

    @property
    def failed_at_s(self) -> float | None:
        """None: nobody here asks for one."""
        return None


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """The limits of this room and of the parts of attest it is made of."""

    attestation: AttestationLimits = field(default_factory=AttestationLimits)
    quotes: QuoteLimits = field(default_factory=QuoteLimits)
    evidence: EvidenceLimits = field(default_factory=EvidenceLimits)


class AttestationRoom:
    """Quotes and evidence of the platform behind `agent`.

    `evidence_folder` is a sidecar's; None: the node makes its own evidence, of the certificates it is handed.
    `tls_elsewhere`: it is handed none, since the sidecar ends TLS too.
    """

    def __init__(
        self, agent: GuestAgent, limits: RoomLimits, evidence_folder: Path | None = None, *, tls_elsewhere: bool = False
    ) -> None:
        self._limits = limits
        self.quotes = QuoteQueue(agent, limits.quotes, time.monotonic)
        self.shelf = EvidenceShelf(limits.evidence.previous_sets)
        self._folder = (
            None
            if evidence_folder is None
            else EvidenceFolder(
                evidence_folder, self.shelf, limits.evidence, time.time, asyncio.sleep, alone=tls_elsewhere
            )
        )
        self.evidence: Evidence = self._folder or EvidenceMaker(
            self.quotes, self.shelf, limits.evidence, time.time, asyncio.sleep
        )
        self._zero_quote: Kept[Quote] = Kept(self._ask_zero_quote, self._kept(for_info=False), time.monotonic)
        self._info: Kept[Info] = Kept(agent.info, self._kept(for_info=True), time.monotonic)

    def endpoints(self, certificates: CurrentCertificates, identity: Identity) -> list[AnyEndpoint]:
        """What is served of it at the host's root."""
        service = AttestationService(
            self.quotes,
            self._zero_quote,
            self._info,
            self.shelf,
            certificates,
            identity,
            self._limits.attestation,
            time.monotonic,
        )
        return routes.endpoints(service, EvidenceService(self.shelf))

    def quote_age_s(self) -> float | None:
        """How old the quote of `/attestation` without a nonce is; None before the first."""
        return self._zero_quote.age_s()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Until the context ends: the sidecar's folder is followed. Then what is under way is ended."""
        following = None if self._folder is None else asyncio.create_task(self._folder.follow())
        try:
            yield
        finally:
            if following is not None:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)
            await self._zero_quote.close()
            await self._info.close()
            await self.quotes.close()

    async def _ask_zero_quote(self) -> Quote:
        return await self.quotes.own_quote(bytes(REPORT_DATA_LENGTH_BYTES))

    def _kept(self, *, for_info: bool) -> KeptLimits:
        limits = self._limits.attestation
        max_age_s = limits.info_max_age_s if for_info else limits.quote_max_age_s
        return KeptLimits(max_age_s, limits.rest_s, limits.waiting)
