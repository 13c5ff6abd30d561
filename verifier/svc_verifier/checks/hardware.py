"""The hardware: quote, signatures, collateral, TCB and the TD's attributes (spec 13.3).

dcap-qvl verifies the chain; what it leaves to its callers is checked beside it. Where it refuses for a reason that a
check of its own names (expired collateral, a debuggable TD), the signatures stay undecided and that check has failed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.x509 import load_der_x509_certificate

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.formats.quote import MEASUREMENT_LENGTH, Quote, parse_quote, quote_from_hex
from svc_verifier.hardware import (
    PCK_LEAF,
    TCB_SIGNER,
    CollateralFacts,
    TcbVerdict,
    common_name,
    intel_root,
    is_issued_by,
    platform_of,
    read_collateral,
    tcb_info_of,
    td_problems,
    verify_quote,
)
from svc_verifier.material import Missing, Platform, VerifiedQuote
from svc_verifier.tcb_levels import nearest_level, shortfalls
from svc_verifier.trust import TcbStatus, Trust

Collateral = Mapping[tuple[str, str], str] | Missing
NO_LEVEL: Final = "NoLevel"
REVOKED: Final = "Revoked"
"""Statuses that no policy accepts: a TCB below every level of Intel's, and one that Intel took back."""

_TCB_REFUSALS: Final = {
    "dcap-qvl: Verification failed: No matching TCB level found": NO_LEVEL,
    "dcap-qvl: Verification failed: TCB status is invalid: Revoked": REVOKED,
}
"""All that dcap-qvl 0.7 says where all signatures hold and the platform's TCB does not: it looks at that last.

A revoked certificate ("CertRevoked") and whatever it could not read are no such case; these it quotes, so a message that
merely ends so may be a stranger's.
"""

_NEWER_FORMS: Final = frozenset(
    {
        VerifierErrorCode.UNSUPPORTED_VERSION,
        VerifierErrorCode.UNSUPPORTED_BODY,
        VerifierErrorCode.UNSUPPORTED_SIGNATURE,
    }
)
_AGING: Final = frozenset({"TCB info", "QE identity", "PCK CRL"})
"""Parts that Intel issues anew each day. Its root CA's CRL is of once a year."""

