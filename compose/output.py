"""Output of a command: lines for people or one JSON document, and files written atomically."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from compose.difference import Change
from compose.errors import ComposeError, Exit
from compose.findings import Finding
from svc_verifier.formats.strict_json import Json

Lines = Sequence[tuple[str, str]]
"""Name and value, one a line."""


def show(document: dict[str, Json], lines: Lines, *, as_json: bool) -> None:
    """Print one or the other on standard output."""
    if as_json:
        click.echo(json.dumps(document, indent=1, ensure_ascii=False))
        return
    width = max((len(name) for name, _ in lines), default=0)
    for name, value in lines:
        click.echo(f"{name:<{width}}  {value}".rstrip())


def finding_lines(findings: Sequence[Finding]) -> Lines:
    """Returns a line for each finding, with its fix."""
    return [
        (each.weight.value, f"{each.subject}: {each.text}{'. ' + each.fix if each.fix else ''}") for each in findings
    ]


def finding_documents(findings: Sequence[Finding]) -> list[Json]:
    """Returns the same for machines."""
    return [
        {"weight": each.weight.value, "subject": each.subject, "text": each.text, "fix": each.fix} for each in findings
    ]


def change_lines(changes: Sequence[Change]) -> Lines:
    """Returns a line for each change: `before → after`, or what came or went."""
    return [(each.area, _change(each)) for each in changes]


def change_documents(changes: Sequence[Change]) -> list[Json]:
    """Returns the same for machines."""
    return [
        {"area": each.area, "name": each.name, "before": each.before, "after": each.after, "meaning": each.meaning}
        for each in changes
    ]


def _change(change: Change) -> str:
    meaning = f" ({change.meaning})" if change.meaning else ""
    if change.before is None:
        return f"{change.name} comes: {change.after}{meaning}"
    if change.after is None:
        return f"{change.name} goes: {change.before}{meaning}"
    return f"{change.name}: {change.before} → {change.after}{meaning}"


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically. Raises ComposeError(MISUSE)."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise ComposeError(Exit.MISUSE, f"{path} cannot be written: {error.strerror}.") from None
