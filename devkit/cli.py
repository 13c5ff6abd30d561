"""The command line `svc-devkit` with `run`, `approve-compose`, `tee-simulator`, `settings`."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

import click

from devkit.approval import approve_development_compose
from devkit.run import run_development_node
from devkit.settings import DevelopmentSettings
from devkit.simulator_command import command as tee_simulator
from node.api.errors import as_node_error
from node.errors import DomainError, StartupRefusedError
from node.settings.loading import settings_for_development
from node.settings.table import settings_command

EXIT_REFUSED: Final = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="svc-devkit", prog_name="svc-devkit")
def main() -> None:
    """Development stand-ins of the node: local chain, TEE simulator, card processor. INSECURE."""


@main.command()
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="TOML file of settings")
def run(config: Path | None) -> None:
    """Run the node with everything embedded: local chain, TEE simulator, card processor."""
    _run(run_development_node, config)


@main.command("approve-compose")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="TOML file of settings")
def approve_compose(config: Path | None) -> None:
    """Approve the compose file of the data directory as its owner. The node must be stopped."""

    async def approve(settings: DevelopmentSettings) -> None:
        click.echo(await approve_development_compose(settings))

    _run(approve, config)


def _run(work: Callable[[DevelopmentSettings], Coroutine[None, None, None]], config: Path | None) -> None:
    try:
        asyncio.run(work(settings_for_development(DevelopmentSettings, config, os.environ)))
    except StartupRefusedError as refused:
        click.echo(f"svc-devkit will not start: {refused}", err=True)
        sys.exit(EXIT_REFUSED)
    except DomainError as error:
        fault = as_node_error(error)
        click.echo(f"svc-devkit will not start: {fault.code}: {fault.message} {fault.fix or ''}".rstrip(), err=True)
        sys.exit(EXIT_REFUSED)
    except KeyboardInterrupt:
        sys.exit(0)


main.add_command(tee_simulator, "tee-simulator")
main.add_command(settings_command(DevelopmentSettings))
