"""What every rendering says of a report, in words: its verdict, its parts, who vouches for what."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from svc_verifier.bundle import RECORDED
from svc_verifier.catalogue import CATALOGUE
from svc_verifier.check import Check, Group, Status
from svc_verifier.rendering.plain import moment, plain
from svc_verifier.report import Report, Verdict

TITLES: Final = {
    Group.HARDWARE: "Hardware: is this a genuine, well-kept TDX platform?",
    Group.LOG: "Event log: does it give the registers of the quote?",
    Group.IDENTITY: "Identity: is it the application that was asked for?",
    Group.OS: "Operating system: is what measured the application known?",
    Group.CODE: "Code: do pinned images run, and nothing else?",
    Group.EVIDENCE: "Evidence: does the same TD vouch for the certificate?",
    Group.TLS: "Connection: does TLS end inside that TD?",
    Group.FRESHNESS: "Freshness: is this of now?",
    Group.GOVERNANCE: "Approval: does the pinned contract allow this code?",
    Group.CONFIG: "Configuration: is the attested node set up as you pinned?",
    Group.ACCOUNTS: "Accounts: is the contract that guards the keys the published one?",
}
WORDS: Final = {Verdict.ACCEPTED: "ACCEPTED", Verdict.REJECTED: "REJECTED", Verdict.UNDECIDED: "COULD NOT DECIDE"}
PROVED: Final = "proved"
AS_RECORDED: Final = "recorded"
DEV: Final = "DEV"
DEV_WARNING: Final = "INSECURE development root: no hardware vouches for anything in this report"


def groups(report: Report) -> Iterator[tuple[Group, tuple[Check, ...]]]:
    """The checks by what they are about, in the order of the chain they close."""
    for group in Group:
        yield group, tuple(check for check in report.checks if check.group is group)


def verdict_line(report: Report) -> str:
    """The verdict, whose it is, and the checks that decided it."""
    host = plain(report.host, 253)
    counted = Counter(check.status for check in report.checks)
    counts = ", ".join(f"{counted[status]} {status}" for status in Status if counted[status])
    return f"{WORDS[report.verdict]} {host}: {_because(report)} ({counts})"


def _because(report: Report) -> str:
    if report.verdict is Verdict.ACCEPTED:
        return "every required check holds"
    status = Status.FAILED if report.verdict is Verdict.REJECTED else Status.UNKNOWN
    return f"{status}: {', '.join(check.id for check in report.causes)}"


def when_line(report: Report) -> str:
    """Live, from files or from a bundle, and of what time."""
    if report.imported:
        return (
            f"Read from files and judged as of {moment(report.now_s)}: no connection was seen, no chain was asked and "
            "nothing is fresh, so this never ends in acceptance"
        )
    if not report.replayed:
        return f"Looked at on {moment(report.now_s)}"
    return (
        f"Replayed from a bundle, judged at its recorded time, {moment(report.now_s)}: checks marked [{PROVED}] follow "
        f"from the bundle alone, at that time; those marked [{AS_RECORDED}] are as whoever saved it recorded them"
    )


def required(check: Check) -> bool:
    """Whether acceptance needs the check."""
    return CATALOGUE[check.id].required


def proof(report: Report, check: Check) -> str:
    """Who vouches for a decided check of a replay; empty where that is not a question."""
    if not report.replayed or check.status not in {Status.PASSED, Status.FAILED}:
        return ""
    return AS_RECORDED if check.id.startswith(RECORDED) else PROVED
