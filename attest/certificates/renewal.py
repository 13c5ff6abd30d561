"""Obtains a certificate, keeps it on disk sealed and renews it before it expires.

The stored certificate is one file, written atomically, so that a restart requests none.
"""

import asyncio
import base64
import contextlib
import json
import os
import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Protocol

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pydantic import BaseModel, ConfigDict, ValidationError

from attest.certificates.credentials import CertificateKey, Credentials, Sealer, alternative_name, paired
from attest.certificates.port import Certificate
from attest.certificates.serving import ServedCertificate
from attest.errors import AttestError, AttestErrorCode

FILE: Final = "certificate.json"
KIND: Final = b"svc/v1/certificate-key"
READABLE_BY_US: Final = 0o600


class _Stored(BaseModel):
    """Content of the file. `sealed_key` is base64, the rest is public."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    source: str
    domain: str
    chain_pem: str
    acme_account: str
    sealed_key: str


class CertificateStore:
    """Keeps one certificate in `directory`. A certificate of another issuer (`source`) is refused.

    An unusable stored certificate raises AttestError with the reason, and the caller requests
    another. Nothing is lost, because a sealed key that does not open cannot be recovered.
    """

    def __init__(self, directory: Path, sealer: Sealer, domain: str, source: str) -> None:
        self._path = directory / FILE
        self._sealer = sealer
        self._domain = domain
        self._source = source

    def load(self) -> Credentials | None:
        """Returns the last saved credentials or None. Raises AttestError(CERTIFICATE)."""
        try:
            stored = _Stored.model_validate_json(self._path.read_bytes())
            sealed = base64.b64decode(stored.sealed_key, validate=True)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(f"cannot be read ({error.strerror})") from None
        except (ValidationError, ValueError):
            raise self._unusable("is damaged") from None
        # After a change of domain or authority the old certificate would be served for weeks.
        if (stored.domain, stored.source) != (self._domain, self._source):
            raise self._unusable(f"is for {stored.domain} from {stored.source}")
        key = CertificateKey.unsealed(sealed, self._sealer, self._context())
        return paired(stored.chain_pem.encode(), key, self._domain, stored.acme_account.encode())

    def save(self, credentials: Credentials) -> None:
        """Replace the file atomically. Raises AttestError(CERTIFICATE)."""
        sealed = credentials.key.sealed(self._sealer, self._context())
        content = {
            "source": self._source,
            "domain": self._domain,
            "chain_pem": credentials.certificate.chain_pem.decode(),
            "acme_account": credentials.acme_account.decode(),
            "sealed_key": base64.b64encode(sealed).decode(),
        }
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._path, json.dumps(content, indent=1).encode())
        except OSError as error:
            raise self._unusable(f"cannot be written ({error.strerror})") from None

    def _context(self) -> bytes:
        # The context is authenticated with the key, so that a key copied from another domain or
        # kind of file does not open.
        return KIND + b"\0" + self._domain.encode()

    def _unusable(self, why: str) -> AttestError:
        return AttestError(AttestErrorCode.CERTIFICATE, f"{self._path} {why}.")


def _replace(path: Path, content: bytes) -> None:
    """Write and flush a draft, rename it (atomic), and flush the directory (durable)."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        # A new name each time, so that a draft of a killed process is never written into.
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READABLE_BY_US)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            # Before the rename, since a crash could leave the new name with an empty file.
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    # The rename itself is durable only once the directory is.
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


