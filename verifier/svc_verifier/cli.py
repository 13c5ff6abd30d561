"""`svc-verify`: verify a host, replay a bundle, write a trust file, watch a host."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click

from svc_verifier.asked import Asked, ContradictionError, trust_for
from svc_verifier.cli_options import INPUT, Endpoint, Host, asked_of, trusting
from svc_verifier.cli_output import Outputs, show, show_progress, write
from svc_verifier.errors import VerifierError
from svc_verifier.exit_codes import Exit, exit_of
from svc_verifier.host_address import HostAddress

if TYPE_CHECKING:
    from svc_verifier.gathering.gather import Sources

Command = TypeVar("Command", bound=Callable[..., Any])
NAMED_HOST: Final = "host"
PLUMBING: Final = "plumbing"
EPILOG: Final = (
    "Exit codes: 0 accepted, 1 internal error, 2 misuse, 10 rejected, 20 could not decide, 30 a file that was given "
    "cannot be read."
)


class HostGroup(click.Group):
    """A group whose first argument may be a host: `svc-verify https://…` is `svc-verify host https://…`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click asks for it."""
        if args and args[0] not in self.commands and args[0] not in {PLUMBING, "-h", "--help"}:
            args = [NAMED_HOST, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C is no fault of this program, as which click would end it."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            _end(Exit.UNDECIDED, "stopped from outside")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The plumbing is for other implementations: not among the commands that help lists, and loaded when asked for."""
        if cmd_name == PLUMBING:
            from svc_verifier.plumbing import plumbing  # noqa: PLC0415 - see above

            return plumbing
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=HostGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EPILOG,
    subcommand_metavar="HOST [OPTIONS] | COMMAND …",
)
def commands() -> None:
    """Is HOST a genuine TEE that runs exactly the code its contract approves?

    `svc-verify https://HOST --app-id 0x…` closes the whole chain: hardware, boot, compose file, images, TLS on this very
    connection, approval on chain. `svc-verify host --help` lists its options.
    """


def reporting(command: Command) -> Command:
    """The options that say where a report goes."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Show the values that were compared."),
        click.option("--html", type=INPUT, help="Write a page for people."),
        click.option("--junit", type=INPUT, help="Write JUnit XML."),
        click.option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
    ):
        command = option(command)
    return command


def fetching(command: Command) -> Command:
    """The options of what is fetched: where collateral comes from, and for how long a look may wait."""
    for option in (
        click.option(
            "--timeout",
            "timeout_s",
            type=click.FloatRange(min=1, max=3_600),
            default=30.0,
            show_default=True,
            metavar="SECONDS",
            help="For everything that one look fetches.",
        ),
        click.option(
            "--collateral-url",
            type=Endpoint(),
            help="A provisioning service to ask for collateral.  [default: Intel's]",
        ),
    ):
        command = option(command)
    return command


@commands.command(NAMED_HOST, short_help="Verify a host; the word may be left out.")
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--save", type=INPUT, help="Keep everything that was fetched in a bundle.")
@reporting
def verify_host(
    host: HostAddress, collateral_url: str | None, timeout_s: float, save: Path | None, **options: Any
) -> None:
    """Verify HOST, https://NAME[:PORT], live."""
    asked = asked_of(options)
    trust = trust_for(host.name, asked, live=True)
    import asyncio  # noqa: PLC0415 - a replay needs no event loop, no network and no aiohttp

    from svc_verifier.gathering.gather import gather  # noqa: PLC0415 - likewise
    from svc_verifier.procedure import verify  # noqa: PLC0415 - `--help` needs no cryptography

    material = asyncio.run(gather(host, trust, sources_of(asked, collateral_url, timeout_s)))
    if save is not None:
        from svc_verifier.bundle import dump_bundle  # noqa: PLC0415 - only here

        write(save, dump_bundle(material))
    report = verify(material, trust)
    show(report, Outputs(**options))
    sys.exit(report.verdict.exit_code)


