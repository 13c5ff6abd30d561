"""`svc-compose`: the measured file of a deployment, from the settings to its approval."""

import hashlib
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from compose.check import check, is_refused
from compose.cli_contracts import kms, name_admin_payer
from compose.cli_governance import approve, pending, revoke
from compose.cli_render import Sidecars, app_options, deployment_of, rendering, require_unrefused, write_rendered
from compose.difference import differences
from compose.errors import ComposeError, Exit
from compose.measured import APP_COMPOSE_MAX_BYTES, read_file, read_measured, rendered
from compose.options import FILE, JSON, accepted, accepting
from compose.output import change_documents, change_lines, finding_documents, finding_lines, show
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.text import plain

EPILOG: Final = (
    "Exit codes: 0 done, 1 internal error, 2 misuse, 10 refused, 20 could not be decided or is not due, 30 a file that "
    "was given cannot be read."
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EPILOG,
)
def commands() -> None:
    """Manage the file that names all code of the confidential VM, and the approvals of its hash on the contract.

    render writes it, check says what is wrong with it, diff what an approval would change, approve and revoke make the
    transaction, pending shows what was announced. name-admin-payer makes the owner's call on the account contract, kms
    reads the key service's public keys.
    """


@commands.command()
@rendering
@JSON
def render(as_json: bool, out: Path, unchecked: bool, **of: Any) -> None:
    """Write the app-compose: the node's image by digest, and its settings inlined so that they are measured."""
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
    if raw.endswith(b"\n"):
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
    """Say in words what changes from OLD to NEW: images, settings, environment, scripts, flags."""
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
    """Refuse what should not be approved: unpinned images, values the host decides, settings that weaken trust."""
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
    """Run the script `svc-compose`."""
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
