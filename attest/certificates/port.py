"""Ports between certificates and the evidence about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Certificate:
    """Public half of a certificate, leaf first. Hashes are SHA-256, times are unix seconds."""

    domain: str
    chain_pem: bytes
    leaf_der: bytes
    spki_sha256: bytes
    not_before_s: int
    not_after_s: int


class PreparedEvidence(Protocol):
    """An evidence set that is complete but not published yet."""

    def publish(self) -> None:
        """Make it the current set, without I/O. Earlier sets stay readable by name."""
        ...


class Evidence(Protocol):
    """Publisher of `/evidences/`."""

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> PreparedEvidence:
        """Build the set of these certificates with its quote. Retries while there is no quote.

        Raises AttestError(BAD_REQUEST) alone, if no such set can exist. `acme_account` is the exact
        content of `acme-account.json`. The caller must serve the certificate in the event loop step
        in which it calls `publish`.
        """
        ...


class CurrentCertificates(Protocol):
    """Holder of the certificates that new TLS connections get."""

    @property
    def current(self) -> Sequence[Certificate]:
        """Certificates in use; empty before the first."""
        ...

    @property
    def problem(self) -> str | None:
        """Reason why a newer certificate is missing though one is due. Published by /health."""
        ...

    @property
    def failed_at_s(self) -> float | None:
        """Unix time of the last failed attempt to get one; None if none failed since the start."""
        ...
