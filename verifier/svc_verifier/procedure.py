"""The verification, step by step: from what was fetched and what is trusted to a report. No I/O, no clock.

Each step is named after what it closes; a later step rests only on values that an earlier one vouches for.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from svc_verifier.catalogue import CATALOGUE, failed, unknown
from svc_verifier.check import Check, Group, Outcome
from svc_verifier.checks.caa import check_caa
from svc_verifier.checks.code import check_code
from svc_verifier.checks.evidence import Attested, check_evidence
from svc_verifier.checks.freshness import Shown, check_freshness
from svc_verifier.checks.governance import agreed_chain, check_governance
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.checks.identity import check_identity
from svc_verifier.checks.log import check_log
from svc_verifier.checks.os_image import check_os
from svc_verifier.checks.resting import unreadable
from svc_verifier.checks.tls import check_tls, connection_leaf
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.foreign import guarded
from svc_verifier.formats.quote_answer import QuoteAnswer, parse_quote_answer
from svc_verifier.material import Answer, Material, MaybeAnswer, Missing
from svc_verifier.report import Report
from svc_verifier.trust import Trust
from svc_verifier.verified import EvidenceSet, VerifiedQuote

Value = TypeVar("Value")
UNREADABLE: Final = "what was sent cannot be read, by a reader that should have refused it"
"""A fault of this program, found by a stranger's bytes: nothing is accepted, and nothing crashes."""


def verify(material: Material, trust: Trust) -> Report:
    """Every check of the catalogue, once, in its order. Nothing is raised for what the material holds."""
    # 1. The hardware: is this a quote of a genuine, well-kept TDX platform?
    answer, no_answer = _attestation(material.attestation)
    hardware = _stage(Group.HARDWARE, lambda: _hardware(answer.quote if answer else None, material, trust))
    # 2. The boot: does the log say what the registers hold, and who booted?
    log = _stage(Group.LOG, lambda: check_log(answer.event_log if answer else None, hardware.value))
    # 3. The identity: is it the app that the user asked for, with the compose file it shows?
    identity = _stage(Group.IDENTITY, lambda: check_identity(_body(material.info), log.value, hardware.value, trust))
    # 4. The chain: what do independent endpoints say at one block?
    chain = _stage(
        Group.GOVERNANCE,
        lambda: agreed_chain(material.endpoints, trust, material.now_s, replayed=material.replayed),
    )
    # 5. The operating system: is what measured the compose file itself known?
    vm_config = answer.vm_config if answer else None
    os_image = _stage(Group.OS, lambda: check_os(vm_config, log.value, hardware.value, chain.value, trust))
    # 6. The code: does every container run an image pinned by digest, and nothing else?
    code = _stage(Group.CODE, lambda: check_code(identity.value.app_compose if identity.value else None, trust))
    # 7. The evidence: is the certificate vouched for by a quote of the same TD?
    attested = Attested(hardware.value, log.value)
    evidence = _stage(
        Group.EVIDENCE,
        lambda: check_evidence(material.evidences, attested, lambda quote: _hardware(quote, material, trust), trust),
    )
    # 8. The connection: does TLS end there, and is all of it from now?
    tls = _stage(Group.TLS, lambda: _tls(material, evidence.value, trust))
    fresh = _stage(
        Group.FRESHNESS,
        lambda: _fresh(material, Shown(answer, hardware.value, connection_leaf(material), evidence.value), trust),
    )
    # 9. The approval: does the pinned contract allow this code, and who else could get the same keys?
    approval = _stage(Group.GOVERNANCE, lambda: check_governance(chain, identity.value, trust))
    stages = (hardware, log, identity, os_image, code, evidence, tls, fresh, approval)
    made = tuple(check for stage in stages for check in stage.checks)
    development = trust.development_root is not None
    return Report(material.host, material.now_s, development, material.replayed, _in_order(made, no_answer))


def _stage(group: Group, work: Callable[[], Outcome[Value]]) -> Outcome[Value]:
    """One stage. What a library raises over a stranger's bytes is that stage's failed check, and no end of a look."""
    try:
        return guarded(VerifierErrorCode.UNREADABLE, lambda error: f"{UNREADABLE} ({type(error).__name__})", work)
    except VerifierError as error:
        return unreadable(group, error.message)


def _hardware(quote: str | None, material: Material, trust: Trust) -> Outcome[VerifiedQuote]:
    return check_hardware(quote, material.collateral, trust, material.now_s)


def _tls(material: Material, evidence: EvidenceSet | None, trust: Trust) -> Outcome[None]:
    caa = check_caa(material.caa, evidence.account_uri if evidence else None, trust)
    return Outcome((*check_tls(material, evidence, trust), caa), None)


def _fresh(material: Material, shown: Shown, trust: Trust) -> Outcome[None]:
    return Outcome(check_freshness(material, shown, trust), None)


def _attestation(attestation: MaybeAnswer) -> tuple[QuoteAnswer | None, Check | None]:
    """The answer of /attestation, or why there is none."""
    if isinstance(attestation, Missing):
        return None, unknown("hardware.quote", f"/attestation: {attestation.why}", "Try again later.")
    if attestation.status != 200:
        return None, unknown("hardware.quote", f"/attestation answers {attestation.status}", "Try again later.")
    try:
        return parse_quote_answer(attestation.body, "/attestation"), None
    except VerifierError as error:
        return None, failed("hardware.quote", error.message)


def _body(answer: MaybeAnswer) -> bytes | None:
    return answer.body if isinstance(answer, Answer) and answer.status == 200 else None


def _in_order(made: tuple[Check, ...], no_answer: Check | None) -> tuple[Check, ...]:
    """Each check of the catalogue once; a stage that forgot one leaves it unknown, never passed."""
    by_id = {check.id: check for check in made}
    if no_answer is not None:
        by_id[no_answer.id] = no_answer
    return tuple(by_id.get(name, unknown(name, "this check was not made")) for name in CATALOGUE)