_REST = "hardware.collateral"
PLATFORM_WORTH: Final = frozenset({"hardware.tcb-status", "hardware.platform"})
"""Checks on how good a platform is; its quotes are genuine or not regardless."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """A quote that parses, and what its own certificate says of its platform."""

    quote: Quote
    raw: bytes
    platform: Platform


def check_hardware(quote_hex: str | None, collateral: Collateral, trust: Trust, now_s: int) -> Outcome[VerifiedQuote]:
    """All checks of the group over a quote in hex; `now_s` is unix seconds.

    The value is there when all passed but those on how good the platform is (TCB status, pinned platforms): these reject
    the node, and still what its genuine quote says can be looked at.
    """
    if quote_hex is None:
        return group_not_made("hardware.quote", Group.HARDWARE)
    try:
        subject = _read(quote_hex)
    except VerifierError as error:
        return _with(_unreadable(error))
    # Decided without collateral: these hold or fail whatever Intel says of the platform.
    own = (_quote(subject), _attributes(subject.quote), _owner(subject.quote, trust), _platform(subject, trust))
    try:
        text = _collateral_of(subject, collateral)
        facts = read_collateral(text)
    except VerifierError as error:
        return _with(*own, failed(_REST, error.message))
    # Unknown and not failed: collateral comes from Intel or a cache, and its absence says nothing against the host.
    except LookupError as error:
        missing = unknown(_REST, str(error), "Name another source of collateral, or try again later.")
        foreign = _foreign_root(subject, trust)
        return _with(*own, missing, *(() if foreign is None else (foreign,)))
    valid, module = _validity(facts, subject, trust, now_s), _tdx_module(facts, subject, trust)
    signatures, verdict = _signatures(subject, text, trust, now_s, (own[1], valid, module))
    made = _with(
        *own,
        _signers(facts, subject, signatures, trust),
        valid,
        module,
        signatures,
        _tcb_status(signatures, verdict, _Tcb(subject, tcb_info_of(text)), trust),
    )
    # Later stages read a quote only when all of this held; the platform's worth has verdicts of its own.
    if verdict is None or not _genuine(made.checks):
        return made
    verified = VerifiedQuote(
        quote=subject.quote,
        tcb_status=verdict.status,
        advisories=_advisories(verdict),
        fmspc=subject.platform.fmspc,
        ca=subject.platform.ca,
        ppid=subject.platform.ppid,
        evaluation_number=facts.evaluation_number,
    )
    return Outcome(made.checks, verified)


def _unreadable(error: VerifierError) -> Check:
    """A form of a quote that is newer than this verifier says nothing against who showed it."""
    if error.code in _NEWER_FORMS:
        return unknown("hardware.quote", error.message, "A newer verifier may know this form.")
    return failed("hardware.quote", error.message)


def _genuine(checks: tuple[Check, ...]) -> bool:
    """Whether all is well but for what the platform is worth."""
    return all(check.status is Status.PASSED for check in checks if check.id not in PLATFORM_WORTH)


def _with(*made: Check) -> Outcome[VerifiedQuote]:
    """The group with what was decided; the rest could not be."""
    missing = "hardware.quote" if made[0].status is not Status.PASSED else _REST
    by_id = {check.id: check for check in made}
    rest: Outcome[VerifiedQuote] = group_not_made(missing, Group.HARDWARE)
    return Outcome(tuple(by_id.get(check.id, check) for check in rest.checks), None)


def _read(quote_hex: str) -> _Subject:
    raw = quote_from_hex(quote_hex)
    quote = parse_quote(raw)
    # Quote buffers are padded with zeros; other bytes could pass as part of what was signed.
    if not quote.trailing_is_zero:
        message = f"quote: {quote.trailing_bytes} bytes follow it that nobody signed"
        raise VerifierError(VerifierErrorCode.TRAILING_BYTES, message)
    return _Subject(quote, raw, platform_of(raw))


def _collateral_of(subject: _Subject, collateral: Collateral) -> str:
    """Raises LookupError saying why there is none for this platform."""
    platform = subject.platform
    found = {} if isinstance(collateral, Missing) else collateral
    # Intel publishes collateral for each platform family (FMSPC) and kind of PCK CA (processor or platform).
    if (platform.fmspc, platform.ca) not in found:
        why = collateral.why if isinstance(collateral, Missing) else "it was not fetched"
        raise LookupError(f"no collateral for FMSPC {platform.fmspc} and CA {platform.ca}: {why}")
    return found[platform.fmspc, platform.ca]


def _quote(subject: _Subject) -> Check:
    header, report = subject.quote.header, subject.quote.report
    return passed("hardware.quote", version=str(header.version), mrtd=report.mr_td.hex(), fmspc=subject.platform.fmspc)


def _attributes(quote: Quote) -> Check:
    problems = list(td_problems(quote.report))
    evidence = {"td_attributes": quote.report.td_attributes.hex(), "xfam": quote.report.xfam.hex()}
    extension = quote.report.extension
    if extension is not None:
        evidence |= {"td_id": extension.td_id.hex(), "device_info": extension.device_info.hex()}
        evidence |= {"launch_fmspc": extension.launch_fmspc.hex()}
    if problems:
        return failed("hardware.td-attributes", "; ".join(problems), **evidence)
    return passed("hardware.td-attributes", **evidence)


def _owner(quote: Quote, trust: Trust) -> Check:
    """The host sets both at the TD's start, and a program may read a meaning into them: dstack leaves them at zero."""
    name, report = "hardware.td-owner", quote.report
    evidence = {"mr_owner": report.mr_owner.hex(), "mr_owner_config": report.mr_owner_config.hex()}
    pinned = {
        "mr_owner": trust.mr_owner or bytes(MEASUREMENT_LENGTH),
        "mr_owner_config": trust.mr_owner_config or bytes(MEASUREMENT_LENGTH),
    }
    for member, value in pinned.items():
        if evidence[member] != value.hex():
            expected = value.hex() if any(value) else "zero, as it is where nobody sets it"
            why = f"{member.upper().replace('_', '', 1)} is {evidence[member]}, expected is {expected}"
            return failed(name, why, f"Pin it as `{member}` in trust.toml if you know what it is of.", **evidence)
    return passed(name, **evidence)


