"""`svc-verify watch`: a line for each look that has something to tell."""

import json

import click

from svc_verifier.exit_codes import Exit
from svc_verifier.gathering.gather import Sources
from svc_verifier.host_address import HostAddress
from svc_verifier.rendering.lines import DEV, verdict_line
from svc_verifier.rendering.plain import moment, plain
from svc_verifier.trust import Trust
from svc_verifier.watch import Sight, watch

VALUE_CHARACTERS = 200


async def watch_and_tell(
    host: HostAddress,
    trust: Trust,
    sources: Sources,
    *,
    interval_s: float,
    looks: int | None,
    exit_on_change: bool,
    as_json: bool,
) -> int:
    """The exit code: of the last verdict, or 10 when something changed and that was to end it."""
    code = int(Exit.UNDECIDED)
    async for sight in watch(host, trust, sources, interval_s, looks):
        tell = _as_json if as_json else _as_text
        tell(sight)
        code = sight.verification.report.verdict.exit_code
        if exit_on_change and sight.changes:
            return Exit.REJECTED
    return code


def _as_json(sight: Sight) -> None:
    report = sight.verification.report
    changed = [{"what": each.what, "before": each.before, "after": each.after} for each in sight.changes]
    line = {"now_s": report.now_s, "development": report.development, "facts": dict(sight.facts), "changes": changed}
    click.echo(json.dumps(line))


def _as_text(sight: Sight) -> None:
    report = sight.verification.report
    mark = f"{DEV} " if report.development else ""
    click.echo(f"{mark}{moment(report.now_s)} {verdict_line(report)}")
    for change in sight.changes:
        before = plain(change.before, VALUE_CHARACTERS) or "nothing"
        click.echo(f"{mark}  CHANGED {change.what}: {before} -> {plain(change.after, VALUE_CHARACTERS)}")
