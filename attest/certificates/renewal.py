"""The life of a certificate: taken from the disk, asked for, renewed long before its end, for ever."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from attest.certificates.credentials import Credentials
from attest.certificates.limits import CertificateLimits
from attest.certificates.port import Certificate
from attest.certificates.serving import ServedCertificate
from attest.certificates.store import CertificateStore
from attest.errors import AttestError, AttestErrorCode


class Logger(Protocol):
    """The part of a structlog logger this package uses."""

    def info(self, event: str, **fields: object) -> object:
        """Log a normal event."""
        ...

    def warning(self, event: str, **fields: object) -> object:
        """Log what an operator should look at."""
        ...


class Issuer(Protocol):
    """Who makes certificates. `source` names it: a stored certificate of another source is not used."""

    @property
    def source(self) -> str:
        """A name or URL."""
        ...

    async def issue(self) -> Credentials:
        """A certificate with a fresh key. Raises AttestError."""
        ...


def share() -> float:
    """A number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads attempts, protects nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """What a renewal knows of time: `clock` is unix seconds, `share` gives a number from 0 to 1, anew each time."""

    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    share: Callable[[], float] = share


def renewal_due_s(certificate: Certificate, limits: CertificateLimits, share: float) -> float:
    """The unix time from which the next one is asked for (pure)."""
    life_s = certificate.not_after_s - certificate.not_before_s
    return certificate.not_before_s + life_s * (limits.renew_at_fraction - limits.renew_jitter_fraction * share)


def retry_delay_s(failures: int, asked_s: float | None, limits: CertificateLimits, share: float) -> float:
    """The pause after so many failures in a row; `asked_s` is what the authority asked for (pure).

    Doubled each time up to a bound, and up to a quarter longer, so that instances do not come back together.
    """
    grown = min(limits.retry_min_s * 2.0 ** min(failures - 1, 32), limits.retry_max_s)
    return max(grown, min(asked_s or 0.0, limits.retry_after_max_s)) * (1 + share / 4)


class Renewal:
    """Keeps `served` supplied from `issuer`, through `store`. `run` never ends but by being cancelled.

    A certificate that came is kept, on disk and here, until its evidence is complete: no failure of the guest agent
    makes the node ask for another.
    """

    def __init__(
        self,
        issuer: Issuer,
        store: CertificateStore,
        served: ServedCertificate,
        limits: CertificateLimits,
        time: Time,
        logger: Logger,
    ) -> None:
        self._issuer = issuer
        self._store = store
        self._served = served
        self._limits = limits
        self._time = time
        self._logger = logger
        self._next: Credentials | None = None
        self._failures = 0

    async def run(self) -> None:
        """Take over what is stored, then renew for ever."""
        self._next = await asyncio.to_thread(self._stored)
        while True:
            try:
                await self._step()
            except AttestError as error:
                self._failures += 1
                self._served.failed(f"no new certificate: {error.code}", self._time.clock())
                delay_s = retry_delay_s(self._failures, error.retry_after_s, self._limits, self._time.share())
                self._logger.warning(
                    "certificate_not_renewed", code=error.code, reason=error.message, again_in_s=round(delay_s)
                )
                await self._time.sleep(delay_s)

    async def _step(self) -> None:
        """One certificate: had, kept, served, and lived with until the next is due.

        Raises AttestError likewise when that is at once, as with a clock that is ahead: nobody is asked without a pause.
        """
        fresh = self._next is None
        if self._next is None:
            self._next = await self._issuer.issue()
            await self._keep(self._next)
        await self._served.adopt(self._next)
        certificate, self._next = self._next.certificate, None
        self._logger.info("certificate_served", domain=certificate.domain, not_after_s=certificate.not_after_s)
        due_s = renewal_due_s(certificate, self._limits, self._time.share())
        if fresh and due_s <= self._time.clock():
            why = "The certificate that just came is to be renewed already: this machine's clock is ahead."
            raise AttestError(AttestErrorCode.CERTIFICATE, why)
        self._failures = 0
        await self._until(due_s)

    async def _keep(self, credentials: Credentials) -> None:
        """A full disk does not keep a certificate from being served; it is only not there after a restart."""
        try:
            await asyncio.to_thread(self._store.save, credentials)
        except AttestError as error:
            self._logger.warning("certificate_not_kept", reason=error.message)

    def _stored(self) -> Credentials | None:
        try:
            found = self._store.load()
        except AttestError as error:
            self._logger.warning("certificate_not_taken_over", reason=error.message)
            return None
        expired = found is not None and self._time.clock() >= found.certificate.not_after_s
        return None if expired else found

    async def _until(self, due_s: float) -> None:
        """Wait for a unix time, looking at the clock now and then: it may be set meanwhile."""
        while (left_s := due_s - self._time.clock()) > 0:
            await self._time.sleep(min(left_s, self._limits.look_again_s))