def _tdx_module(facts: CollateralFacts, subject: _Subject, trust: Trust) -> Check:
    """Compare the module that isolates the TD with Intel's. Its measurement changes with each release: it is shown, and may be pinned."""
    name, report = "hardware.tdx-module", subject.quote.report
    evidence = {"mrseam": report.mr_seam.hex(), "seam_attributes": report.seam_attributes.hex()}
    svns = (report.tee_tcb_svn, report.tee_tcb_svn2 or report.tee_tcb_svn)
    evidence["tee_tcb_svn"] = svns[0].hex()
    if report.tee_tcb_svn2 is not None:
        evidence["tee_tcb_svn2"] = svns[1].hex()
    # The module at launch and the one that runs now may be of two versions, each with an identity of its own.
    for svn in svns:
        identity = facts.modules.get(svn[1])
        if identity is None:
            return failed(name, f"the collateral knows no TDX module of version {svn[1]}", **evidence)
        problem = identity.problem(report)
        if problem:
            return failed(name, problem, "This is no module of Intel's.", **evidence)
    if trust.tcb.tdx_modules and report.mr_seam not in trust.tcb.tdx_modules:
        fix = "The operator may have updated it: read which release has this measurement, and pin it as well."
        return failed(name, f"the TDX module {evidence['mrseam']} is none of the pinned ones", fix, **evidence)
    return passed(name, **evidence)


def _platform(subject: _Subject, trust: Trust) -> Check:
    ppid = subject.platform.ppid
    # PPIDs pin machines: against physical attacks on a machine that the attacker owns, which DCAP does not exclude.
    if not trust.tcb.platforms:
        return skipped("hardware.platform", "no platform is pinned", ppid=ppid.hex())
    if ppid not in trust.tcb.platforms:
        return failed("hardware.platform", "the platform is none of the pinned ones", ppid=ppid.hex())
    return passed("hardware.platform", ppid=ppid.hex())


def _signers(facts: CollateralFacts, subject: _Subject, signatures: Check, trust: Trust) -> Check:
    """Any key below the root could sign otherwise, a leaked PCK key included."""
    try:
        chain = parse_chain(subject.platform.chain_pem, "the quote's PCK chain", VerifierErrorCode.BAD_PCK)
    except VerifierError as error:
        return failed("hardware.signers", error.message)
    # The chain in the quote is the one dcap-qvl verified, since collateral with a chain of its own is refused.
    signers = dict(zip(("tcb_info", "qe_identity"), facts.signers, strict=True))
    found = {name: common_name(signer) for name, signer in signers.items()} | {"pck": common_name(chain[0])}
    # dcap-qvl verifies the chains to Intel's root and leaves the role of the leaf to its caller.
    for name, expected in {"tcb_info": TCB_SIGNER, "qe_identity": TCB_SIGNER, "pck": PCK_LEAF}.items():
        if found[name] != expected:
            return failed("hardware.signers", f"{name} was signed by {found[name]!r}, not {expected!r}", **found)
    # A name is what an authority writes: one that issues certificates of platforms could write the name of a signer of TCBs.
    # Where the signatures do not hold, that is what is wrong: the chain may end in any root.
    for name, signer in signers.items() if signatures.status is Status.PASSED else ():
        if not is_issued_by(signer, _root(trust)):
            return failed("hardware.signers", f"the signer of {name} was not issued by the root itself", **found)
    return passed("hardware.signers", **found)


