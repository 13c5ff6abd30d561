"""Writes the report to standard output and the files that were asked for."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size

import click

from svc_verifier.report import Report

WIDTH_CHARACTERS = 110
"""Of a report that goes to a file or another program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Output options of a run."""

    as_json: bool = False
    verbose: bool = False
    junit: Path | None = None
    html: Path | None = None


def show(report: Report, outputs: Outputs) -> None:
    """Print the report and write its files. Raises click.UsageError for a file that cannot be written."""
    if outputs.as_json:
        from svc_verifier.rendering.machine import json_report  # noqa: PLC0415 - each rendering loads its own parts

        click.echo(json_report(report), nl=False)
    else:
        terminal = sys.stdout.isatty()
        width = get_terminal_size().columns if terminal else WIDTH_CHARACTERS
        click.echo(text_report(report, width=width, colour=terminal, verbose=outputs.verbose), nl=False)
    if outputs.junit is not None:
        from svc_verifier.rendering.machine import junit  # noqa: PLC0415 - likewise

        write(outputs.junit, junit(report))
    if outputs.html is not None:
        from svc_verifier.rendering.text import page  # noqa: PLC0415 - likewise

        write(outputs.html, page(report))


def text_report(report: Report, *, width: int, colour: bool, verbose: bool) -> str:
    """The report for people: in ten lines, or with `verbose` every check."""
    if verbose:
        from svc_verifier.rendering.text import table  # noqa: PLC0415 - likewise

        return table(report, width=width, colour=colour)
    from svc_verifier.rendering.summary import summary  # noqa: PLC0415 - likewise

    return summary(report, width=width, colour=colour)


def show_progress(step: str) -> None:
    """Tell a person on standard error what is waited for; an empty step takes the line away. Files see nothing of it."""
    if sys.stderr.isatty():
        from svc_verifier.rendering.text import plain  # noqa: PLC0415 - likewise

        click.echo("\r\x1b[K" + (f"svc-verify: {plain(step)} …" if step else ""), nl=False, err=True)


def _private(name: str, flags: int) -> int:
    """For the owner alone: a trust file may hold credentials of endpoints."""
    return os.open(name, flags, 0o600)


def write(path: Path, text: str) -> None:
    """Write a file the user named. Raises click.UsageError."""
    try:
        with open(path, "w", encoding="utf-8", opener=_private) as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror or type(error).__name__}") from None
