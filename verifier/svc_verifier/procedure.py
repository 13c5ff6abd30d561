"""The verification, step by step, from material and trust to a report. No I/O, no clock.

Each step has the name of what it proves, and uses only values that earlier ones vouch for.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from svc_verifier.chain.contracts import clock_difference
from svc_verifier.check import (
    CATALOGUE,
    Check,
    Group,
    Outcome,
    Report,
    Status,
    bounded,
    failed,
    group_not_made,
    group_unreadable,
    not_made,
    unknown,
)
from svc_verifier.checks.accounts import check_accounts
from svc_verifier.checks.code import check_code
from svc_verifier.checks.config import check_configuration
from svc_verifier.checks.evidence import Attested, check_evidence
from svc_verifier.checks.freshness import Shown, check_freshness, imported_freshness
from svc_verifier.checks.governance import agreed_chain, check_governance
from svc_verifier.checks.hardware import Circumstances, check_hardware
from svc_verifier.checks.identity import check_identity
from svc_verifier.checks.log import check_log
from svc_verifier.checks.os import check_os
from svc_verifier.checks.tls import check_caa, check_tls, connection_leaf, imported_connection
from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.quote import QuoteResponse, parse_quote_response
from svc_verifier.material import (
    EvidenceSet,
    HttpResponse,
    Material,
    MaybeResponse,
    Missing,
    ProviderAnswers,
    VerifiedQuote,
)
from svc_verifier.trust import Trust

Value = TypeVar("Value")
UNREADABLE: Final = "what was sent cannot be read, by a reader that should have refused it"
"""Reason of checks that untrusted bytes broke by a fault of this program. None is accepted."""


def verify(material: Material, trust: Trust) -> Report:
    """Returns every check of the catalogue, once, in its order. Raises nothing."""
    # 1. The hardware: is this a quote of a genuine, well-kept TDX platform?
    answer, no_answer = _attestation(material.attestation)
    hardware = _stage(Group.HARDWARE, lambda: _hardware(answer.quote if answer else None, material, trust))
    # 2. The boot: does the log say what the registers hold, and who booted?
    log = _stage(Group.LOG, lambda: check_log(answer.event_log if answer else None, hardware.value))
    # 3. The identity: is it the app that the user asked for, with the compose file it shows?
    identity = _stage(Group.IDENTITY, lambda: check_identity(_body(material.info), log.value, hardware.value, trust))
    # 4. The chain: what do independent providers say at one block?
    chain = _stage(
        Group.GOVERNANCE,
        lambda: agreed_chain(material.providers, trust, material.now_s, replayed=material.replayed),
    )
    # 5. The operating system: is what measured the compose file itself known?
    vm_config = answer.vm_config if answer else None
    os_image = _stage(Group.OS, lambda: check_os(vm_config, log.value, hardware.value, chain.value, trust))
    # 6. The code: does every container run an image pinned by digest, and nothing else?
    code = _stage(Group.CODE, lambda: check_code(identity.value.app_compose if identity.value else None, trust))
    # 7. The evidence: is the certificate vouched for by a quote of the same TD?
    refused = frozenset(check.id for check in hardware.checks if check.status is Status.FAILED)
    attested = Attested(hardware.value, log.value, refused)
    evidence = _stage(Group.EVIDENCE, lambda: _evidence(material, attested, trust))
    # 8. The connection: does TLS end there, and is all of it from now?
    tls = _stage(Group.TLS, lambda: _tls(material, hardware.value, evidence.value, trust))
    fresh = _stage(
        Group.FRESHNESS,
        lambda: _fresh(material, Shown(answer, hardware.value, connection_leaf(material), evidence.value), trust),
    )
    # 9. The approval: does the contract allow this code, and what else could get the same keys?
    approval = _stage(Group.GOVERNANCE, lambda: check_governance(chain, identity.value, trust))
    # 10. The configuration: is this code set up for the pinned chain, contract and key service?
    text = answer.statement if answer else None
    config = _stage(Group.CONFIG, lambda: check_configuration(fresh.checks[0], text, trust))
    # 11. The accounts: is the contract the published one, and does the enclave control it?
    accounts = _stage(Group.ACCOUNTS, lambda: check_accounts(chain.value, config.value, trust))
    stages = (hardware, log, identity, os_image, code, evidence, tls, fresh, approval, config, accounts)
    # Last, the check of a missing response.
    made = (*(check for stage in stages for check in stage.checks), *((no_answer,) if no_answer else ()))
    return Report(
        material.host,
        material.now_s,
        trust.development_root is not None,
        material.replayed,
        _in_order(_with_what_was_judged(made, material.judged), imported=material.imported),
        imported=material.imported,
    )


def _stage(group: Group, work: Callable[[], Outcome[Value]]) -> Outcome[Value]:
    """Run a stage. An error of a library over untrusted bytes is that stage's failed check."""
    try:
        # A crash would leave no verdict, and a caller that reads the exit code alone might take it
        # for a network fault.
        return guarded(VerifierErrorCode.UNREADABLE, lambda error: f"{UNREADABLE} ({type(error).__name__})", work)
    except VerifierError as error:
        return group_unreadable(group, error.message)


