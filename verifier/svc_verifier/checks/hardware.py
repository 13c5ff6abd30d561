"""Checks of quote, signatures, collateral, TCB and the TD's attributes (spec 13.3).

dcap-qvl verifies the chain; what it leaves to its callers is checked here. If it refuses for a
reason that has its own check (a debuggable TD), the signatures stay undecided and that check fails.
Collateral and the clock are not the host's. If one of them may be wrong nothing is decided, unless
the quote is refused in any case.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from cryptography.x509 import Certificate, load_der_x509_certificate

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.formats.quote import MEASUREMENT_LENGTH, Quote, parse_quote, quote_from_hex
from svc_verifier.material import Missing, Platform, VerifiedQuote
from svc_verifier.tdx.collateral import (
    PCK_LEAF,
    TCB_SIGNER,
    CollateralFacts,
    common_name,
    common_time,
    date_fault,
    dcap_json,
    fault_of,
    moment,
    read_collateral,
    revoked,
    validities_of,
)
from svc_verifier.tdx.dcap import TcbVerdict, intel_root, platform_of, verify_quote
from svc_verifier.tdx.signatures import is_issued_by, quote_fault
from svc_verifier.tdx.tcb_levels import nearest_level, shortfalls
from svc_verifier.tdx.td_attributes import td_problems
from svc_verifier.trust import TcbStatus, Trust

Collateral = Mapping[tuple[str, str], str] | Missing
NO_LEVEL: Final = "NoLevel"
REVOKED: Final = "Revoked"
"""Statuses that no policy accepts, a TCB below every level of Intel's and a revoked one."""

_TCB_REFUSALS: Final = {
    "dcap-qvl: Verification failed: No matching TCB level found": NO_LEVEL,
    "dcap-qvl: Verification failed: TCB status is invalid: Revoked": REVOKED,
}
"""Messages of dcap-qvl 0.7 for a platform's TCB, which it checks last, after all signatures.

Other messages ("CertRevoked" or unreadable input) quote their input, so an attacker may end one
with these words.
"""

_UNREAD: Final = tuple(
    f"dcap-qvl: Verification failed: {words}"
    for words in (
        "Failed to decode TcbInfo",
        "Failed to decode QeIdentity",
        "SGX component count mismatch",
        "TDX component count mismatch",
        "Invalid TCB level tcbDate",
        "Invalid TDX module tcbDate",
        "No TCB levels found in QE Identity",
    )
)
"""First words of dcap-qvl 0.7 for an unreadable document of Intel, no fault of the quote."""

_NEWER_FORMS: Final = frozenset(
    {
        VerifierErrorCode.UNSUPPORTED_VERSION,
        VerifierErrorCode.UNSUPPORTED_BODY,
        VerifierErrorCode.UNSUPPORTED_SIGNATURE,
    }
)
_AGING: Final = frozenset({"TCB info", "QE identity", "PCK CRL"})
"""Parts that Intel issues daily. Its root CA's CRL is yearly."""

