"""`svc-devkit tee-simulator`, the guest agent of `svc-devkit run`, with faults on demand."""

import asyncio
import sys
from pathlib import Path
from typing import Final

import click

from attest.errors import AttestError
from devkit.tee_simulator.compose import app_compose_in
from devkit.tee_simulator.options import METHODS, Behaviour, EventFault, Failure, SimulatorOptions, TcbStatus
from devkit.tee_simulator.platform import WARNING
from devkit.tee_simulator.server import TeeSimulator
from node.wiring.serving import until_stopped

EXIT_REFUSED: Final = 2
APP_ID_LENGTH_BYTES: Final = 20
FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)


class AppId(click.ParamType[bytes]):
    """20 bytes in hex."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Returns the bytes. A value from code passes as it is."""
        if isinstance(value, bytes):
            return value
        try:
            app_id = bytes.fromhex(str(value).removeprefix("0x"))
        except ValueError:
            app_id = b""
        if len(app_id) != APP_ID_LENGTH_BYTES:
            self.fail(f"{value} is not {APP_ID_LENGTH_BYTES} bytes of hex", param, ctx)
        return app_id


def _choice(of: type[TcbStatus | EventFault | Failure]) -> click.Choice[str]:
    return click.Choice([each.value for each in of])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--directory", type=click.Path(path_type=Path, file_okay=False), required=True, help="keeps seed and root"
)
@click.option(
    "--socket", type=click.Path(path_type=Path), help="unix socket; dstack.sock in the directory when omitted"
)
@click.option("--app-id", type=AppId(), help="address of the governance contract; from the compose hash when omitted")
@click.option("--app-compose", type=FILE, help="what it claims to run; app-compose.json in the directory when omitted")
@click.option("--debug", is_flag=True, help="a TD that can be debugged: verifiers refuse it")
@click.option("--tcb-status", type=_choice(TcbStatus), default=TcbStatus.UP_TO_DATE.value, show_default=True)
@click.option("--advisory", "advisories", multiple=True, help="named beside a status that is not UpToDate; repeatable")
@click.option("--events", type=_choice(EventFault), default=EventFault.NONE.value, show_default=True)
@click.option("--event-version", type=click.IntRange(1, 2), default=1, show_default=True)
@click.option("--filled-digests", is_flag=True, help="state the digests of runtime events, as dstack did until 2026")
@click.option("--latency-ms", type=click.IntRange(min=0), default=0, help="before each answer; quotes wait in line")
@click.option("--fail", type=_choice(Failure), default=Failure.NONE.value, show_default=True)
@click.option(
    "--method", "methods", type=click.Choice(METHODS), multiple=True, help="what the two concern; all when omitted"
)
def command(
    directory: Path,
    socket: Path | None,
    app_id: bytes | None,
    app_compose: Path | None,
    debug: bool,
    tcb_status: str,
    advisories: tuple[str, ...],
    events: str,
    event_version: int,
    filled_digests: bool,
    latency_ms: int,
    fail: str,
    methods: tuple[str, ...],
) -> None:
    """Serve a dstack guest agent without a TEE under it. INSECURE: for development only."""
    behaviour = Behaviour(latency_ms / 1000, Failure(fail), frozenset(methods) or None)
    try:
        text = app_compose.read_bytes().decode() if app_compose else app_compose_in(_made(directory))
        options = SimulatorOptions(
            app_compose=text,
            app_id=app_id,
            debug=debug,
            tcb_status=TcbStatus(tcb_status),
            advisories=advisories,
            events=EventFault(events),
            event_version=event_version,
            filled_digests=filled_digests,
            behaviour=behaviour,
        )
        asyncio.run(_serve(TeeSimulator(directory, socket or directory / "dstack.sock", options)))
    except (AttestError, OSError, UnicodeDecodeError) as error:
        click.echo(f"svc-devkit tee-simulator will not start: {error}", err=True)
        sys.exit(EXIT_REFUSED)


def _made(directory: Path) -> Path:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory


async def _serve(simulator: TeeSimulator) -> None:
    async with until_stopped() as stopped, simulator:
        measured = simulator.platform.measurements
        for line in (
            WARNING,
            f"app-id 0x{measured.app_id.hex()}",
            f"compose-hash 0x{measured.compose_hash.hex()}",
            f"kms-root-public-key {simulator.platform.kms_root_public_key.hex()}",
            f"root {simulator.root_file}",
            f"collateral {simulator.collateral_file}",
            f"ready {simulator.endpoint}",
        ):
            click.echo(line)
        await stopped.wait()
