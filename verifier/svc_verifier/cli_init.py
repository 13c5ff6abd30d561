"""`svc-verify init`: shows what would be trusted and why, and writes it when a person says so."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import click

from svc_verifier.cli_output import WIDTH_CHARACTERS, text_report, write
from svc_verifier.exit_codes import Exit
from svc_verifier.gathering.gather import Sources
from svc_verifier.host_address import HostAddress
from svc_verifier.init import propose
from svc_verifier.rendering.lines import DEV
from svc_verifier.report import Verdict
from svc_verifier.rpc_url import rpc_host
from svc_verifier.trust import Trust
from svc_verifier.trust_text import trust_text


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