_REST: Final = "hardware.collateral"
_FORGED: Final = "This is no genuine quote."
_ASK_ANOTHER: Final = (
    "This says nothing of the host. Name another source of collateral with --collateral-url, or try again later."
)
_READ_ANOTHER: Final = "This says nothing of the host. A newer verifier may read it."
PLATFORM_WORTH: Final = frozenset({"hardware.tcb-status", "hardware.platform"})
"""Checks on how good a platform is. Its quotes are genuine or not regardless."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """A quote that parses, its certificate's statements on the platform, and its chain."""

    quote: Quote
    raw: bytes
    platform: Platform
    chain: tuple[Certificate, ...]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Facts beside the evidence. `clock` is the clock's difference from the chain's, if any.

    `unreached` says by platform why its source failed and kept collateral is used.
    """

    clock: str = ""
    unreached: Mapping[tuple[str, str], str] = field(default_factory=dict)


USUAL: Final = Circumstances()


def check_hardware(
    quote_hex: str | None, collateral: Collateral, trust: Trust, now_s: int, circumstances: Circumstances = USUAL
) -> Outcome[VerifiedQuote]:
    """Returns all checks of the group over a quote in hex; `now_s` is unix seconds.

    What collateral, its source or the clock may cause is undecided, since it proves nothing against
    the host. The value is there if all passed but `PLATFORM_WORTH`. These reject the node, but the
    statements of its genuine quote can still be read.
    """
    if quote_hex is None:
        return group_not_made("hardware.quote", Group.HARDWARE)
    try:
        subject = _read(quote_hex)
    except VerifierError as error:
        return _with(_unreadable(error))
    # Decided without collateral, whatever Intel says of the platform.
    own = (_quote(subject), _attributes(subject.quote), _owner(subject.quote, trust), _platform(subject, trust))
    try:
        facts = _facts(subject, collateral, trust)
        when = _when(facts, subject, now_s)
    # Unknown and not failed, since collateral comes from Intel or a cache and not from the host.
    except (VerifierError, LookupError) as error:
        refused = _refused_anyway(subject, trust, None)
        return _with(*own, unknown(_REST, str(error), _ASK_ANOTHER), *(() if refused is None else (refused,)))
    platform = subject.platform.fmspc, subject.platform.ca
    valid = _validity(facts, trust, when, circumstances.clock)
    unreached = circumstances.unreached.get(platform)
    if unreached is not None:
        kept = f"kept from before, issued {moment(facts.validities[0].from_s)}: {unreached}"
        valid = replace(valid, evidence={**valid.evidence, "kept": kept})
    module = _tdx_module(facts, subject, trust, counts=valid.status is Status.PASSED)
    signers = _signers(facts, subject, trust)
    spoiling = (own[1], module, *((signers,) if signers.status is Status.UNKNOWN else ()))
    signatures, verdict = _signatures(subject, facts, trust, when, spoiling)
    made = _with(
        *own,
        signers,
        valid,
        module,
        signatures,
        _tcb_status(signatures, verdict, _Tcb(subject, facts.tcb_info.text), trust),
    )
    # Later stages need a quote of which all of this held, except for the platform's worth.
    genuine = all(check.status is Status.PASSED for check in made.checks if check.id not in PLATFORM_WORTH)
    if verdict is None or not genuine:
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
    """Returns the check of an unreadable quote. A form newer than this verifier is no failure."""
    if error.code in _NEWER_FORMS:
        return unknown("hardware.quote", error.message, "A newer verifier may know this form.")
    return failed("hardware.quote", error.message)


def _with(*made: Check) -> Outcome[VerifiedQuote]:
    """Returns the group with the checks that were made and the others as not made."""
    missing = "hardware.quote" if made[0].status is not Status.PASSED else _REST
    by_id = {check.id: check for check in made}
    rest: Outcome[VerifiedQuote] = group_not_made(missing, Group.HARDWARE)
    return Outcome(tuple(by_id.get(check.id, check) for check in rest.checks), None)


def _read(quote_hex: str) -> _Subject:
    raw = quote_from_hex(quote_hex)
    quote = parse_quote(raw)
    # Quote buffers are padded with zeros. Other bytes could pass as part of what was signed.
    if not quote.trailing_is_zero:
        message = f"quote: {quote.trailing_bytes} unsigned bytes follow it"
        raise VerifierError(VerifierErrorCode.TRAILING_BYTES, message)
    platform = platform_of(raw)
    # dcap-qvl reads PEM blocks of any label, so this chain must have no others.
    chain = parse_chain(platform.chain_pem, "the quote's PCK chain", VerifierErrorCode.BAD_PCK)
    return _Subject(quote, raw, platform, chain)


def _facts(subject: _Subject, collateral: Collateral, trust: Trust) -> CollateralFacts:
    """Returns facts proven to be of the platform. Raises VerifierError and LookupError."""
    facts = read_collateral(_collateral_of(subject, collateral))
    fault = fault_of(facts, subject.platform, subject.chain, _root(trust))
    if fault:
        raise VerifierError(VerifierErrorCode.BAD_COLLATERAL, fault)
    return facts


def _collateral_of(subject: _Subject, collateral: Collateral) -> str:
    """Returns the platform's collateral. Raises LookupError with the reason if there is none."""
    platform = subject.platform
    found = {} if isinstance(collateral, Missing) else collateral
    # Intel publishes collateral for each platform family (FMSPC) and kind of PCK CA.
    if (platform.fmspc, platform.ca) not in found:
        why = collateral.why if isinstance(collateral, Missing) else "it was not fetched"
        raise LookupError(f"no collateral for FMSPC {platform.fmspc} and CA {platform.ca}: {why}")
    return found[platform.fmspc, platform.ca]


