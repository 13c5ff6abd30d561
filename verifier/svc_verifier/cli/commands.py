"""Commands of `svc-verify`, which verify a host, replay a bundle, write trust and watch a host."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from svc_verifier.cli.options import (
    INPUT,
    LAST_SECOND,
    Host,
    Outputs,
    ProviderUrl,
    Seconds,
    show,
    show_progress,
    trust_options_of,
    trusting,
    write,
)
from svc_verifier.formats.addresses import INTEL_PCS, HostAddress
from svc_verifier.trust_file import ContradictionError, TrustOptions, trust_for

if TYPE_CHECKING:
    from svc_verifier.check import Report
    from svc_verifier.gathering.gather import Sources

Command = TypeVar("Command", bound=Callable[..., Any])
DAY_S = 86_400
"""Longest time between two verifications of `watch`, which is to find changes within a day."""


def reporting(command: Command) -> Command:
    """Adds the options that say where a report goes."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Show every check and the values that were compared."),
        click.option("--html", type=INPUT, help="Write a page for people."),
        click.option("--junit", type=INPUT, help="Write JUnit XML."),
        click.option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Fetching:
    """Options of `fetching`."""

    collateral_url: str | None
    proxy_url: str | None
    timeout_s: float


def fetching_of(options: dict[str, Any]) -> Fetching:
    """Takes the options of `fetching` out of a command's parameters."""
    return Fetching(**{name: options.pop(name) for name in ("collateral_url", "proxy_url", "timeout_s")})


def fetching(command: Command) -> Command:
    """Adds the options of fetching, its sources and its timeout."""
    for option in (
        click.option(
            "--timeout",
            "timeout_s",
            type=Seconds(min=1, max=3_600),
            default=30.0,
            show_default=True,
            metavar="SECONDS",
            help="For everything that one look fetches.",
        ),
        click.option(
            "--collateral-url",
            type=ProviderUrl(),
            help="A provisioning service to ask for collateral.  [default: Intel's]",
        ),
        click.option(
            "--proxy",
            "proxy_url",
            type=ProviderUrl(),
            help="A proxy that carries tunnels (CONNECT). The environment names none.",
        ),
    ):
        command = option(command)
    return command


@click.command("host", short_help="Verify a host; the word may be left out.")
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--save", type=INPUT, help="Keep everything that was fetched in a bundle.")
@reporting
def verify_host(host: HostAddress, save: Path | None, **options: Any) -> None:
    """Verify HOST, https://NAME[:PORT], live."""
    asked, fetched = trust_options_of(options), fetching_of(options)
    trust = trust_for(host.name, asked, live=True)
    import asyncio  # noqa: PLC0415 - a replay needs no network and no aiohttp

    from svc_verifier.session import look  # noqa: PLC0415 - likewise

    seen = asyncio.run(look(host, trust, sources_of(asked, fetched)))
    if save is not None:
        from svc_verifier.bundle import dump_bundle  # noqa: PLC0415 - only here

        write(save, dump_bundle(seen.material))
    show(seen.report, Outputs(**options))
    sys.exit(seen.report.verdict.exit_code)


@click.command()
@click.argument("bundle", type=INPUT)
@trusting
@reporting
def replay(bundle: Path, **options: Any) -> None:
    """Judge a BUNDLE again, offline, at its recorded time.

    The same options name what is trusted, since a bundle holds none of it. Providers are not asked;
    where none is named, those that the bundle recorded count.
    """
    from svc_verifier.bundle import read_bundle  # noqa: PLC0415 - only here
    from svc_verifier.worker import judge_now  # noqa: PLC0415 - `--help` needs no asyncio

    asked = trust_options_of(options)
    material = read_bundle(bundle)
    report = judge_now(material, trust_for(material.host, asked, live=False, unnamed=True))
    if asked.app_id is None and asked.trust_file is None:
        # After the verification, since the message names the measured app id for comparison.
        raise ContradictionError(_unnamed(report))
    show(report, Outputs(**options))
    sys.exit(report.verdict.exit_code)


def _unnamed(report: "Report") -> str:
    """Returns the hint for a user who named no application, with the one that was measured."""
    measured = next((check.evidence.get("measured") for check in report.checks if check.id == "identity.app-id"), None)
    if measured is None:
        return "name the application with --app-id: the bundle does not prove which one was measured"
    return (
        f"name the application with --app-id: the bundle measured 0x{measured}; compare that with what its operator "
        "publishes elsewhere"
    )