ACME_ACCOUNT: Final = b'{"uri":"self-signed"}\n'
LOCALHOST: Final = "localhost"
LOOPBACK: Final = ("127.0.0.1", "::1")
BACKDATED: Final = timedelta(hours=1)
"""Start of validity before now, for clients whose clock is behind."""
SELF_SIGNED_LIFE_S: Final = 90 * 86_400.0
"""Life of a self-signed certificate, equal to that of Let's Encrypt's."""
FIRST_WAIT_S: Final = 10.0
"""Longest wait of a start for the first certificate. Then the node serves without HTTPS."""
RENEW_AT_FRACTION: Final = 2 / 3
"""Share of its life after which a certificate is renewed, as Let's Encrypt advises."""
RENEW_JITTER_FRACTION: Final = 0.05
"""Largest random share of its life by which a renewal is early, so that instances spread out."""
RETRY_MIN_S: Final = 120.0
"""Pause after a failed attempt, doubled each time. Let's Encrypt allows five an hour."""
RETRY_MAX_S: Final = 3600.0
"""Longest pause between attempts, so that a repaired authority is used within the hour."""
RETRY_AFTER_MAX_S: Final = 86_400.0
"""Longest pause an authority may ask for by Retry-After."""
CLOCK_CHECK_S: Final = 3600.0
"""Longest sleep before the clock is read again, since it may have been set."""


class SelfSigned:
    """Issuer of self-signed certificates for development. `unix` is a clock in seconds."""

    source: Final = "self-signed"

    def __init__(self, domain: str, life_s: float, unix: Callable[[], float]) -> None:
        self._domain = domain
        self._life_s = life_s
        self._unix = unix

    async def issue(self) -> Credentials:
        """Returns a new certificate and key. For `localhost` it also names loopback addresses."""
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
    """Port of the structlog logger with the methods that this package uses."""

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
    """Clock and randomness of a renewal. `share` returns a random number from 0 to 1."""

    unix: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    share: Callable[[], float] = share


def renewal_due_s(certificate: Certificate, share: float) -> float:
    """Returns the unix time from which the next certificate is requested (pure)."""
    life_s = certificate.not_after_s - certificate.not_before_s
    # Relative to the certificate's own life, so that short-lived ones are renewed in time.
    return certificate.not_before_s + life_s * (RENEW_AT_FRACTION - RENEW_JITTER_FRACTION * share)


def retry_delay_s(failures: int, asked_s: float | None, share: float) -> float:
    """Returns the pause after that many failures; `asked_s` is the Retry-After (pure).

    It doubles up to a bound, plus up to a quarter at random, so that instances spread out.
    """
    # The exponent is bounded: 2.0 ** 1024 overflows.
    grown = min(RETRY_MIN_S * 2.0 ** min(failures - 1, 32), RETRY_MAX_S)
    return max(grown, min(asked_s or 0.0, RETRY_AFTER_MAX_S)) * (1 + share / 4)


class Renewal:
    """Keeps `served` supplied from `issuer`, through `store`. `run` ends only when it is cancelled.

    An issued certificate is kept on disk and in memory until its evidence is complete, so that a
    failure of the guest agent never causes a second request.
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
        # A restart requests nothing while the stored certificate is good.
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

        Raises AttestError also when the next is due at once, which a clock that is ahead causes, so
        that no authority is asked without a pause.
        """
        fresh = self._next is None
        if self._next is None:
            self._next = await self._issuer.issue()
            # Stored before it is served, because each issue counts against the authority's rate
            # limit and a restart must not repeat it. A full disk does not prevent serving.
            try:
                await asyncio.to_thread(self._store.save, self._next)
            except AttestError as error:
                self._logger.warning("certificate_not_kept", reason=error.message)
        # If evidence fails here, `_next` stays and no second certificate is requested.
        await self._served.adopt(self._next)
        certificate, self._next = self._next.certificate, None
        self._logger.info("certificate_served", domain=certificate.domain, not_after_s=certificate.not_after_s)
        due_s = renewal_due_s(certificate, self._clock.share())
        if fresh and due_s <= self._clock.unix():
            why = "The certificate that just came is to be renewed already: this machine's clock is ahead."
            raise AttestError(AttestErrorCode.CERTIFICATE, why)
        self._failures = 0
        # In parts, since the clock may have been set meanwhile.
        while (left_s := due_s - self._clock.unix()) > 0:
            await self._clock.sleep(min(left_s, CLOCK_CHECK_S))

    def _stored(self) -> Credentials | None:
        try:
            found = self._store.load()
        except AttestError as error:
            self._logger.warning("certificate_not_taken_over", reason=error.message)
            return None
        expired = found is not None and self._clock.unix() >= found.certificate.not_after_s
        return None if expired else found
