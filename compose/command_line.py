"""Options that several commands share, and output as lines for people or as one JSON document."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from compose.check import Accepted
from compose.difference import Change
from compose.errors import ComposeError, Exit
from compose.findings import Finding, Weight
from compose.governance.state import checksum_address
from svc_verifier.cli.options import Hex, ProviderUrl
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json
from svc_verifier.trust_file import load_trust

Command = TypeVar("Command", bound=Callable[..., Any])
FILE: Final = click.Path(path_type=Path, dir_okay=False)
JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
TRUST: Final = click.option(
    "--trust", "trust_file", type=FILE, help="svc-verify's trust file: `scripts` and `host_input` of it are accepted."
)
COMPOSE_HASH: Final = Hex("compose hash", 32)


class Address(click.ParamType[bytes]):
    """20 bytes. In mixed case the EIP-55 checksum must be right, to detect typing errors."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Converts the argument (click)."""
        text = str(value)
        if not re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
            self.fail("is no address: 0x and 40 hex digits", param, ctx)
        address, digits = bytes.fromhex(text[2:]), text[2:]
        # Digits of one case carry no checksum (EIP-55).
        if digits not in {digits.lower(), digits.upper()} and checksum_address(address) != text:
            self.fail("has another checksum than its digits: look at it again", param, ctx)
        return address


def accepting(command: Command) -> Command:
    """Adds the options by which the operator accepts risks."""
    for option in (
        click.option("--accept-env", multiple=True, metavar="NAME", help="A sidecar's secret that the host may set."),
        click.option("--accept-key-holder", multiple=True, metavar="SERVICE", help="A sidecar that reaches every key."),
        TRUST,
    ):
        command = option(command)
    return command


def accepted(variables: tuple[str, ...], key_holders: tuple[str, ...], trust_file: Path | None) -> Accepted:
    """Returns the options of `accepting` for the check. Raises ComposeError(MALFORMED)."""
    if trust_file is None:
        return Accepted(frozenset(variables), frozenset(key_holders))
    try:
        trust = load_trust(trust_file)
    except VerifierError as error:
        raise ComposeError(Exit.MALFORMED, error.message) from None
    return Accepted(trust.host_input.union(variables), frozenset(key_holders), trust.scripts)


def on_chain(contract: str, meaning: str, *, required: bool) -> Callable[[Command], Command]:
    """Adds the options of a contract, its chain, and its providers (`required` or not)."""

    def add(command: Command) -> Command:
        for option in (
            click.option(contract, type=Address(), required=True, help=meaning),
            click.option("--chain-id", type=click.IntRange(min=1), required=True, help="The chain it is on."),
            click.option(
                "--rpc-url", type=ProviderUrl(), multiple=True, required=required, help="Whom to ask; all must agree."
            ),
        ):
            command = option(command)
        return command

    return add


Lines = Sequence[tuple[str, str]]
"""Pairs of name and value, one a line."""


def show(document: dict[str, Json], lines: Lines, *, as_json: bool) -> None:
    """Prints the document or the lines on standard output."""
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
    """Returns each finding as JSON."""
    return [
        {"weight": each.weight.value, "subject": each.subject, "text": each.text, "fix": each.fix} for each in findings
    ]


def change_lines(changes: Sequence[Change]) -> Lines:
    """Returns a line for each change: `before → after`, or the added or removed value."""
    return [(each.area, _change(each)) for each in changes]


def change_documents(changes: Sequence[Change]) -> list[Json]:
    """Returns each change as JSON."""
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
    """Writes a file atomically. Raises ComposeError(MISUSE)."""
    try:
        # Write beside the file, then rename: a killed run leaves the old file, never half a file.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise ComposeError(Exit.MISUSE, f"{path} cannot be written: {error.strerror}.") from None


def require_unrefused(findings: Sequence[Finding], *, unchecked: bool) -> None:
    """Raises ComposeError(REFUSED) for refusals unless `unchecked`. Prints them on stderr."""
    refused = [finding for finding in findings if finding.weight is Weight.REFUSED]
    for name, text in finding_lines(refused):
        click.echo(f"{name}  {text}", err=True)
    if refused and not unchecked:
        raise ComposeError(Exit.REFUSED, "nothing was done. Correct this, or say --unchecked.")
