"""Options of the command line, and the files a report is written to."""

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, Final, TypeVar

import click

from svc_verifier.check import Report
from svc_verifier.errors import VerifierError
from svc_verifier.formats.addresses import DEFAULT_CHAIN_ID, HostAddress, is_rpc_url
from svc_verifier.trust import Freshness, TcbStatus
from svc_verifier.trust_file import TrustOptions, parse_hex

Command = TypeVar("Command", bound=Callable[..., Any])
INPUT: Final = click.Path(path_type=Path, dir_okay=False)
LAST_SECOND: Final = 253_402_300_799
"""Unix time of the end of the year 9999, where calendars of programs end."""


class Hex(click.ParamType[bytes]):
    """Bytes in hex, with or without 0x, of a given length if any."""

    def __init__(self, name: str, length: int | None = None) -> None:
        self.name = name
        self._length = length

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """See click."""
        try:
            return parse_hex(str(value), self._length, self.name)
        except VerifierError as error:
            self.fail(error.message, param, ctx)


class Seconds(click.FloatRange):
    """A duration in seconds. NaN is in no range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """See click."""
        seconds = float(super().convert(value, param, ctx))
        # Every comparison with NaN is false, so click's own check would pass it.
        if math.isnan(seconds):
            self.fail("is no number", param, ctx)
        return seconds


class Host(click.ParamType[HostAddress]):
    """A host as https://HOST[:PORT]."""

    name = "host"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> HostAddress:
        """See click."""
        try:
            return HostAddress.of(str(value))
        except VerifierError as error:
            self.fail(error.message, param, ctx)


class ProviderUrl(click.ParamType[str]):
    """An http or https URL, which may hold credentials and is never shown."""

    name = "url"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See click."""
        # Not part of the message, since URLs of RPC providers often hold an API key.
        if not is_rpc_url(str(value)):
            self.fail("is no http or https URL (it is not shown here: it may hold credentials)", param, ctx)
        return str(value)


def trusting(command: Command) -> Command:
    """Adds the options of `TrustOptions`, which `trust_options_of` gathers."""
    for option in reversed(_TRUSTING):
        command = option(command)
    return command


def trust_options_of(options: dict[str, Any]) -> TrustOptions:
    """Takes the options of `trusting` out of a command's parameters."""
    freshness = options.pop("freshness")
    return TrustOptions(
        app_id=options.pop("app_id"),
        chain_id=options.pop("chain_id"),
        rpc_urls=options.pop("rpc_url"),
        trust_file=options.pop("trust"),
        kms_contract=options.pop("kms_contract"),
        kms_public_key=options.pop("kms_public_key"),
        account_contract=options.pop("account_contract"),
        accept_tcb=tuple(TcbStatus(status) for status in options.pop("accept_tcb")),
        accept_env=options.pop("accept_env"),
        freshness=Freshness(freshness) if freshness else None,
        insecure_dev_root=options.pop("insecure_dev_root"),
    )


_TRUSTING: Final = (
    click.option("--app-id", type=Hex("app id", 20), metavar="0x…", help="The application: its contract's address."),
    click.option(
        "--chain-id",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"The chain of that contract.  [default: {DEFAULT_CHAIN_ID}, Base]",
    ),
    click.option(
        "--rpc-url",
        type=ProviderUrl(),
        multiple=True,
        help="A JSON-RPC endpoint of the chain; name two that do not know each other.  [default: two public ones]",
    ),
    click.option("--trust", type=INPUT, help="What is trusted, as `svc-verify init` writes it."),
    click.option("--kms-contract", type=Hex("address", 20), metavar="0x…", help="The KMS contract: allowed OS images."),
    click.option("--kms-public-key", type=Hex("key"), metavar="0x…", help="The KMS's public key, DER in hex."),
    click.option(
        "--account-contract",
        type=Hex("address", 20),
        metavar="0x…",
        help="The contract that guards the accounts' keys.",
    ),
    click.option(
        "--accept-tcb",
        type=click.Choice([status.value for status in TcbStatus]),
        metavar="STATUS",
        multiple=True,
        help="A TCB status to accept beside UpToDate.",
    ),
    click.option(
        "--accept-env",
        metavar="NAME",
        multiple=True,
        help="A variable that the host may set: NAME in an environment, PATH:NAME anywhere else, as the report names it.",
    ),
    click.option(
        "--freshness",
        type=click.Choice([choice.value for choice in Freshness]),
        help="How fresh: made for this nonce, or as old as the evidence.  [default: nonce]",
    ),
    click.option(
        "--insecure-dev-root",
        type=INPUT,
        help="INSECURE: the root of a TEE simulator; collateral.json lies beside it. Every line says DEV.",
    ),
)


WIDTH_CHARACTERS = 110
"""Width of a report that goes to a file or another program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Output options of a run."""

    as_json: bool = False
    verbose: bool = False
    junit: Path | None = None
    html: Path | None = None


def show(report: Report, outputs: Outputs) -> None:
    """Print the report and write its files. Raises click.UsageError if a write fails."""
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
    """Returns the report for people, in ten lines or with every check."""
    if verbose:
        from svc_verifier.rendering.text import table  # noqa: PLC0415 - likewise

        return table(report, width=width, colour=colour)
    from svc_verifier.rendering.text import summary  # noqa: PLC0415 - likewise

    return summary(report, width=width, colour=colour)


def show_progress(step: str) -> None:
    """Show progress on a terminal's standard error. An empty step clears the line."""
    if sys.stderr.isatty():
        from svc_verifier.rendering.text import plain  # noqa: PLC0415 - likewise

        click.echo("\r\x1b[K" + (f"svc-verify: {plain(step)} …" if step else ""), nl=False, err=True)


def _private(name: str, flags: int) -> int:
    """Opens a file for its owner alone, since a trust file may hold credentials."""
    # The mode is set when the file is made, so others can never read it.
    return os.open(name, flags, 0o600)


def write(path: Path, text: str) -> None:
    """Write a file the user named. Raises click.UsageError."""
    try:
        with open(path, "w", encoding="utf-8", opener=_private) as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror or type(error).__name__}") from None
