"""Obtains a certificate, keeps it on disk and renews it before it expires."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Final, Protocol

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey, alternative_name
from attest.certificates.port import Certificate
from attest.certificates.serving import ServedCertificate
from attest.certificates.store import CertificateStore
from attest.errors import AttestError, AttestErrorCode

ACME_ACCOUNT: Final = b'{"uri":"self-signed"}\n'
LOCALHOST: Final = "localhost"
LOOPBACK: Final = ("127.0.0.1", "::1")
BACKDATED: Final = timedelta(hours=1)
"""Start of validity before now, for clients whose clock is behind."""
SELF_SIGNED_LIFE_S: Final = 90 * 86_400.0
"""As long as certificates of Let's Encrypt."""
FIRST_WAIT_S: Final = 10.0
"""Longest wait of a start for the first certificate. Then the node serves, and HTTPS follows."""
RENEW_AT_FRACTION: Final = 2 / 3
"""Share of its life after which a certificate is renewed, as Let's Encrypt advises: a third is left for retries."""
RENEW_JITTER_FRACTION: Final = 0.05
"""Share of its life by which a renewal is at most early, at random: instances started together do not ask together."""
RETRY_MIN_S: Final = 120.0
"""Pause after a failed attempt, doubled each time: five attempts in the first hour, as Let's Encrypt allows."""
RETRY_MAX_S: Final = 3600.0
"""Longest such pause."""
RETRY_AFTER_MAX_S: Final = 86_400.0
"""Longest pause an authority may ask for by Retry-After."""
CLOCK_CHECK_S: Final = 3600.0
"""Interval at which a wait for a renewal reads the clock again: it may have been set."""


class SelfSigned:
    """Issuer of self-signed certificates, for development. `unix` is a clock in seconds since 1970."""

    source: Final = "self-signed"

    def __init__(self, domain: str, life_s: float, unix: Callable[[], float]) -> None:
        self._domain = domain
        self._life_s = life_s
        self._unix = unix

    async def issue(self) -> Credentials:
        """Returns a new certificate with a new key. A certificate of `localhost` also names the loopback addresses."""
        key = CertificateKey.generate()
        now = datetime.fromtimestamp(self._unix(), UTC)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "svc-node self-signed")])
        names = [alternative_name(self._domain)]
        if self._domain == LOCALHOST:
            names += [x509.IPAddress(ip_address(address)) for address in LOOPBACK]
        builder = x509.CertificateBuilder(
            subject_name=name,
            issuer_name=name,
            serial_number=x509.random_serial_number(),
            not_valid_before=now - BACKDATED,
            not_valid_after=now + timedelta(seconds=self._life_s),
        )
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(usage, critical=False)
        return paired(key.sign(builder), key, self._domain, ACME_ACCOUNT)


class Logger(Protocol):
    """Port of the structlog logger: the part this package uses."""

    def info(self, event: str, **fields: object) -> object:
        """Log a normal event."""
        ...

    def warning(self, event: str, **fields: object) -> object:
        """Log an event that an operator should look at."""
        ...


class Issuer(Protocol):
    """Port of an issuer of certificates. A stored certificate of another `source` is not used."""

    @property
    def source(self) -> str:
        """Name or URL of the issuer."""
        ...

    async def issue(self) -> Credentials:
        """Returns a certificate with a new key. Raises AttestError."""
        ...


def share() -> float:
    """Returns a random number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads attempts, protects nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewalClock:
    """Time and randomness of a renewal: `unix` is a clock, `share` returns another number from 0 to 1 at each call."""

    unix: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    share: Callable[[], float] = share


def renewal_due_s(certificate: Certificate, share: float) -> float:
    """Returns the unix time from which the next certificate is requested (pure)."""
    life_s = certificate.not_after_s - certificate.not_before_s
    return certificate.not_before_s + life_s * (RENEW_AT_FRACTION - RENEW_JITTER_FRACTION * share)


def retry_delay_s(failures: int, asked_s: float | None, share: float) -> float:
    """Returns the pause after so many failures in a row; `asked_s` is the authority's Retry-After (pure).

    It doubles each time up to a bound, and is up to a quarter longer, so that instances do not return together.
    """
    grown = min(RETRY_MIN_S * 2.0 ** min(failures - 1, 32), RETRY_MAX_S)
    return max(grown, min(asked_s or 0.0, RETRY_AFTER_MAX_S)) * (1 + share / 4)


class Renewal:
    """Keeps `served` supplied from `issuer`, through `store`. `run` ends only when it is cancelled.

    An issued certificate is kept on disk and here until its evidence is complete: a failure of the guest agent never
    makes the node request another.
    """

    def __init__(
        self,
        issuer: Issuer,
        store: CertificateStore,
        served: ServedCertificate,
        clock: RenewalClock,
        logger: Logger,
    ) -> None:
        self._issuer = issuer
        self._store = store
        self._served = served
        self._clock = clock
        self._logger = logger
        self._next: Credentials | None = None
        self._failures = 0

    async def run(self) -> None:
        """Take over the stored certificate, then renew."""
        self._next = await asyncio.to_thread(self._stored)
        while True:
            try:
                await self._step()
            except AttestError as error:
                self._failures += 1
                self._served.failed(f"no new certificate: {error.code}", self._clock.unix())
                delay_s = retry_delay_s(self._failures, error.retry_after_s, self._clock.share())
                self._logger.warning(
                    "certificate_not_renewed", code=error.code, reason=error.message, again_in_s=round(delay_s)
                )
                await self._clock.sleep(delay_s)

    async def _step(self) -> None:
        """Issue, store and serve one certificate, and wait until the next is due.

        Raises AttestError also when the next is due at once, as with a clock that is ahead: no authority is asked
        without a pause.
        """
        fresh = self._next is None
        if self._next is None:
            self._next = await self._issuer.issue()
            await self._keep(self._next)
        await self._served.adopt(self._next)
        certificate, self._next = self._next.certificate, None
        self._logger.info("certificate_served", domain=certificate.domain, not_after_s=certificate.not_after_s)
        due_s = renewal_due_s(certificate, self._clock.share())
        if fresh and due_s <= self._clock.unix():
            why = "The certificate that just came is to be renewed already: this machine's clock is ahead."
            raise AttestError(AttestErrorCode.CERTIFICATE, why)
        self._failures = 0
        await self._wait_until(due_s)

    async def _keep(self, credentials: Credentials) -> None:
        """Store the credentials. A full disk does not keep a certificate from being served; a restart then requests another."""
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
        expired = found is not None and self._clock.unix() >= found.certificate.not_after_s
        return None if expired else found

    async def _wait_until(self, due_s: float) -> None:
        """Wait for a unix time. Reads the clock every hour: it may have been set."""
        while (left_s := due_s - self._clock.unix()) > 0:
            await self._clock.sleep(min(left_s, CLOCK_CHECK_S))
