"""`svc-compose`: the measured file of a deployment, from the settings to its approval."""

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from compose.app_compose import HOST_SCRIPT_MAX_BYTES, PHALA, TELEMETRY_CONFIG_MAX_BYTES, AppOptions
from compose.check import check, is_refused
from compose.cli_governance import approve, kms, name_admin_payer, pending, revoke
from compose.command_line import (
    FILE,
    JSON,
    TRUST,
    accepted,
    accepting,
    change_documents,
    change_lines,
    finding_documents,
    finding_lines,
    require_unrefused,
    show,
    write_bytes,
)
from compose.deployment import SETTINGS_MAX_BYTES, Deployment, Ingress, Telemetry, parse_image, read_settings
from compose.difference import differences
from compose.errors import ComposeError, Exit
from compose.findings import Finding, Weight
from compose.measured import (
    APP_COMPOSE_MAX_BYTES,
    Measured,
    is_app_compose,
    read_file,
    read_measured,
    read_text,
    rendered,
)
from node.settings import SECRETS
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.text import plain

LOG_EXPORT: Final = 'log_export_url = "http://telemetry:4318/v1/logs"\n'
"""Setting of --telemetry-logs: the collector by its service name, at OTLP/HTTP's usual port."""
Command = TypeVar("Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--image", required=True, metavar="NAME@sha256:…", help="The node's image."),
    click.option("--settings", type=FILE, required=True, help="The node's settings, TOML; everybody will read them."),
    click.option("--secret", multiple=True, type=click.Choice(sorted(SECRETS)), help="A secret you will encrypt."),
    click.option("--out", type=FILE, default="app-compose.json", show_default=True, help="The measured file."),
    click.option("--docker-compose-out", type=FILE, help="The docker compose file in it, to read."),
    click.option("--name", default="svc-node", show_default=True, help="The app's name on the platform."),
    click.option("--key-provider-id", default="", metavar="HEX", help="The one key service that may answer."),
    click.option("--gateway/--no-gateway", default=True, show_default=True, help="Reached through dstack's gateway."),
    click.option("--host-profile", type=click.Choice([PHALA]), help="Write what that managed host adds (docs/hosts)."),
    click.option("--host-script", type=FILE, help="The start script that it adds; the trust file names its hash."),
    TRUST,
    click.option("--ingress-image", metavar="NAME@sha256:…", help="dstack-ingress beside the node ends TLS."),
    click.option("--ingress-env", multiple=True, metavar="NAME=VALUE", help="A measured variable of it."),
    click.option("--ingress-secret", multiple=True, metavar="NAME", help="A variable of it you will encrypt."),
    click.option("--telemetry-image", metavar="NAME@sha256:…", help="A collector beside the node reads /metrics."),
    click.option("--telemetry-config", type=FILE, help="Its configuration; everybody will read it."),
    click.option("--telemetry-target", default="/etc/telemetry/config.yml", show_default=True, help="Where it looks."),
    click.option("--telemetry-argument", multiple=True, help="An argument of it."),
    click.option("--telemetry-secret", multiple=True, metavar="NAME", help="A variable of it you will encrypt."),
    click.option("--telemetry-logs", is_flag=True, help="Send the node's log lines to the collector too."),
    click.option("--memory-limit", default="", metavar="6g", help="Of the node's container; none by default."),
    click.option("--rotate-logs", is_flag=True, help="Keep 250 MB of the node's log instead of all of it."),
    click.option("--unchecked", is_flag=True, help="Write it although the check refuses it."),
)


def rendering(command: Command) -> Command:
    """Adds the options of `render`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Sidecars:
    """Sidecars in the options."""

    ingress: Ingress | None
    telemetry: Telemetry | None

    @classmethod
    def of(cls, **options: Any) -> "Sidecars":
        """Returns the sidecars of the command line. Raises ComposeError(MISUSE)."""
        return cls(_ingress(**options), _telemetry(**options))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Variables of the sidecars that the host may set."""
        named = (sidecar.secrets for sidecar in (self.ingress, self.telemetry) if sidecar is not None)
        return tuple(name for secrets in named for name in secrets)


