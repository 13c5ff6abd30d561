"""What the certificate and the evidence about it know of each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Certificate:
    """The public half of a certificate: `chain_pem` is leaf first; hashes are SHA-256, times are unix seconds."""

    domain: str
    chain_pem: bytes
    leaf_der: bytes
    spki_sha256: bytes
    not_before_s: int
    not_after_s: int


class PreparedEvidence(Protocol):
    """An evidence set that is complete but not shown yet."""

    def publish(self) -> None:
        """Make it the current set, at once and without I/O; the one before stays readable under its own name."""
        ...


class Evidence(Protocol):
    """Who publishes `/evidences/` (attestation.md section 1.5)."""

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> PreparedEvidence:
        """Build the set of these certificates, its quote included: while the platform gives none, wait and try again.

        Raises AttestError(BAD_REQUEST) alone: there can be no such set. Whoever does not want to wait cancels.
        `acme_account` is the exact content of `acme-account.json`. The certificate is swapped in by its caller in the
        same turn of the event loop in which it calls `publish`.
        """
        ...


class CurrentCertificates(Protocol):
    """Who holds the certificates that TLS connections get now."""

    @property
    def current(self) -> Sequence[Certificate]:
        """Those in use; empty before the first."""
        ...

    @property
    def problem(self) -> str | None:
        """Why there is no newer one though one is wanted; fit to be shown to anybody."""
        ...

    @property
    def failed_at_s(self) -> float | None:
        """When it was last tried in vain to get one, in unix seconds; None: not since the start."""
        ...
