"""The verification, step by step: from what was fetched and what is trusted to a report. No I/O, no clock.

Each step is named after what it closes; a later step rests only on values that an earlier one vouches for.
"""

from dataclasses import replace

from svc_verifier.catalogue import CATALOGUE, failed, unknown
from svc_verifier.check import Check, Status
from svc_verifier.checks.caa import check_caa
from svc_verifier.checks.code import check_code
from svc_verifier.checks.evidence import Attested, check_evidence
from svc_verifier.checks.freshness import Shown, check_freshness
from svc_verifier.checks.governance import agreed_chain, check_governance
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.checks.identity import check_identity
from svc_verifier.checks.imported import check_imported
from svc_verifier.checks.log import check_log
from svc_verifier.checks.os_image import check_os
from svc_verifier.checks.tls import check_tls, connection_leaf
from svc_verifier.errors import VerifierError
from svc_verifier.formats.quote_answer import QuoteAnswer, parse_quote_answer
from svc_verifier.material import Answer, Material, MaybeAnswer, Missing
from svc_verifier.report import Report
from svc_verifier.trust import Trust


def verify(material: Material, trust: Trust) -> Report:
    """Every check of the catalogue, once, in its order."""
    # 1. The hardware: is this a quote of a genuine, well-kept TDX platform?
    answer, unreadable = _attestation(material.attestation)
    hardware = check_hardware(answer.quote if answer else None, material.collateral, trust, material.now_s)
    # 2. The boot: does the log say what the registers hold, and who booted?
    log = check_log(answer.event_log if answer else None, hardware.value)
    # 3. The identity: is it the app that the user asked for, with the compose file it shows?
    identity = check_identity(_body(material.info), log.value, hardware.value, trust)
    # 4. The chain: what do independent endpoints say at one block?
    chain = agreed_chain(material.endpoints, trust, material.now_s, replayed=material.replayed)
    # 5. The operating system: is what measured the compose file itself known?
    os_image = check_os(answer.vm_config if answer else None, log.value, hardware.value, chain.value, trust)
    # 6. The code: does every container run an image pinned by digest, and nothing else?
    code = check_code(identity.value.app_compose if identity.value else None, trust)
    # 7. The evidence: is the certificate vouched for by a quote of the same TD?
    evidence = check_evidence(
        material.evidences,
        Attested(hardware.value, log.value),
        lambda quote: check_hardware(quote, material.collateral, trust, material.now_s),
        trust,
    )
    # 8. The connection: does TLS end there, and is all of it from now?
    caa = check_caa(material.caa, evidence.value.account_uri if evidence.value else None, trust)
    if material.imported:
        seen = check_imported(material, hardware.value, evidence.value)
    else:
        shown = Shown(answer, hardware.value, connection_leaf(material), evidence.value)
        seen = (*check_tls(material, evidence.value, trust), *check_freshness(material, shown, trust))
    # 9. The approval: does the pinned contract allow this code, and who else could get the same keys?
    approval = check_governance(chain, identity.value, trust)
    made = (
        *hardware.checks,
        *log.checks,
        *identity.checks,
        *os_image.checks,
        *code.checks,
        *evidence.checks,
        *seen,
        caa,
        *approval.checks,
    )
    return Report(
        material.host,
        material.now_s,
        trust.development_root is not None,
        material.replayed,
        _in_order(made, unreadable, imported=material.imported),
        imported=material.imported,
    )


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


def _in_order(made: tuple[Check, ...], unreadable: Check | None, *, imported: bool) -> tuple[Check, ...]:
    """Each check of the catalogue once; a stage that forgot one leaves it unknown, never passed.

    Of an import every link that is missing says first that it is not proven.
    """
    by_id = {check.id: check for check in made}
    if unreadable is not None:
        by_id[unreadable.id] = unreadable
    ordered = tuple(by_id.get(name, unknown(name, "this check was not made")) for name in CATALOGUE)
    if not imported:
        return ordered
    return tuple(
        replace(check, why=f"not proven: {check.why}") if check.status is Status.UNKNOWN else check for check in ordered
    )
