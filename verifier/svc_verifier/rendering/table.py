"""The whole report for a terminal: the verdict, then every check by subject, with the values that were compared."""

import io
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

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

_STYLES = {Status.PASSED: "green", Status.FAILED: "bold red", Status.UNKNOWN: "yellow", Status.SKIPPED: "dim"}
_VERDICT_STYLES = {Verdict.ACCEPTED: "bold green", Verdict.REJECTED: "bold red", Verdict.UNDECIDED: "bold yellow"}
EVIDENCE_CHARACTERS = 120
WHOLE = frozenset({CheckGroup.CONFIG, CheckGroup.ACCOUNTS})
"""Groups whose values are for people to read and compare: addresses of several payers are longer than one digest."""

MINIMUM_WIDTH = 60


def table(report: Report, *, width: int, colour: bool = False) -> str:
    """The report as lines of at most `width` characters."""
    prefix = f"{DEV} " if report.development else ""
    console = Console(
        file=io.StringIO(),
        width=max(MINIMUM_WIDTH, width) - len(prefix),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        _print(console, report)
    return "".join(f"{prefix}{line}".rstrip() + "\n" for line in captured.get().splitlines())


def _print(console: Console, report: Report) -> None:
    shown = Verdict.UNDECIDED if report.development and report.verdict is Verdict.ACCEPTED else report.verdict
    verdict = Text(verdict_line(report), style=_VERDICT_STYLES[shown])
    console.print(verdict, soft_wrap=True)
    if report.development:
        console.print(Text(DEV_WARNING, style="bold red"))
    console.print(Text(when_line(report)))
    for group, checks in groups(report):
        console.print()
        console.print(Text(TITLES[group], style="bold"))
        rows = Table.grid(padding=(0, 2, 0, 0))
        rows.add_column(width=9, no_wrap=True)
        rows.add_column(width=27, no_wrap=True)
        rows.add_column(ratio=1, overflow="fold")
        for check in checks:
            rows.add_row(Text(check.status, style=_STYLES[check.status]), check.id, _cell(report, check))
        console.print(rows)


def _cell(report: Report, check: Check) -> RenderableType:
    vouching = proof(report, check)
    claim = Text(check.claim + (f" [{vouching}]" if vouching else ""))
    return Group(claim, *(Padding(Text(each), (0, 0, 0, 2)) for each in _sentences(check)))


def _sentences(check: Check) -> Iterator[str]:
    if check.why:
        optional = "" if required(check) or check.status is not Status.UNKNOWN else " (not required)"
        yield plain(check.why) + optional
    if check.fix and check.status is not Status.PASSED:
        yield plain(check.fix)
    limit = LIMIT_CHARACTERS if check.group in WHOLE else EVIDENCE_CHARACTERS
    yield from (f"{plain(name, 200)}={plain(value, limit)}" for name, value in check.evidence.items())
