"""The commands `svc-verify import`, `init` and `watch`."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from svc_verifier.addresses import HostAddress, rpc_host
from svc_verifier.cli_output import WIDTH_CHARACTERS, text_report, write
from svc_verifier.errors import Exit
from svc_verifier.gathering.collateral import CollateralSource
from svc_verifier.gathering.gather import Sources
from svc_verifier.importing.evidence import material_of, quotes_of, read_evidence
from svc_verifier.init import propose
from svc_verifier.material import Material, Missing
from svc_verifier.rendering.text import DEV, moment, plain, verdict_line
from svc_verifier.report import Verdict
from svc_verifier.trust import Trust
from svc_verifier.trust_file import load_trust, trust_text
from svc_verifier.trust_options import TrustOptions, trust_for
from svc_verifier.watch import Observation, watch

UNNAMED_HOST = "imported"
"""The host of an import that names none; evidence belongs to a TD and not to a name."""


def imported(
    paths: Sequence[Path], asked: TrustOptions, at_s: int | None, collateral: CollateralSource | None
) -> tuple[Material, Trust]:
    """Returns what the files hold and what it is measured against.

    Raises ContradictionError, and VerifierError for files that cannot be read.
    """
    host = load_trust(asked.trust_file).host if asked.trust_file is not None else UNNAMED_HOST
    trust = trust_for(host, asked, live=False, unnamed=True)
    material = material_of(read_evidence(paths), host, int(time.time()) if at_s is None else at_s)
    if collateral is None or not isinstance(material.collateral, Missing):
        return material, trust
    import asyncio  # noqa: PLC0415 - only where collateral is fetched

    from svc_verifier.gathering.collateral import fetch_collateral  # noqa: PLC0415 - likewise

    folder = None if isinstance(material.evidences, Missing) else material.evidences
    fetched = asyncio.run(fetch_collateral(quotes_of(material.attestation, folder), collateral))
    return replace(material, collateral=fetched), trust


def propose_and_write(
    host: HostAddress, trust: Trust, sources: Sources, out: Path, *, confirmed: bool, verbose: bool
) -> Exit:
    """0 when the file was written, 20 when it was not. Raises click.UsageError, and VerifierError for a silent host."""
    if out.exists():
        raise click.UsageError(f"{out} is there already: a pin is not replaced unseen; name another file with --out")
    proposal = asyncio.run(propose(host, trust, sources))
    mark = f"{DEV} " if proposal.report.development else ""
    shown = trust_text(_without_credentials(proposal.trust), proposal.reasons)
    click.echo(f"{mark}Proposed as {out}:\n{mark}".rstrip())
    click.echo("".join(f"{mark}  {line}".rstrip() + "\n" for line in shown.splitlines()), nl=False)
    click.echo(f"{mark}".rstrip())
    click.echo(text_report(proposal.report, width=WIDTH_CHARACTERS, colour=False, verbose=verbose), nl=False)
    if proposal.report.verdict is Verdict.REJECTED:
        click.echo(f"{mark}Nothing was written: the host is rejected even by what it says of itself.")
        return Exit.REJECTED
    if not confirmed and not _agreed(out):
        click.echo(f"{mark}Nothing was written.")
        return Exit.UNDECIDED
    write(out, trust_text(proposal.trust, proposal.reasons))
    click.echo(f"{mark}{out} is written. Compare it with what the operator publishes elsewhere.")
    return Exit.ACCEPTED


def _without_credentials(trust: Trust) -> Trust:
    """For the eye: the URLs of endpoints may hold credentials, which go into the file alone."""
    return replace(trust, rpc_urls=tuple(f"…{rpc_host(url)}…" for url in trust.rpc_urls))


def _agreed(out: Path) -> bool:
    """Only a person can say so: without one nothing is decided."""
    return sys.stdin.isatty() and click.confirm(f"Trust this, and write {out}?", default=False)


VALUE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of `svc-verify watch`. `looks` None goes on until interrupted."""

    interval_s: float
    looks: int | None
    exit_on_change: bool
    as_json: bool


async def watch_host(
    host: HostAddress,
    trust: Trust,
    sources: Sources,
    options: WatchOptions,
) -> int:
    """Watch a host and print each observation.

    Returns the exit code of the last verdict, or 10 if something changed and `exit_on_change` is set.
    """
    code = int(Exit.UNDECIDED)
    write = _as_json if options.as_json else _as_text
    async for observation in watch(host, trust, sources, options.interval_s, options.looks):
        write(observation)
        code = observation.verification.report.verdict.exit_code
        if options.exit_on_change and observation.changes:
            return Exit.REJECTED
    return code


def _as_json(observation: Observation) -> None:
    report = observation.verification.report
    changed = [{"what": each.what, "before": each.before, "after": each.after} for each in observation.changes]
    line = {
        "now_s": report.now_s,
        "development": report.development,
        "facts": dict(observation.facts),
        "changes": changed,
    }
    click.echo(json.dumps(line))


def _as_text(observation: Observation) -> None:
    report = observation.verification.report
    mark = f"{DEV} " if report.development else ""
    click.echo(f"{mark}{moment(report.now_s)} {verdict_line(report)}")
    for change in observation.changes:
        before = plain(change.before, VALUE_CHARACTERS) or "nothing"
        click.echo(f"{mark}  CHANGED {change.what}: {before} -> {plain(change.after, VALUE_CHARACTERS)}")
