"""Proposes a trust file for a host that nobody has pinned yet: every member with where it comes from.

Trust on first use: whoever answers now is who is trusted from then on. So each value says what vouches for it, and a
person decides. Two looks are taken where no application is named: the first to read which one was measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from svc_verifier.chain import abi, questions
from svc_verifier.checks.governance import agreed_chain
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.boot import BootIdentity, boot_identity
from svc_verifier.formats.event_log import parse_event_log
from svc_verifier.formats.key_provider import parse_key_provider
from svc_verifier.formats.quote_answer import parse_quote_answer
from svc_verifier.gathering.gather import Sources
from svc_verifier.host_address import HostAddress
from svc_verifier.material import Answer, Material
from svc_verifier.procedure import verify
from svc_verifier.report import Report
from svc_verifier.trust import Trust
from svc_verifier.verification import Verification, look

UNNAMED: Final = bytes(20)
"""The app id of a trust that names none yet."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be trusted, why for each member, and the report of a look under it."""

    trust: Trust
    reasons: Mapping[str, str]
    report: Report


async def propose(address: HostAddress, trust: Trust, sources: Sources) -> Proposal:
    """A proposal on top of what `trust` already names; its app id may be `UNNAMED`.

    Raises VerifierError(UNREACHABLE) when the host shows no log to read an identity from.
    """
    reasons = {
        "host": "you named it",
        "app_id": "you named it",
        "chain_id": "you named it, or it is the default",
        "freshness": "a quote must be made for your nonce",
        "rpc_urls": "asked what the contract says: one that lies is found out only by another that does not",
    }
    if trust.app_id == UNNAMED:
        first = await look(address, replace(trust, rpc_urls=()), sources)
        trust = replace(trust, app_id=_identity(first.material).app_id)
        reasons["app_id"] = (
            "THE HOST NAMED IT: measured into RTMR3 at boot. Compare it with what the operator publishes elsewhere: "
            "any other application would have named its own"
        )
    verification = await look(address, trust, sources)
    trust = _with_key(trust, verification, reasons)
    trust = _with_chain(trust, verification, reasons)
    trust = _with_platform(trust, verification.report, reasons)
    return Proposal(trust, reasons, verify(verification.material, trust))


def _identity(material: Material) -> BootIdentity:
    try:
        if isinstance(material.attestation, Answer):
            shown = parse_quote_answer(material.attestation.body, "/attestation")
            return boot_identity(parse_event_log(shown.event_log))
    except VerifierError as error:
        raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no identity to propose: {error.message}") from None
    raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no identity to propose: {material.attestation.why}")


def _with_key(trust: Trust, verification: Verification, reasons: dict[str, str]) -> Trust:
    """The key service that the log names, where the user pinned none."""
    try:
        provider = parse_key_provider(_identity(verification.material).key_provider)
    except VerifierError:
        return trust
    if trust.kms_public_key is not None or provider.kind != "kms":
        return trust
    said = "measured into RTMR3 at boot: the KMS that gave this node its keys, and that may know them"
    if trust.kms_contract is not None:
        same = _chain_key(trust, verification) == provider.identifier
        said += "; " + ("the KMS contract names the same" if same else "THE KMS CONTRACT DOES NOT NAME IT")
    reasons["kms_public_key"] = said
    return replace(trust, kms_public_key=provider.identifier)


def _chain_key(trust: Trust, verification: Verification) -> bytes | None:
    chain = agreed_chain(verification.material.endpoints, trust, verification.material.now_s).value
    if chain is None or trust.kms_contract is None:
        return None
    told = abi.decode_byte_strings(chain.calls.get(questions.kms_info(trust.kms_contract)), 4)
    return told[1] if told is not None else None


def _with_chain(trust: Trust, verification: Verification, reasons: dict[str, str]) -> Trust:
    """Owner and code of the contract as the endpoints agree on them now."""
    chain = agreed_chain(verification.material.endpoints, trust, verification.material.now_s).value
    if chain is None:
        return trust
    owner = abi.decode_address(chain.calls.get(questions.AppQuestions(trust.app_id).owner))
    if owner is not None and any(owner) and not trust.owners:
        reasons["owners"] = "who may approve other code now, by the contract: ask the operator whether this is theirs"
        trust = replace(trust, owners=frozenset({owner}))
    return trust


def _with_platform(trust: Trust, report: Report, reasons: dict[str, str]) -> Trust:
    """Collateral older than what is seen now is refused from now on."""
    evidence = {check.id: check.evidence for check in report.checks}
    status = evidence["hardware.tcb-status"].get("status", "of unknown status")
    number = int(evidence["hardware.collateral"].get("evaluation_number", "0"))
    reasons["tcb"] = f"this platform is {status}; collateral of an evaluation number below today's is refused"
    lowest = max(number, trust.tcb.minimum_evaluation_number)
    return replace(trust, tcb=replace(trust.tcb, minimum_evaluation_number=lowest))