def _hardware(quote: str | None, material: Material, trust: Trust) -> Outcome[VerifiedQuote]:
    asked = [answers for answers in material.providers if isinstance(answers, ProviderAnswers)]
    # Blocks of a development chain have any time.
    clock = clock_difference(asked, material.now_s if trust.development_root is None else None)
    return check_hardware(quote, material.collateral, trust, material.now_s, Circumstances(clock, material.unreached))


def _tls(
    material: Material, verified: VerifiedQuote | None, evidence: EvidenceSet | None, trust: Trust
) -> Outcome[None]:
    caa = check_caa(material.caa, evidence.account_uri if evidence else None, trust)
    if material.imported:
        return Outcome((*imported_connection(material, verified, evidence), caa), None)
    return Outcome((*check_tls(material, evidence, trust), caa), None)


def _fresh(material: Material, shown: Shown, trust: Trust) -> Outcome[None]:
    checks = imported_freshness() if material.imported else check_freshness(material, shown, trust)
    return Outcome(checks, None)


def _attestation(attestation: MaybeResponse) -> tuple[QuoteResponse | None, Check | None]:
    """Returns the response of /attestation, or the check that says why there is none."""
    if isinstance(attestation, Missing):
        return None, unknown("hardware.quote", f"/attestation: {attestation.why}", "Try again later.")
    if attestation.status != 200:
        return None, unknown("hardware.quote", f"/attestation answers {attestation.status}", "Try again later.")
    try:
        return parse_quote_response(attestation.body, "/attestation"), None
    except VerifierError as error:
        return None, failed("hardware.quote", error.message)


def _evidence(material: Material, attested: Attested, trust: Trust) -> Outcome[EvidenceSet]:
    """Returns the evidence stage. `hardware.quote` is the cause if nothing responded."""
    if isinstance(material.attestation, Missing) and isinstance(material.evidences, Missing):
        return group_not_made("hardware.quote", Group.EVIDENCE)
    return check_evidence(
        material.evidences,
        attested,
        lambda quote: _hardware(quote, material, trust),
        trust,
    )


def _body(answer: MaybeResponse) -> bytes | None:
    # The body of an error page is not what the host states.
    return answer.body if isinstance(answer, HttpResponse) and answer.status == 200 else None


def _with_what_was_judged(made: tuple[Check, ...], judged: str) -> tuple[Check, ...]:
    """Returns the checks, in which that of the quote names the judged one of several."""
    if not judged:
        return made
    return tuple(
        replace(check, evidence={"judged": judged, **check.evidence}) if check.id == "hardware.quote" else check
        for check in made
    )


def _in_order(made: tuple[Check, ...], *, imported: bool) -> tuple[Check, ...]:
    """Returns each check of the catalogue once, as made last; a forgotten one is unknown.

    For an import, every missing link says first that it is not proven.
    """
    # The catalogue decides which checks exist. A stage can neither drop one nor add one.
    by_id = {check.id: check for check in made}
    checks = tuple(by_id.get(name, unknown(name, "this check was not made")) for name in CATALOGUE)
    traced = tuple(bounded(_blaming_what_did_not_pass(check, checks)) for check in checks)
    if not imported:
        return traced
    return tuple(
        replace(check, why=f"not proven: {check.why}") if check.status is Status.UNKNOWN else check for check in traced
    )


def _blaming_what_did_not_pass(check: Check, checks: tuple[Check, ...]) -> Check:
    """Returns the check, blaming another of its group if it depends on one that passed.

    After one failure a stage gives no value, and later stages know only its usual check.
    """
    named = next((other for other in checks if other.id == check.depends_on), None)
    if check.status is not Status.UNKNOWN or named is None or named.status in {Status.FAILED, Status.UNKNOWN}:
        return check
    group = [other for other in checks if other.group is named.group and other is not check]
    ordered = sorted(group, key=lambda other: other.status is not Status.FAILED)
    culprit = next((other for other in ordered if other.status in {Status.FAILED, Status.UNKNOWN}), named)
    return not_made(check.id, culprit.id, **check.evidence)