def _quote(subject: _Subject) -> Check:
    quote, fmspc = subject.quote, subject.platform.fmspc
    return passed("hardware.quote", version=str(quote.version), mrtd=quote.report.mr_td.hex(), fmspc=fmspc)


def _attributes(quote: Quote) -> Check:
    problems = list(td_problems(quote.report))
    evidence = {"td_attributes": quote.report.td_attributes.hex(), "xfam": quote.report.xfam.hex()}
    extension = quote.report.extension
    if extension is not None:
        evidence |= {"td_id": extension.td_id.hex(), "device_info": extension.dev_info.hex()}
        evidence |= {"launch_fmspc": extension.init_tee_fmspc.hex()}
    if problems:
        return failed("hardware.td-attributes", "; ".join(problems), **evidence)
    return passed("hardware.td-attributes", **evidence)


def _owner(quote: Quote, trust: Trust) -> Check:
    """Check the owner fields, which the host sets and programs may use. dstack's are zero."""
    name, report = "hardware.td-owner", quote.report
    evidence = {"mr_owner": report.mr_owner.hex(), "mr_owner_config": report.mr_owner_config.hex()}
    pinned = {
        "mr_owner": trust.mr_owner or bytes(MEASUREMENT_LENGTH),
        "mr_owner_config": trust.mr_owner_config or bytes(MEASUREMENT_LENGTH),
    }
    for member, value in pinned.items():
        if evidence[member] != value.hex():
            expected = value.hex() if any(value) else "zero, its value where it is not set"
            why = f"{member.upper().replace('_', '', 1)} is {evidence[member]}, expected is {expected}"
            return failed(name, why, f"Pin it as `{member}` in trust.toml if you know what it is of.", **evidence)
    return passed(name, **evidence)


def _tdx_module(facts: CollateralFacts, subject: _Subject, trust: Trust, *, counts: bool) -> Check:
    """Compare the TDX module with Intel's. Its measurement changes with releases; it may be pinned.

    Without `counts` the collateral is of another time and may lack a new module.
    """
    name, report = "hardware.tdx-module", subject.quote.report
    evidence = {"mrseam": report.mr_seam.hex(), "seam_attributes": report.seam_attributes.hex()}
    svns = (report.tee_tcb_svn, report.tee_tcb_svn2 or report.tee_tcb_svn)
    evidence["tee_tcb_svn"] = svns[0].hex()
    if report.tee_tcb_svn2 is not None:
        evidence["tee_tcb_svn2"] = svns[1].hex()
    if trust.tcb.tdx_modules and report.mr_seam not in trust.tcb.tdx_modules:
        fix = "The operator may have updated it: read which release has this measurement, and pin it as well."
        return failed(name, f"the TDX module {evidence['mrseam']} is none of the pinned ones", fix, **evidence)
    # The module at launch and the running one may be of two versions with their own identities.
    for svn in svns:
        identity = facts.modules.get(svn[1])
        missing = f"the collateral knows no TDX module of version {svn[1]}"
        problem = missing if identity is None else identity.problem(report)
        if identity is None and not counts:
            return not_made(name, _REST, **evidence)
        if problem:
            fix = "" if identity is None else "This is no module of Intel's."
            return failed(name, problem, fix, **evidence)
    return passed(name, **evidence)


