"""One live verification, for programs: look, judge, say what was accepted."""

from dataclasses import dataclass

from svc_verifier.checks.tls import connection_leaf
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.gathering.gather import Sources, gather
from svc_verifier.gathering.host import HeldConnector
from svc_verifier.host_address import HostAddress
from svc_verifier.material import Material
from svc_verifier.procedure import verify
from svc_verifier.report import Report, Verdict
from svc_verifier.trust import Trust


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at, and the report on it."""

    material: Material
    report: Report

    @property
    def attested_key(self) -> bytes:
        """SHA-256 of the SubjectPublicKeyInfo at which TLS ends inside the TD.

        Raises NotAcceptedError unless the host was accepted.
        """
        leaf = connection_leaf(self.material)
        if self.report.verdict is not Verdict.ACCEPTED or leaf is None:
            raise NotAcceptedError(self.report)
        return leaf.spki_sha256


class NotAcceptedError(VerifierError):
    """The host was rejected, or nothing could be decided; `report` says why."""

    def __init__(self, report: Report) -> None:
        decisive = [f"{check.id}: {check.why}" for check in report.causes]
        message = f"{report.host} is {report.verdict}: {'; '.join(decisive)[:1_000]}"
        super().__init__(VerifierErrorCode.NOT_ACCEPTED, message)
        self.report = report


async def look(address: HostAddress, trust: Trust, sources: Sources, held: HeldConnector | None = None) -> Verification:
    """Look at a host and judge it, over the connection `held` where one is given. Nothing is raised for what it sends."""
    material = await gather(address, trust, sources, held)
    return Verification(material, verify(material, trust))
