"""The whole report for a terminal: the verdict, then every check by subject, with the values that were compared."""

import textwrap
from collections.abc import Iterator
from typing import Any, Final

import click

from svc_verifier.check import Check, Status
from svc_verifier.check import Group as CheckGroup
from svc_verifier.rendering.lines import (
    DEV,
    DEV_WARNING,
    TITLES,
    groups,
    proof,
    required,
    verdict_line,
    when_line,
)
from svc_verifier.rendering.plain import LIMIT_CHARACTERS, plain
from svc_verifier.report import Report, Verdict

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
WHOLE = frozenset({CheckGroup.CONFIG, CheckGroup.ACCOUNTS})
"""Groups whose values are for people to read and compare: addresses of several payers are longer than one digest."""

MINIMUM_WIDTH = 60
STATUS_WIDTH: Final = 11
ID_WIDTH: Final = 29
_INDENT: Final = "  "


def table(report: Report, *, width: int, colour: bool = False) -> str:
    """The report as lines of at most `width` characters."""
    prefix = f"{DEV} " if report.development else ""
    lines = _lines(report, max(MINIMUM_WIDTH, width) - len(prefix), colour=colour)
    return "".join(f"{prefix}{line}".rstrip() + "\n" for line in lines)


def _lines(report: Report, width: int, *, colour: bool) -> Iterator[str]:
    def styled(text: str, **style: Any) -> str:
        return click.style(text, **style) if colour else text

    shown = Verdict.UNDECIDED if report.development and report.verdict is Verdict.ACCEPTED else report.verdict
    # never wrapped: who reads the first line has the verdict
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
    """Lines of at most that many characters; words that are longer are cut, so that nothing is hidden."""
    return textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]


def _sentences(check: Check) -> Iterator[str]:
    if check.why:
        optional = "" if required(check) or check.status is not Status.UNKNOWN else " (not required)"
        yield plain(check.why) + optional
    if check.fix and check.status is not Status.PASSED:
        yield plain(check.fix)
    limit = LIMIT_CHARACTERS if check.group in WHOLE else EVIDENCE_CHARACTERS
    yield from (f"{plain(name, 200)}={plain(value, limit)}" for name, value in check.evidence.items())
