"""Verifies a host once, with its material, report and attested key."""

import asyncio
from dataclasses import dataclass

from svc_verifier.check import Report, Status, Verdict
from svc_verifier.checks.tls import connection_leaf
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.formats.info import AttestedConfig, parse_attested_config
from svc_verifier.gathering.gather import Sources, gather
from svc_verifier.gathering.host import HeldConnector
from svc_verifier.material import Material
from svc_verifier.trust import Trust
from svc_verifier.worker import JUDGING_S, Worker


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of one verification, with everything fetched and the report on it."""

    material: Material
    report: Report

    @property
    def attested_key(self) -> bytes:
        """SHA-256 of the SubjectPublicKeyInfo at which TLS ends inside the TD.

        Raises NotAcceptedError unless the host was accepted.
        """
        leaf = connection_leaf(self.material)
        # Undecided is not accepted, since a host could otherwise withhold evidence.
        if self.report.verdict is not Verdict.ACCEPTED or leaf is None:
            raise NotAcceptedError(self.report)
        return leaf.spki_sha256

    @property
    def attested_config(self) -> AttestedConfig:
        """The configuration that the host attests; empty if its statement did not pass."""
        from svc_verifier.checks.freshness import STATEMENT  # noqa: PLC0415 - with libraries that a first call does without

        statement = next((check for check in self.report.checks if check.id == STATEMENT), None)
        # Settings outside of a statement that passed are the host's word.
        if statement is None or statement.status is not Status.PASSED:
            return AttestedConfig()
        return parse_attested_config(statement.evidence["statement"])


class NotAcceptedError(VerifierError):
    """The host was rejected, or nothing could be decided; `report` says why."""

    def __init__(self, report: Report) -> None:
        decisive = [f"{check.id}: {check.why}" for check in report.causes]
        message = f"{report.host} is {report.verdict}: {'; '.join(decisive)[:1_000]}"
        super().__init__(VerifierErrorCode.NOT_ACCEPTED, message)
        self.report = report


async def look(address: HostAddress, trust: Trust, sources: Sources, held: HeldConnector | None = None) -> Verification:
    """Verify a host, over the connection `held` if one is given. No bytes of it raise an error.

    It takes `look_timeout_s` and less than two seconds more. A process does the work.
    """
    until_s = asyncio.get_running_loop().time() + sources.limits.look_timeout_s + JUDGING_S
    async with Worker() as worker:
        material = await gather(address, trust, sources, held, worker)
        return Verification(material, await worker.judge(material, trust, until_s))