@click.command("import", short_help="Judge evidence that was brought as files.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@trusting
@click.option(
    "--at",
    "at_s",
    type=click.IntRange(min=0, max=LAST_SECOND),
    metavar="SECONDS",
    help="Unix time to judge at.  [default: now]",
)
@click.option(
    "--part",
    metavar="POINTER",
    help="JSON pointer of the object whose quote to judge, where a file holds several: /a/b.",
)
@click.option("--fetch-collateral", is_flag=True, help="Ask for the collateral that was not brought.")
@fetching
@click.option("--save", type=INPUT, help="Keep what was read in a bundle, which `replay` judges.")
@reporting
def import_evidence(
    paths: tuple[Path, ...],
    at_s: int | None,
    part: str | None,
    fetch_collateral: bool,
    save: Path | None,
    **options: Any,
) -> None:
    """Judge PATHS: files of any dstack application's evidence, and folders of an ingress sidecar.

    A file may hold a quote (binary, hex, base64 or JSON), an event log, what /info, tcb_info or a
    report provider returned, an app-compose, a certificate, or collateral. Nothing of files is
    fresh or bound to a connection, so this never ends in 0.
    """
    from svc_verifier.bundle import dump_bundle  # noqa: PLC0415 - only here
    from svc_verifier.importing import imported  # noqa: PLC0415 - see above
    from svc_verifier.worker import judge_now  # noqa: PLC0415 - see above

    asked, fetched = trust_options_of(options), fetching_of(options)
    for option, value in (("--collateral-url", fetched.collateral_url), ("--proxy", fetched.proxy_url)):
        if value is not None and not fetch_collateral:
            raise ContradictionError(f"{option}: nothing is fetched without --fetch-collateral")
    source = sources_of(asked, fetched).collateral if fetch_collateral else None
    material, trust = imported(paths, asked, at_s, source, part)
    if save is not None:
        write(save, dump_bundle(material))
    report = judge_now(material, trust, fetched.timeout_s)
    show(report, Outputs(**options))
    sys.exit(report.verdict.exit_code)


@click.command()
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--out", type=INPUT, default="trust.toml", show_default=True, help="The file to write.")
@click.option("--yes", is_flag=True, help="Write it without asking.")
@click.option("-v", "--verbose", is_flag=True, help="Show the whole report under the proposed trust.")
def init(
    host: HostAddress,
    out: Path,
    *,
    yes: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Propose a trust file for HOST, saying why for each value; you decide.

    Trust on first use: the host that responds now is trusted from then on.
    """
    from svc_verifier.cli.init import propose_and_write  # noqa: PLC0415 - see above

    asked, fetched = trust_options_of(options), fetching_of(options)
    trust = trust_for(host.name, asked, live=True, unnamed=True)
    sources = sources_of(asked, fetched)
    sys.exit(propose_and_write(host, trust, sources, out, confirmed=yes, verbose=verbose))


@click.command()
@click.argument("host", type=Host())
@trusting
@fetching
@click.option("--interval-s", type=Seconds(min=1, max=DAY_S), default=300, show_default=True, help="Between two looks.")
@click.option("--looks", type=click.IntRange(min=1), help="Looks after which to end.  [default: never]")
@click.option("--exit-on-change", is_flag=True, help="End with exit code 10 when anything is not as it was.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each look.")
def watch(
    host: HostAddress,
    interval_s: float,
    looks: int | None,
    **options: Any,
) -> None:
    """Look at HOST repeatedly; report a new compose hash, owner, certificate or TCB status."""
    import asyncio  # noqa: PLC0415 - see above

    from svc_verifier.cli.watch import WatchOptions, watch_host  # noqa: PLC0415 - see above

    asked, fetched = trust_options_of(options), fetching_of(options)
    trust = trust_for(host.name, asked, live=True)
    watching = watch_host(host, trust, sources_of(asked, fetched), WatchOptions(interval_s, looks, **options))
    sys.exit(asyncio.run(watching))


def sources_of(asked: TrustOptions, fetched: Fetching) -> "Sources":
    """Returns the source of collateral, Intel's or a cache; for DEV the file beside the root."""
    from svc_verifier.gathering.gather import development_sources, sources  # noqa: PLC0415 - see above
    from svc_verifier.gathering.host import GatheringLimits  # noqa: PLC0415 - see above

    limits = GatheringLimits(look_timeout_s=fetched.timeout_s)
    if asked.insecure_dev_root is not None:
        if fetched.collateral_url is not None:
            raise ContradictionError("--collateral-url: under --insecure-dev-root collateral.json beside it is read")
        found = development_sources(asked.insecure_dev_root, limits)
    else:
        found = sources(fetched.collateral_url or INTEL_PCS, cache_folder(), limits)
    return replace(found, progress=show_progress, proxy_url=fetched.proxy_url)


def cache_folder() -> Path | None:
    """Returns the folder of collateral that is kept between runs; None without a home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(named) if named.startswith("/") else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "svc-verify" / "collateral"


COMMANDS: Final = {"host": verify_host, "import": import_evidence, "init": init, "replay": replay, "watch": watch}
"""The commands by their names, for `svc_verifier.cli.group`."""