def _validity(facts: CollateralFacts, subject: _Subject, trust: Trust, now_s: int) -> Check:
    """Old collateral may call a platform good that newer collateral does not."""
    evidence = {"evaluation_number": str(facts.evaluation_number), "fmspc": facts.fmspc}
    # All four parts: an expired CRL hides revocations as an expired TCB info hides recoveries.
    for part in facts.validities:
        evidence[part.name] = f"{part.from_s} to {part.until_s}"
        # A clock that is behind would also accept what has expired since.
        if now_s < part.from_s:
            return failed(
                _REST, f"the {part.name} was issued after the time of verification", "Check the clock.", **evidence
            )
        if now_s > part.until_s:
            return failed(_REST, f"the {part.name} has expired", "Fetch the collateral anew.", **evidence)
    # The oldest: each may hide what was revoked since.
    age_s = now_s - min(part.from_s for part in facts.validities if part.name in _AGING)
    if age_s > trust.tcb.collateral_max_age_s:
        return failed(
            _REST, f"the collateral is {age_s} s old, the policy allows {trust.tcb.collateral_max_age_s}", **evidence
        )
    # Intel raises this number with each TCB recovery, so it tells old collateral that is still within its validity.
    if facts.evaluation_number < trust.tcb.minimum_evaluation_number:
        why = f"TCB evaluation number {facts.evaluation_number}, the policy wants {trust.tcb.minimum_evaluation_number}"
        return failed(_REST, why, "Somebody may have served old collateral.", **evidence)
    # Collateral of another platform family says nothing of this one, and its levels count the versions of one provisioning
    # certification enclave (PCE): another's numbers mean other software.
    platform = subject.platform
    told = {"FMSPC": (facts.fmspc, platform.fmspc), "PCEID": (facts.pce_id.hex(), platform.pce_id.hex())}
    for what, (theirs, own) in told.items():
        if theirs != own:
            return failed(_REST, f"the collateral is of {what} {theirs}, the quote of {own}", **evidence)
    return passed(_REST, **evidence)


def _signatures(
    subject: _Subject, collateral: str, trust: Trust, now_s: int, others: tuple[Check, ...]
) -> tuple[Check, TcbVerdict | None]:
    root = _root(trust)
    evidence = {"root_sha256": hashlib.sha256(root).hexdigest()}
    try:
        verdict = verify_quote(subject.raw, collateral, root, now_s)
    except VerifierError as error:
        # Compared whole: a message that merely contains these words may quote bytes of the quote's author.
        if error.message in _TCB_REFUSALS:
            return passed("hardware.signatures", **evidence), TcbVerdict(_TCB_REFUSALS[error.message], ())
        # The library stops at the first fault; that fault has a check of its own, and the signatures were not tried.
        spoiled = next((check.id for check in others if check.status is Status.FAILED), None)
        if spoiled is not None:
            return unknown("hardware.signatures", f"{spoiled} failed, and dcap-qvl stops there: {error.message}"), None
        refused = failed("hardware.signatures", error.message, "This is no genuine quote.", **evidence)
        return _foreign_root(subject, trust) or refused, None
    return passed("hardware.signatures", **evidence), verdict


def _root(trust: Trust) -> bytes:
    """The root that all trust ends in. Intel's is part of this program: one from the host would prove nothing."""
    return trust.development_root.certificate_der if trust.development_root else intel_root()


def _foreign_root(subject: _Subject, trust: Trust) -> Check | None:
    """The failed check of a quote whose certificates end in a root that is not Intel's; None where they may end there.

    Such a quote cannot be genuine, whatever collateral says. Simulators make them, and their users should learn how to
    verify one as such.
    """
    if trust.development_root is not None:
        return None
    try:
        name = guarded(VerifierErrorCode.BAD_PCK, lambda _: "no certificates", lambda: _foreign_root_name(subject))
    except VerifierError:
        return None
    if name is None:
        return None
    why = f"the quote's certificates end in the root {name!r}, which is not Intel's"
    fix = (
        "This looks like a simulator. To verify a development node of your own as such, name its root: "
        "--insecure-dev-root FILE (`make run` keeps it in .data/tee-simulator/root.pem)."
    )
    return failed("hardware.signatures", why, fix)


