"""Reports for people, as ten lines, a table of every check, and an HTML page."""

import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from textwrap import wrap
from typing import Any, Final

import click

from svc_verifier.check import CATALOGUE, RECORDED, Check, Group, Report, Status, Verdict

LIMIT_CHARACTERS: Final = 2_000
REPLACEMENT: Final = "\ufffd"
UNNAMED: Final = "(no name)"
_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of controls, invisible formatting, surrogates, unassigned, separators."""


def plain(text: str, limit: int = LIMIT_CHARACTERS) -> str:
    """Returns a line of at most `limit` characters, in which invisible ones are replaced."""
    # Cut before the replacement, so that the work is bounded by the limit.
    shown = text if len(text) <= limit else f"{text[:limit]}…"
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(REPLACEMENT if unicodedata.category(sign) in _REFUSED else sign for sign in shown)


def iso_moment(unix_s: int) -> str:
    """Returns a time in UTC as ISO 8601, to the second, or the Unix epoch if no calendar has it."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00Z"


def moment(unix_s: int) -> str:
    """Returns a time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"second {unix_s} of Unix time"


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
    """Yields the checks by subject, in the order of the chain they close."""
    for group in Group:
        yield group, tuple(check for check in report.checks if check.group is group)


def verdict_line(report: Report) -> str:
    """Returns the verdict with its host and the checks that decided it."""
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
    """Returns the report's source and time."""
    if report.imported:
        return (
            f"Read from files and judged as of {moment(report.now_s)}: no connection was seen, no chain was asked and "
            "nothing is fresh, so this never ends in acceptance"
        )
    if not report.replayed:
        return f"Looked at on {moment(report.now_s)}"
    return (
        f"Replayed from a bundle, judged at its recorded time, {moment(report.now_s)}: checks marked [{PROVED}] follow "
        f"from the bundle alone, at that time; those marked [{AS_RECORDED}] are as its author recorded them"
    )


def required(check: Check) -> bool:
    """Whether acceptance needs the check."""
    return CATALOGUE[check.id].required


def proof(report: Report, check: Check) -> str:
    """Returns the source of proof of a decided check of a replay; empty for others."""
    if not report.replayed or check.status not in {Status.PASSED, Status.FAILED}:
        return ""
    return AS_RECORDED if check.id.startswith(RECORDED) else PROVED


_STYLES: Final[dict[Status, dict[str, Any]]] = {
    Status.PASSED: {"fg": "green"},
    Status.FAILED: {"fg": "red", "bold": True},
    Status.UNKNOWN: {"fg": "yellow"},
    Status.SKIPPED: {"dim": True},
}
_VERDICT_STYLES: Final[dict[Verdict, dict[str, Any]]] = {
    Verdict.ACCEPTED: {"fg": "green", "bold": True},
    Verdict.REJECTED: {"fg": "red", "bold": True},
    Verdict.UNDECIDED: {"fg": "yellow", "bold": True},
}
EVIDENCE_CHARACTERS = 120
WHOLE = frozenset({Group.CONFIG, Group.ACCOUNTS})
"""Groups whose values people compare. Several payers' addresses are longer than one digest."""

STATUS_WIDTH: Final = 11
ID_WIDTH: Final = 29
_INDENT: Final = "  "


def table(report: Report, *, width: int, colour: bool = False) -> str:
    """Returns the report as lines of at most `width` characters."""
    prefix = f"{DEV} " if report.development else ""
    lines = _table_lines(report, max(MINIMUM_WIDTH, width) - len(prefix), colour=colour)
    return "".join(f"{prefix}{line}".rstrip() + "\n" for line in lines)


def _table_lines(report: Report, width: int, *, colour: bool) -> Iterator[str]:
    def styled(text: str, **style: Any) -> str:
        return click.style(text, **style) if colour else text

    # DEV is never green, since nothing that a simulator proves may look like an accepted host.
    shown = Verdict.UNDECIDED if report.development and report.verdict is Verdict.ACCEPTED else report.verdict
    # Never wrapped, so that the first line has the whole verdict.
    verdict = styled(verdict_line(report), **_VERDICT_STYLES[shown])
    yield verdict
    if report.development:
        yield from (styled(line, fg="red", bold=True) for line in _wrapped(DEV_WARNING, width))
    yield from _wrapped(when_line(report), width)
    for group, checks in groups(report):
        yield ""
        yield from (styled(line, bold=True) for line in _wrapped(TITLES[group], width))
        for check in checks:
            first, *rest = _cell(report, check, width - STATUS_WIDTH - ID_WIDTH)
            status = styled(check.status, **_STYLES[check.status]) + " " * (STATUS_WIDTH - len(check.status))
            yield f"{status}{check.id:<{ID_WIDTH}}{first}"
            yield from (f"{'':<{STATUS_WIDTH + ID_WIDTH}}{line}" for line in rest)