def _platform(subject: _Subject, trust: Trust) -> Check:
    ppid = subject.platform.ppid
    # Pinned PPIDs exclude an attacker's own machine, on which DCAP excludes no physical attack.
    if not trust.tcb.platforms:
        return skipped("hardware.platform", "no platform is pinned", ppid=ppid.hex())
    if ppid not in trust.tcb.platforms:
        return failed("hardware.platform", "the platform is none of the pinned ones", ppid=ppid.hex())
    return passed("hardware.platform", ppid=ppid.hex())


def _signers(facts: CollateralFacts, subject: _Subject, trust: Trust) -> Check:
    """Check the signers' roles. A wrong signer of collateral is not the host's fault."""
    # dcap-qvl verified the chain in the quote, since collateral with its own chain is refused.
    signers = dict(zip(("tcb_info", "qe_identity"), facts.signers, strict=True))
    found = {name: common_name(signer) for name, signer in signers.items()} | {"pck": common_name(subject.chain[0])}
    # dcap-qvl verifies the chains to Intel's root and leaves the role of the leaf to its caller.
    if found["pck"] != PCK_LEAF:
        return failed("hardware.signers", f"pck was signed by {found['pck']!r}, not {PCK_LEAF!r}", **found)
    for name, signer in signers.items():
        if found[name] != TCB_SIGNER:
            why = f"{name} was signed by {found[name]!r}, not {TCB_SIGNER!r}"
            return unknown("hardware.signers", why, _ASK_ANOTHER, **found)
        # An authority for platforms could write the name of a TCB signer, so its issuer counts too.
        if not is_issued_by(signer, _root(trust)):
            why = f"the signer of {name} was not issued by the root itself"
            return unknown("hardware.signers", why, _ASK_ANOTHER, **found)
    return passed("hardware.signers", **found)


@dataclass(frozen=True, slots=True)
class _When:
    """Time of verification. `fault` says why a date does not hold then; `at_s` is when all do.

    `at_s` is None if there is no such time.
    """

    now_s: int
    fault: str
    at_s: int | None


def _when(facts: CollateralFacts, subject: _Subject, now_s: int) -> _When:
    validities = validities_of(facts, subject.chain)
    fault = date_fault(validities, now_s)
    # dcap-qvl reads dates before signatures and so calls a forged quote merely early or late. A
    # second run at a time at which all dates hold shows whether only a date is wrong.
    return _When(now_s, fault, common_time(validities) if fault else now_s)


def _validity(facts: CollateralFacts, trust: Trust, when: _When, clock: str) -> Check:
    """Check collateral's age, since new collateral may reject a platform. Never failed."""
    evidence = {"evaluation_number": str(facts.evaluation_number), "fmspc": facts.fmspc}
    evidence |= {part.name: f"{part.from_s} to {part.until_s}" for part in facts.validities}
    if when.fault:
        why = f"{when.fault}. The clock or the collateral is wrong" + (f": {clock}" if clock else "")
        fix = "Set this machine's clock; if it is right, fetch the collateral anew. Judge older files at their time with --at."
        return unknown(_REST, why, fix, **evidence)
    # The oldest part counts, since each may hide later revocations.
    age_s = when.now_s - min(part.from_s for part in facts.validities if part.name in _AGING)
    if age_s > trust.tcb.collateral_max_age_s:
        why = f"the collateral is {age_s} s old, the policy allows {trust.tcb.collateral_max_age_s}"
        return unknown(_REST, why, f"{_ASK_ANOTHER} The policy is `collateral_max_age_s` in trust.toml.", **evidence)
    # Intel raises this number with each TCB recovery, so it reveals old but valid collateral.
    if facts.evaluation_number < trust.tcb.minimum_evaluation_number:
        why = f"TCB evaluation number {facts.evaluation_number}, the policy wants {trust.tcb.minimum_evaluation_number}"
        return unknown(_REST, why, f"Its source may serve old collateral. {_ASK_ANOTHER}", **evidence)
    return passed(_REST, **evidence)


