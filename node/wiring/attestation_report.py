"""What the TEE is and how old what was published of it is, for /health: shown to anybody."""

from collections.abc import Callable

from attest.certificates.port import CurrentCertificates
from node.attestation.room import AttestationRoom
from node.status.models import AttestationState, Tee


class AttestationReport:
    """Reads it off the room and the certificates in use. `now` is unix seconds."""

    def __init__(
        self, tee: Tee, room: AttestationRoom, certificates: CurrentCertificates, now: Callable[[], float]
    ) -> None:
        self._tee: Tee = tee
        self._room = room
        self._certificates = certificates
        self._now = now

    def report(self) -> AttestationState:
        """As of now, without asking anybody."""
        age_s, current = self._room.quote_age_s(), self._room.shelf.current
        expiries = [certificate.not_after_s for certificate in self._certificates.current]
        return AttestationState(
            tee=self._tee,
            quote_age_seconds=None if age_s is None else round(age_s, 3),
            certificate_not_after=min(expiries, default=None),
            evidence_made_at=None if current is None else int(current.made_at_s),
        )

    def problem(self) -> str | None:
        """What is wrong with it, if anything."""
        expired = any(certificate.not_after_s <= self._now() for certificate in self._certificates.current)
        if expired:
            return "the certificate has expired"
        return self._certificates.problem or self._room.shelf.problem