def _ingress(
    ingress_image: str | None, ingress_env: tuple[str, ...], ingress_secret: tuple[str, ...], **_: object
) -> Ingress | None:
    if ingress_image is None:
        _require_none("--ingress-image", ingress_env, ingress_secret)
        return None
    pairs = [tuple(entry.partition("=")[::2]) for entry in ingress_env if "=" in entry]
    if len(pairs) != len(ingress_env) or len({name for name, _ in pairs}) != len(pairs):
        raise ComposeError(Exit.MISUSE, "--ingress-env is NAME=VALUE, each name once.")
    return Ingress(parse_image(ingress_image), tuple((name, value) for name, value in pairs), ingress_secret)


def _telemetry(
    telemetry_image: str | None,
    telemetry_config: Path | None,
    telemetry_target: str,
    telemetry_argument: tuple[str, ...],
    telemetry_secret: tuple[str, ...],
    **_: object,
) -> Telemetry | None:
    if telemetry_image is None:
        _require_none("--telemetry-image", telemetry_config, telemetry_argument, telemetry_secret)
        return None
    if telemetry_config is None:
        raise ComposeError(Exit.MISUSE, "--telemetry-image needs --telemetry-config.")
    config = read_text(telemetry_config, TELEMETRY_CONFIG_MAX_BYTES)
    return Telemetry(parse_image(telemetry_image), config, telemetry_target, telemetry_argument, telemetry_secret)


def _require_none(image: str, *given: object) -> None:
    if any(given):
        raise ComposeError(Exit.MISUSE, f"options of that sidecar need {image}.")


def app_options(**options: Any) -> AppOptions:
    """Returns the platform's options in the command line. Raises ComposeError."""
    profile, script = options["host_profile"], options["host_script"]
    if (profile is None) != (script is None):
        why = "--host-profile needs --host-script, and none goes without the other: the host measures its script too."
        raise ComposeError(Exit.MISUSE, why)
    text = read_text(script, HOST_SCRIPT_MAX_BYTES) if script is not None else ""
    return AppOptions(options["name"], options["key_provider_id"], options["gateway"], text)


def deployment_of(sidecars: Sidecars, **options: Any) -> Deployment:
    """Returns the deployment that the options name. Raises ComposeError."""
    text = read_text(options["settings"], SETTINGS_MAX_BYTES)
    if options["telemetry_logs"]:
        # At the head, before any table. A second one in the file makes the TOML invalid.
        text = LOG_EXPORT + text
    return Deployment(
        image=parse_image(options["image"]),
        settings=read_settings(text),
        secrets=options["secret"],
        ingress=sidecars.ingress,
        telemetry=sidecars.telemetry,
        memory_limit=options["memory_limit"],
        rotates_logs=options["rotate_logs"],
    )


def write_rendered(
    measured: Measured, findings: Sequence[Finding], out: Path, docker_compose_out: Path | None, *, as_json: bool
) -> None:
    """Writes the file or files, and prints the hash. Raises ComposeError(MISUSE)."""
    write_bytes(out, measured.raw)
    if docker_compose_out is not None:
        write_bytes(docker_compose_out, (measured.app.docker_compose_file or "").encode())
    images = [image.reference for image in measured.audit.images]
    variables = list(measured.app.allowed_environment)
    document: dict[str, Json] = {
        "compose_hash": measured.hash.hex(),
        "file": str(out),
        "bytes": len(measured.raw),
        "images": [*images],
        "allowed_envs": [*variables],
        "findings": finding_documents(findings),
    }
    remarks = finding_lines([finding for finding in findings if finding.weight is Weight.REMARK])
    lines = [
        ("file", f"{out}, {len(measured.raw)} bytes"),
        *(("image", image) for image in images),
        ("host may set", ", ".join(variables) or "nothing"),
        *remarks,
        ("compose hash", measured.hash.hex()),
    ]
    show(document, lines, as_json=as_json)


