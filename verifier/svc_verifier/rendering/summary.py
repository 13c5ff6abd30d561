"""The report in ten lines: the verdict, its causes with what to do, who was verified, and what is not proven."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from svc_verifier.check import Check, Status
from svc_verifier.rendering.text import DEV, DEV_WARNING, WORDS, moment, plain
from svc_verifier.report import Report, Verdict

LABEL_CHARACTERS: Final = 12
CAUSES: Final = 3
"""Causes told in full; more are named."""
IMAGES: Final = 4
NOT_PROVEN: Final = 5
VALUE_CHARACTERS: Final = 400
MINIMUM_WIDTH: Final = 60
_COLOURS: Final = {Verdict.ACCEPTED: "32", Verdict.REJECTED: "31", Verdict.UNDECIDED: "33"}


def summary(report: Report, *, width: int, colour: bool = False) -> str:
    """The report as lines of at most `width` characters; long words, such as hashes, are never broken."""
    mark = f"{DEV} " if report.development else ""
    room = max(MINIMUM_WIDTH, width) - len(mark)
    lines = [line for label, text in _rows(report) for line in _labelled(label, text, room)]
    verdict = f"{WORDS[report.verdict]} {plain(report.host, 253)}"
    if report.development:
        verdict += f" ({DEV_WARNING})"
    if colour:
        shown = Verdict.UNDECIDED if report.development and report.verdict is Verdict.ACCEPTED else report.verdict
        verdict = f"\x1b[1;{_COLOURS[shown]}m{verdict}\x1b[0m"
    return "".join(f"{mark}{line}\n" for line in (verdict, *lines))


def _labelled(label: str, text: str, room: int) -> list[str]:
    indent = " " * LABEL_CHARACTERS
    return wrap(
        text,
        room,
        initial_indent=f"{label:<{LABEL_CHARACTERS}}",
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _rows(report: Report) -> Iterator[tuple[str, str]]:
    checks = {check.id: check for check in report.checks}
    yield from _causes(report)
    known = (
        ("app id", _value(checks["identity.app-id"], "measured", "0x")),
        ("compose", _value(checks["identity.compose-measured"], "measured")),
        ("images", _images(checks["code.images"])),
        ("OS image", _value(checks["os.measurements"], "os_image_hash", more=_image_name(checks["os.production"]))),
        (
            "owner",
            _value(checks["governance.owner"], "owner", more=checks["governance.owner"].evidence.get("kind", "")),
        ),
        ("accounts", _value(checks["accounts.contract"], "contract", more=_account_owner(checks["accounts.owner"]))),
        ("certificate", _value(checks["tls.certificate"], "spki_sha256", "public key sha256 ")),
    )
    yield from ((label, text) for label, text in known if text)
    yield from _not_proven(report)
    yield "time", _time(report, checks["freshness.evidence"])


def _causes(report: Report) -> Iterator[tuple[str, str]]:
    told, rest = report.causes[:CAUSES], report.causes[CAUSES:]
    for check in told:
        yield "cause", f"{check.id}: {plain(check.why, VALUE_CHARACTERS)}"
        if check.fix:
            yield "", plain(check.fix, VALUE_CHARACTERS)
    if rest:
        yield "", f"and {len(rest)} more: {', '.join(check.id for check in rest)}"


def _value(check: Check, name: str, prefix: str = "", *, more: str = "") -> str:
    """Return a value that a check compared; marked where the check did not pass, so that nobody takes it for proven."""
    value = check.evidence.get(name)
    if not value:
        return ""
    shown = f"{prefix}{plain(value, VALUE_CHARACTERS)}" + (f" ({plain(more, VALUE_CHARACTERS)})" if more else "")
    return shown if check.status is Status.PASSED else f"{shown} [{_mark_of(check)}]"


def _mark_of(check: Check) -> str:
    return {Status.FAILED: "refused", Status.SKIPPED: "skipped"}.get(check.status, "unproven")


def _image_name(check: Check) -> str:
    return check.evidence.get("image", "")


def _account_owner(check: Check) -> str:
    owner = check.evidence.get("owner", "")
    return f"owner {owner}" if owner else ""


def _images(check: Check) -> str:
    names = [plain(value, VALUE_CHARACTERS) for value in check.evidence.values()]
    if not names:
        return ""
    shown = ", ".join(names[:IMAGES]) + (f" and {len(names) - IMAGES} more" if len(names) > IMAGES else "")
    return shown if check.status is Status.PASSED else f"{shown} [{_mark_of(check)}]"


def _not_proven(report: Report) -> Iterator[tuple[str, str]]:
    """Checks without an answer beside the causes: by name, and by number those that wait for a cause."""
    causes = {check.id for check in report.causes}
    undecided = [c for c in report.checks if c.status in {Status.UNKNOWN, Status.SKIPPED} and c.id not in causes]
    names = [check.id for check in undecided if not check.depends_on]
    waiting = len(undecided) - len(names)
    parts = names[:NOT_PROVEN]
    if len(names) > NOT_PROVEN:
        parts.append(f"{len(names) - NOT_PROVEN} more")
    if waiting:
        parts.append(f"{waiting} checks that depend on one that did not pass")
    if parts:
        yield "not proven", ", ".join(parts)


def _time(report: Report, evidence: Check) -> str:
    days = evidence.evidence.get("age_days", "")
    age = "; evidence set less than a day old" if days == "0" else f"; evidence set at most {plain(days, 20)} days old"
    age = age if days else ""
    if report.imported:
        source = f"files judged at {moment(report.now_s)}; nothing of them is fresh or bound to a connection"
    elif report.replayed:
        source = f"replayed from a bundle of {moment(report.now_s)}; connection, chain and time are as its writer says"
    else:
        source = f"looked at {moment(report.now_s)}"
    return f"{source}{age} (-v shows every check)"