def _cell(report: Report, check: Check, width: int) -> Iterator[str]:
    vouching = proof(report, check)
    yield from _wrapped(check.claim + (f" [{vouching}]" if vouching else ""), width)
    for sentence in _sentences(check):
        yield from (_INDENT + line for line in _wrapped(sentence, width - len(_INDENT)))


def _wrapped(text: str, width: int) -> list[str]:
    """Returns lines of at most `width` characters. Longer words are cut, so nothing is hidden."""
    return textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]


def _sentences(check: Check) -> Iterator[str]:
    if check.why:
        optional = "" if required(check) or check.status is not Status.UNKNOWN else " (not required)"
        yield plain(check.why) + optional
    if check.fix and check.status is not Status.PASSED:
        yield plain(check.fix)
    limit = LIMIT_CHARACTERS if check.group in WHOLE else EVIDENCE_CHARACTERS
    yield from (f"{_label(name)}={plain(value, limit)}" for name, value in check.evidence.items())


def _label(name: str) -> str:
    """Returns the name of a value, never empty, since an attacker may have chosen it."""
    return plain(name, 200).strip() or UNNAMED


_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.35rem; padding: .8rem 1rem; border-radius: .5rem; color: #fff; overflow-wrap: anywhere; }
h1.accepted { background: #176f3a; } h1.rejected { background: #a41e22; } h1.undecided, h1.development { background: #7d5a00; }
h2 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p.dev { background: #a41e22; color: #fff; padding: .4rem 1rem; border-radius: .5rem; font-weight: 600; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
td { border-top: 1px solid var(--line); padding: .45rem .5rem; vertical-align: top; overflow-wrap: anywhere; }
td.status { width: 5.2rem; font-weight: 600; } td.id { width: 13rem; font-family: ui-monospace, monospace; font-size: .85rem; }
tr.passed td.status { color: #1f8a4c; } tr.failed td.status { color: #d03338; }
tr.unknown td.status { color: #a87a00; } tr.skipped td.status { opacity: .65; }
.why { margin: .2rem 0 0; } .fix { margin: .2rem 0 0; font-style: italic; }
.tag { font-size: .78rem; border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3rem; white-space: nowrap; }
details { margin-top: .25rem; font-size: .85rem; } dt { font-weight: 600; } dd { margin: 0 0 .3rem; font-family: ui-monospace, monospace; }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } td, td.id, td.status { width: auto; border: 0; padding: .1rem .5rem; }
tr { border-top: 1px solid var(--line); padding: .4rem 0; } }
"""


def page(report: Report) -> str:
    """Returns a self-contained HTML document."""
    return "".join(_page_parts(report))


def _page_parts(report: Report) -> Iterator[str]:
    mark = f"{DEV} " if report.development else ""
    verdict = escape(mark + verdict_line(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    # A second guard beside escaping, so that unescaped markup could load and run nothing.
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{verdict}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    accepted_of_nothing = report.development and report.verdict is Verdict.ACCEPTED
    yield f'<h1 class="{"development" if accepted_of_nothing else report.verdict.value}">{verdict}</h1>\n'
    if report.development:
        yield f'<p class="dev">{DEV} {escape(DEV_WARNING)}</p>\n'
    yield f"<p>{escape(mark + when_line(report))}</p>\n"
    for group, checks in groups(report):
        yield f"<h2>{escape(mark + TITLES[group])}</h2>\n<table>\n"
        for check in checks:
            yield from _row(report, check, mark)
        yield "</table>\n"
    yield "</body>\n</html>\n"


def _row(report: Report, check: Check, mark: str) -> Iterator[str]:
    yield f'<tr class="{check.status.value}"><td class="status">{mark}{check.status.value}</td>'
    yield f'<td class="id">{escape(check.id)}</td><td>{escape(check.claim)}{_tags(report, check)}'
    if check.why:
        yield f'<p class="why">{escape(plain(check.why))}</p>'
    if check.fix and check.status is not Status.PASSED:
        yield f'<p class="fix">{escape(plain(check.fix))}</p>'
    if check.evidence:
        yield "<details><summary>what was compared</summary><dl>"
        for name, value in check.evidence.items():
            yield f"<dt>{escape(_label(name))}</dt><dd>{escape(plain(value))}</dd>"
        yield "</dl></details>"
    yield "</td></tr>\n"


def _tags(report: Report, check: Check) -> str:
    tags = [proof(report, check), "" if required(check) else "not required"]
    return "".join(f' <span class="tag">{escape(tag)}</span>' for tag in tags if tag)


LABEL_CHARACTERS: Final = 12
CAUSES: Final = 3
"""Causes that are shown in full; more are named."""
IMAGES: Final = 4
NOT_PROVEN: Final = 5
VALUE_CHARACTERS: Final = 400
MINIMUM_WIDTH: Final = 60
_COLOURS: Final = {Verdict.ACCEPTED: "32", Verdict.REJECTED: "31", Verdict.UNDECIDED: "33"}


def summary(report: Report, *, width: int, colour: bool = False) -> str:
    """Returns the report as lines of `width` characters, in which hashes are never broken."""
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
    owner = checks["accounts.owner"].evidence.get("owner", "")
    judged = checks["hardware.quote"].evidence.get("judged", "")
    if judged:
        yield "judged", plain(judged)
    yield from _causes(report)
    advisories = checks["hardware.tcb-status"].evidence.get("advisories", "")
    if advisories:
        yield "advisories", plain(advisories)
    known = (
        ("app id", _value(checks["identity.app-id"], "measured", "0x")),
        ("compose", _value(checks["identity.compose-measured"], "measured")),
        ("images", _images(checks["code.images"])),
        (
            "OS image",
            _value(checks["os.measurements"], "os_image_hash", more=checks["os.production"].evidence.get("image", "")),
        ),
        (
            "owner",
            _value(checks["governance.owner"], "owner", more=checks["governance.owner"].evidence.get("kind", "")),
        ),
        ("accounts", _value(checks["accounts.contract"], "contract", more=f"owner {owner}" if owner else "")),
        ("certificate", _value(checks["tls.certificate"], "spki_sha256", "public key sha256 ")),
        ("collateral", _value(checks["hardware.collateral"], "kept")),
        ("clock", _value(checks["governance.endpoints"], "clock")),
    )
    yield from ((label, text) for label, text in known if text)
    yield from _not_proven(report)
    yield "time", _time(report, checks["freshness.evidence"])


def _causes(report: Report) -> Iterator[tuple[str, str]]:
    told, rest = report.causes[:CAUSES], report.causes[CAUSES:]
    for check in told:
        yield "cause", f"{check.id}: {plain(check.why, VALUE_CHARACTERS)}"
        if check.fix:
            yield "fix", plain(check.fix, VALUE_CHARACTERS)
    if rest:
        yield "more causes", f"{len(rest)}: {', '.join(check.id for check in rest)}"


def _value(check: Check, name: str, prefix: str = "", *, more: str = "") -> str:
    """Returns a compared value, marked if its check did not pass."""
    value = check.evidence.get(name)
    if not value:
        return ""
    shown = f"{prefix}{plain(value, VALUE_CHARACTERS)}" + (f" ({plain(more, VALUE_CHARACTERS)})" if more else "")
    return shown if check.status is Status.PASSED else f"{shown} [{_mark_of(check)}]"


def _mark_of(check: Check) -> str:
    return {Status.FAILED: "refused", Status.SKIPPED: "skipped"}.get(check.status, "unproven")


def _images(check: Check) -> str:
    names = [plain(value, VALUE_CHARACTERS) for value in check.evidence.values()]
    if not names:
        return ""
    shown = ", ".join(names[:IMAGES]) + (f" and {len(names) - IMAGES} more" if len(names) > IMAGES else "")
    return shown if check.status is Status.PASSED else f"{shown} [{_mark_of(check)}]"


def _not_proven(report: Report) -> Iterator[tuple[str, str]]:
    """Yields undecided checks beside the causes, by name, and the number that await a cause."""
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