def _signatures(
    subject: _Subject, facts: CollateralFacts, trust: Trust, when: _When, others: tuple[Check, ...]
) -> tuple[Check, TcbVerdict | None]:
    """Verify a quote at a time at which all dates hold. Passes only if that is now.

    The verdict is there if all signatures hold.
    """
    name, root = "hardware.signatures", _root(trust)
    evidence = {"root_sha256": hashlib.sha256(root).hexdigest()}
    if when.at_s is None:
        return _refused_anyway(subject, trust, facts) or not_made(name, _REST), None
    holds = not_made(name, _REST) if when.fault else passed(name, **evidence)
    try:
        verdict = verify_quote(subject.raw, dcap_json(facts), root, when.at_s)
    except VerifierError as error:
        # Compared whole, since a longer message may quote bytes of the quote's author.
        if error.message in _TCB_REFUSALS:
            return holds, TcbVerdict(_TCB_REFUSALS[error.message], ())
        # The library stops at the first fault. If that is another's, the signatures were not tried.
        spoiled = next((check.id for check in others if check.status is not Status.PASSED), None)
        undecided = None
        if spoiled is not None:
            undecided = unknown(name, f"{spoiled} did not pass, and dcap-qvl stops there: {error.message}")
        elif error.message.startswith(_UNREAD):
            undecided = unknown(name, f"Intel's document cannot be read: {error.message}", _READ_ANOTHER)
        if undecided is not None:
            return _refused_anyway(subject, trust, facts) or undecided, None
        refused = failed(name, error.message, _FORGED, **evidence)
        return _foreign_root(subject, trust) or refused, None
    return holds, verdict


def _root(trust: Trust) -> bytes:
    """Returns the root of trust. Intel's is in this program, since the host's proves nothing."""
    return trust.development_root.certificate_der if trust.development_root else intel_root()


def _refused_anyway(subject: _Subject, trust: Trust, facts: CollateralFacts | None) -> Check | None:
    """Returns the failed check of a quote that is false whatever collateral and clock; else None.

    `facts` are of collateral that is proven, None without it.
    """
    foreign = _foreign_root(subject, trust)
    if foreign is not None:
        return foreign
    root = _root(trust)
    why = quote_fault(subject.quote, subject.chain, root) or ("" if facts is None else revoked(facts, subject.chain))
    evidence = {"root_sha256": hashlib.sha256(root).hexdigest()}
    return failed("hardware.signatures", why, _FORGED, **evidence) if why else None


def _foreign_root(subject: _Subject, trust: Trust) -> Check | None:
    """Returns the failed check of a quote with another root than Intel's, else None.

    Simulators make such quotes, and their users should learn how to verify one as such.
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
    """Returns the subject of a self-signed root of the quote, None for Intel's and for no root."""
    last = subject.chain[-1]
    # Compared by key, since a certificate can state Intel's name without having its key.
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
        """Returns the reasons for a status, for the one who is to mend it."""
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
    """Check the TCB at the TD's launch and the running one if the report has it. Both must do."""
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
        # An unknown status is refused, since the accepted ones are a list.
        if not known or TcbStatus(status) not in trust.tcb.accepted:
            why = f"{what} is {status}{tcb.words(status, tee_tcb_svn)}"
            return failed(name, why, _UPDATE_OR_ACCEPT if known else _UPDATE, **evidence)
    # Also under an accepted status, since UpToDate may list advisories mitigated in software.
    rejected = trust.tcb.rejected_advisories.intersection(_advisories(verdict))
    if rejected:
        return failed(name, f"the platform is open to {', '.join(sorted(rejected))}", **evidence)
    # At another time an accepted status proves nothing, but one that is not accepted counts.
    return passed(name, **evidence) if signatures.status is Status.PASSED else not_made(name, signatures.id)


def _advisories(verdict: TcbVerdict) -> tuple[str, ...]:
    """Returns the advisories of both TCBs, each once."""
    return tuple(dict.fromkeys((*verdict.advisories, *(verdict.running.advisories if verdict.running else ()))))
