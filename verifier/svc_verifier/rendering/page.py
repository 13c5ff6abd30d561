"""The report as one page for people: no script, nothing loaded from anywhere, everything escaped."""

from collections.abc import Iterator
from html import escape
from typing import Final

from svc_verifier.check import Check, Status
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
from svc_verifier.rendering.plain import plain
from svc_verifier.report import Report, Verdict

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
    """An HTML document that stands alone."""
    return "".join(_parts(report))


def _parts(report: Report) -> Iterator[str]:
    mark = f"{DEV} " if report.development else ""
    verdict = escape(mark + verdict_line(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
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
            yield f"<dt>{escape(plain(name))}</dt><dd>{escape(plain(value))}</dd>"
        yield "</dl></details>"
    yield "</td></tr>\n"


def _tags(report: Report, check: Check) -> str:
    tags = [proof(report, check), "" if required(check) else "not required"]
    return "".join(f' <span class="tag">{escape(tag)}</span>' for tag in tags if tag)