def _foreign_root_name(subject: _Subject) -> str | None:
    """The subject of the self-signed end of the quote's certificates; None when it is Intel's or not self-signed."""
    last = parse_chain(subject.platform.chain_pem, "the quote's PCK chain", VerifierErrorCode.BAD_PCK)[-1]
    # Compared by key: a certificate can state Intel's name without having its key.
    if last.issuer != last.subject or last.public_key() == load_der_x509_certificate(intel_root()).public_key():
        return None
    return last.subject.rfc4514_string()[:200]


_UPDATE: Final = "The operator must update the machine: BIOS, microcode, TDX module. This status cannot be accepted."
_UPDATE_OR_ACCEPT: Final = (
    "The operator must update the machine (BIOS, microcode, TDX module), or you accept the status with --accept-tcb, or in "
    "trust.toml, knowing what it means."
)


@dataclass(frozen=True, slots=True)
class _Tcb:
    """TCB of a quote's platform, and the TCB info by which Intel judges it."""

    subject: _Subject
    tcb_info: str

    def words(self, status: str, tee_tcb_svn: bytes) -> str:
        """What lies behind a status, for who is to mend it."""
        chain = self.subject.platform.chain_pem
        if status == NO_LEVEL:
            level = nearest_level(self.tcb_info, chain, tee_tcb_svn)
            least = f"; of the nearest one ({level.status}, {level.date}) {', '.join(level.short)}" if level else ""
            return f": below every level that Intel lists for FMSPC {self.subject.platform.fmspc}{least}"
        if status == REVOKED:
            return ": Intel took this level back"
        short = shortfalls(self.tcb_info, chain, tee_tcb_svn)
        return f": {', '.join(short)}" if short else ""


def _tcb_status(signatures: Check, verdict: TcbVerdict | None, tcb: _Tcb, trust: Trust) -> Check:
    """Judge the TCB of the TD's launch, and the one that runs it now, where the report tells of it: both must do."""
    name = "hardware.tcb-status"
    if verdict is None:
        return not_made(name, signatures.id)
    evidence = {"status": verdict.status, "advisories": ", ".join(_advisories(verdict))}
    report = tcb.subject.quote.report
    stated = [("the platform's TCB status", verdict.status, report.tee_tcb_svn)]
    if verdict.running is not None:
        evidence["running_status"] = verdict.running.status
        running = report.tee_tcb_svn2 or report.tee_tcb_svn
        stated.append(("the TCB status of what runs the TD now (TEE_TCB_SVN_2)", verdict.running.status, running))
    if verdict.quoting_enclave:
        evidence["quoting_enclave_status"] = verdict.quoting_enclave
        what = "the TCB status of the enclave that signed the quote"
        stated.append((what, verdict.quoting_enclave, report.tee_tcb_svn))
    for what, status, tee_tcb_svn in stated:
        known = status in set(TcbStatus)
        # A status unknown to this program is refused: the accepted ones are a list, not the rest.
        if not known or TcbStatus(status) not in trust.tcb.accepted:
            why = f"{what} is {status}{tcb.words(status, tee_tcb_svn)}"
            return failed(name, why, _UPDATE_OR_ACCEPT if known else _UPDATE, **evidence)
    # Also under an accepted status: UpToDate may list advisories whose mitigation is software.
    rejected = trust.tcb.rejected_advisories.intersection(_advisories(verdict))
    if rejected:
        return failed(name, f"the platform is open to {', '.join(sorted(rejected))}", **evidence)
    return passed(name, **evidence)


def _advisories(verdict: TcbVerdict) -> tuple[str, ...]:
    """Returns the advisories of both TCBs, each once."""
    return tuple(dict.fromkeys((*verdict.advisories, *(verdict.running.advisories if verdict.running else ()))))