@commands.command()
@click.argument("bundle", type=INPUT)
@trusting
@reporting
def replay(bundle: Path, **options: Any) -> None:
    """Judge a BUNDLE again, offline, at its recorded time.

    What is trusted is named again, by the same options: a bundle holds none of it. Endpoints are not asked: where
    none is named, those count that the bundle recorded.
    """
    from svc_verifier.bundle import read_bundle  # noqa: PLC0415 - only here
    from svc_verifier.procedure import verify  # noqa: PLC0415 - `--help` needs no cryptography

    asked = asked_of(options)
    material = read_bundle(bundle)
    report = verify(material, trust_for(material.host, asked, live=False))
    show(report, Outputs(**options))
    sys.exit(report.verdict.exit_code)


@commands.command()
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--out", type=INPUT, default="trust.toml", show_default=True, help="The file to write.")
@click.option("--yes", is_flag=True, help="Write it without asking.")
def init(host: HostAddress, collateral_url: str | None, timeout_s: float, out: Path, yes: bool, **options: Any) -> None:
    """Propose a trust file for HOST, saying why for each value; you decide.

    Trust on first use: who answers now is who is trusted from then on.
    """
    from svc_verifier.cli_init import propose_and_write  # noqa: PLC0415 - see above

    asked = asked_of(options)
    trust = trust_for(host.name, asked, live=True, unnamed=True)
    sys.exit(propose_and_write(host, trust, sources_of(asked, collateral_url, timeout_s), out, confirmed=yes))


@commands.command()
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--interval-s", type=click.FloatRange(min=1), default=300, show_default=True, help="Between two looks.")
@click.option("--looks", type=click.IntRange(min=1), help="End after so many.  [default: never]")
@click.option("--exit-on-change", is_flag=True, help="End with exit code 10 when anything is not as it was.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each look.")
def watch(
    host: HostAddress,
    collateral_url: str | None,
    timeout_s: float,
    interval_s: float,
    looks: int | None,
    **options: Any,
) -> None:
    """Look at HOST again and again; tell of a new compose hash, owner, certificate or TCB status."""
    import asyncio  # noqa: PLC0415 - see above

    from svc_verifier.cli_watch import watch_and_tell  # noqa: PLC0415 - see above

    asked = asked_of(options)
    trust = trust_for(host.name, asked, live=True)
    telling = watch_and_tell(
        host, trust, sources_of(asked, collateral_url, timeout_s), interval_s=interval_s, looks=looks, **options
    )
    sys.exit(asyncio.run(telling))


def sources_of(asked: Asked, collateral_url: str | None, timeout_s: float) -> "Sources":
    """Where collateral comes from: Intel or a cache of it, or for DEV the file beside the root."""
    from svc_verifier.gathering.collateral import INTEL_PCS  # noqa: PLC0415 - see above
    from svc_verifier.gathering.limits import GatheringLimits  # noqa: PLC0415 - see above
    from svc_verifier.gathering.sources import development_sources, sources  # noqa: PLC0415 - see above

    limits = GatheringLimits(look_timeout_s=timeout_s)

    if asked.insecure_dev_root is not None:
        if collateral_url is not None:
            raise ContradictionError("--collateral-url: under --insecure-dev-root collateral.json beside it is read")
        return replace(development_sources(asked.insecure_dev_root, limits), progress=show_progress)
    return replace(sources(collateral_url or INTEL_PCS, cache_folder(), limits), progress=show_progress)


def cache_folder() -> Path | None:
    """Where collateral is kept between runs; None where there is no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(named) if named.startswith("/") else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "svc-verify" / "collateral"


def main() -> None:
    """The script `svc-verify`."""
    try:
        commands(prog_name="svc-verify")
    except ContradictionError as error:
        _end(Exit.MISUSE, str(error))
    except VerifierError as error:
        _end(exit_of(error.code), error.message)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not look like a verdict
        _end(Exit.INTERNAL, f"internal error ({type(error).__name__}): nothing was decided")


def _end(code: Exit, message: str) -> NoReturn:
    from svc_verifier.rendering.plain import plain  # noqa: PLC0415 - only here

    click.echo(f"svc-verify: {plain(message)}", err=True)
    sys.exit(code)
