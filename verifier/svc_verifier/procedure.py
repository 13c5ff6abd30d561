"""The verification, step by step: from what was fetched and what is trusted to a report. No I/O, no clock.

Each step is named after what it closes; a later step rests only on values that an earlier one vouches for.
"""

from dataclasses import replace

from svc_verifier.catalogue import CATALOGUE, failed, not_made, unknown
from svc_verifier.check import Check, Group, Outcome, Status
from svc_verifier.checks.accounts import check_accounts
from svc_verifier.checks.caa import check_caa
from svc_verifier.checks.code import check_code
from svc_verifier.checks.configuration import check_configuration
from svc_verifier.checks.dependency import group_not_made
from svc_verifier.checks.evidence import Attested, check_evidence
from svc_verifier.checks.freshness import STATEMENT, Shown, check_freshness
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
from svc_verifier.verified import EvidenceSet


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
    evidence = _evidence(material, Attested(hardware.value, log.value), trust)
    # 8. The connection: does TLS end there, and is all of it from now?
    caa = check_caa(material.caa, evidence.value.account_uri if evidence.value else None, trust)
    if material.imported:
        seen = check_imported(material, hardware.value, evidence.value)
    else:
        shown = Shown(answer, hardware.value, connection_leaf(material), evidence.value)
        seen = (*check_tls(material, evidence.value, trust), *check_freshness(material, shown, trust))
    # 9. The approval: does the pinned contract allow this code, and who else could get the same keys?
    approval = check_governance(chain, identity.value, trust)
    # 10. The configuration: is this code set up for the chain, the contract and the key service that were pinned?
    statement = next(check for check in seen if check.id == STATEMENT)
    config = check_configuration(statement, answer.statement if answer else None, trust)
    # 11. The accounts: is the contract that says who may use which key the published one, in the enclave's hands?
    accounts = check_accounts(chain.value, config.value, trust)
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
        *config.checks,
        *accounts.checks,
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


def _evidence(material: Material, attested: Attested, trust: Trust) -> Outcome[EvidenceSet]:
    """The evidence stage; a host that answered nothing at all has one cause, which `hardware.quote` names."""
    if isinstance(material.attestation, Missing) and isinstance(material.evidences, Missing):
        return group_not_made("hardware.quote", Group.EVIDENCE)
    return check_evidence(
        material.evidences,
        attested,
        lambda quote: check_hardware(quote, material.collateral, trust, material.now_s),
        trust,
    )


def _body(answer: MaybeAnswer) -> bytes | None:
    return answer.body if isinstance(answer, Answer) and answer.status == 200 else None


def _in_order(made: tuple[Check, ...], unreadable: Check | None, *, imported: bool) -> tuple[Check, ...]:
    """Each check of the catalogue once; a stage that forgot one leaves it unknown, never passed.

    Of an import every link that is missing says first that it is not proven.
    """
    by_id = {check.id: check for check in made}
    if unreadable is not None:
        by_id[unreadable.id] = unreadable
    checks = tuple(by_id.get(name, unknown(name, "this check was not made")) for name in CATALOGUE)
    traced = tuple(_blaming_what_did_not_pass(check, checks) for check in checks)
    if not imported:
        return traced
    return tuple(
        replace(check, why=f"not proven: {check.why}") if check.status is Status.UNKNOWN else check for check in traced
    )


def _blaming_what_did_not_pass(check: Check, checks: tuple[Check, ...]) -> Check:
    """The check as it is, unless it depends on one that passed: then another check of that one's group stands in the way.

    A stage hands on nothing as soon as one of its checks did not pass, and later stages know only the usual one.
    """
    named = next((other for other in checks if other.id == check.depends_on), None)
    if check.status is not Status.UNKNOWN or named is None or named.status in {Status.FAILED, Status.UNKNOWN}:
        return check
    group = [other for other in checks if other.group is named.group and other is not check]
    ordered = sorted(group, key=lambda other: other.status is not Status.FAILED)
    culprit = next((other for other in ordered if other.status in {Status.FAILED, Status.UNKNOWN}), named)
    return not_made(check.id, culprit.id, **check.evidence)