EPILOG: Final = (
    "Exit codes: 0 done, 1 internal error, 2 misuse, 10 refused, 20 could not be decided or is not due, 30 a file that "
    "was given cannot be read."
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EPILOG,
)
@click.version_option(package_name="svc-node", prog_name="svc-compose")
def commands() -> None:
    """Manage the file that names a confidential VM's code, and approvals of its hash.

    render writes it, check finds faults, diff shows what an approval would change. approve and
    revoke make the transaction, pending shows what is announced. name-admin-payer makes the owner's
    call on the account contract, kms reads the key service's public keys.
    """


@commands.command()
@rendering
@JSON
def render(as_json: bool, out: Path, unchecked: bool, **of: Any) -> None:
    """Write the app-compose. It has the image by digest and the settings, so both are measured."""
    sidecars = Sidecars.of(**of)
    deployment = deployment_of(sidecars, **of)
    measured = rendered(deployment, app_options(**of))
    findings = check(measured, accepted(sidecars.secrets, ("ingress",) if deployment.ingress else (), of["trust_file"]))
    require_unrefused(findings, unchecked=unchecked)
    write_rendered(measured, findings, out, of["docker_compose_out"], as_json=as_json)


@commands.command("hash")
@click.argument("file", type=FILE)
@JSON
def hash_file(file: Path, as_json: bool) -> None:
    """Print the compose hash of FILE: SHA-256 of its exact bytes."""
    raw = read_file(file, APP_COMPOSE_MAX_BYTES)
    digest = hashlib.sha256(raw).hexdigest()
    if not is_app_compose(raw):
        text = f"{file} is no app-compose: no machine measures this hash. The docker compose file is a member of that file."
        click.echo(text, err=True)
    elif raw.endswith(b"\n"):
        click.echo(f"{file} ends with a line end, which is measured too.", err=True)
    if as_json:
        show({"compose_hash": digest, "bytes": len(raw)}, [], as_json=True)
    else:
        click.echo(digest)


@commands.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@JSON
def diff(old: Path, new: Path, as_json: bool) -> None:
    """List what changes from OLD to NEW: images, settings, environment, scripts, flags."""
    before, after = (read_measured(read_file(path, APP_COMPOSE_MAX_BYTES)) for path in (old, new))
    changes = differences(before, after)
    hashes = (before.hash.hex(), after.hash.hex())
    document: dict[str, Json] = {"before": hashes[0], "after": hashes[1], "changes": change_documents(changes)}
    lines = [("hash", f"{hashes[0]} → {hashes[1]}"), *change_lines(changes)]
    show(document, lines if changes else [("hash", f"{hashes[0]}: nothing differs")], as_json=as_json)


@commands.command("check")
@click.argument("file", type=FILE)
@accepting
@JSON
def check_file(
    file: Path, accept_env: tuple[str, ...], accept_key_holder: tuple[str, ...], trust_file: Path | None, as_json: bool
) -> None:
    """Refuse unpinned images, values the host decides, and settings that weaken trust."""
    measured = read_measured(read_file(file, APP_COMPOSE_MAX_BYTES))
    findings = check(measured, accepted(accept_env, accept_key_holder, trust_file))
    verdict = "refused" if is_refused(findings) else "accepted"
    document: dict[str, Json] = {
        "compose_hash": measured.hash.hex(),
        "verdict": verdict,
        "images": [image.reference for image in measured.audit.images],
        "findings": finding_documents(findings),
    }
    lines = [("hash", measured.hash.hex()), *finding_lines(findings), ("verdict", verdict)]
    show(document, lines, as_json=as_json)
    sys.exit(Exit.REFUSED if is_refused(findings) else Exit.DONE)


commands.add_command(approve)
commands.add_command(revoke)
commands.add_command(pending)
commands.add_command(name_admin_payer)
commands.add_command(kms)


def main() -> None:
    """Runs the script `svc-compose`."""
    try:
        commands(prog_name="svc-compose")
    except ComposeError as error:
        _end(error.code, error.message)
    except VerifierError as error:
        _end(Exit.UNDECIDED, error.message)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not look like an answer
        _end(Exit.INTERNAL, f"internal error ({type(error).__name__}): nothing was decided")


def _end(code: Exit, message: str) -> NoReturn:
    click.echo(f"svc-compose: {plain(message)}", err=True)
    sys.exit(code)
