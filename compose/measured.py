"""Reads an app-compose with the verifier's own readers, and the node's settings in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compose.app_compose import AppOptions, app_compose_bytes, compose_hash
from compose.deployment import Deployment, NodeSettings, read_settings, undoubled
from compose.errors import ComposeError, Exit
from svc_verifier.compose.app_compose import NESTING, AppCompose, Audit, audit_app_compose, parse_app_compose
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service, parse_compose, services_of
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.rendering.text import plain

NODE: Final = "node"
"""Service name of the node."""
APP_COMPOSE_MAX_BYTES: Final = 1_048_576
"""Largest app-compose that is read; svc-verify has the same limit."""
ENTRYPOINT: Final = ("svc-node",)
COMMAND: Final = ("serve", "--config-text")
"""Arguments of the node before the settings."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An app-compose. `raw` are its exact bytes; the rest is parsed from them."""

    raw: bytes
    members: dict[str, Json]
    app: AppCompose
    tree: Fields
    services: tuple[Service, ...]
    audit: Audit

    @property
    def hash(self) -> bytes:
        """The compose hash, 32 bytes."""
        return compose_hash(self.raw)


def read_measured(raw: bytes) -> Measured:
    """Parses an app-compose. Raises ComposeError(MALFORMED) if two readers might differ."""
    if len(raw) > APP_COMPOSE_MAX_BYTES:
        raise ComposeError(Exit.MALFORMED, f"app-compose: more than {APP_COMPOSE_MAX_BYTES} bytes.")
    try:
        text = raw.decode()
        members = parse_json_object(text, "app-compose", APP_COMPOSE_MAX_BYTES, NESTING)
        app = parse_app_compose(text)
        audit = audit_app_compose(text)
        tree = parse_compose(app.docker_compose_file or "")
    except VerifierError as error:
        raise ComposeError(Exit.MALFORMED, plain(error.message)) from None
    except UnicodeDecodeError:
        raise ComposeError(Exit.MALFORMED, "app-compose: is not UTF-8.") from None
    return Measured(raw, members, app, tree, services_of(tree), audit)


def is_app_compose(raw: bytes) -> bool:
    """Whether a file is a JSON object with the members that every app-compose has."""
    try:
        read = parse_json_object(raw, "app-compose", APP_COMPOSE_MAX_BYTES, NESTING)
    except VerifierError:
        return False
    return {"manifest_version", "runner"} <= read.keys()


def read_file(path: Path, limit_bytes: int) -> bytes:
    """Returns the bytes of a file. Raises ComposeError(MALFORMED)."""
    try:
        with path.open("rb") as file:
            # One more byte than allowed detects a long file, whatever size its metadata states.
            raw = file.read(limit_bytes + 1)
    except OSError as error:
        raise ComposeError(Exit.MALFORMED, f"{path} cannot be read: {error.strerror}.") from None
    if len(raw) > limit_bytes:
        raise ComposeError(Exit.MALFORMED, f"{path}: more than {limit_bytes} bytes.")
    return raw


def read_text(path: Path, limit_bytes: int) -> str:
    """Returns the text of a file. Raises ComposeError(MALFORMED)."""
    try:
        return read_file(path, limit_bytes).decode()
    except UnicodeDecodeError:
        raise ComposeError(Exit.MALFORMED, f"{path} is not UTF-8.") from None


def node_service(measured: Measured) -> Service | None:
    """Returns the one service named `node`; None if there is none or a merge gives several."""
    found = [service for service in measured.services if service.name == NODE]
    return found[0] if len(found) == 1 else None


def inlined_settings(measured: Measured) -> NodeSettings:
    """Returns the settings in the node's arguments. Raises ComposeError(MALFORMED)."""
    service = node_service(measured)
    if service is None:
        raise ComposeError(
            Exit.MALFORMED, f"no service is named {NODE!r}, or several are: the node's settings cannot be found."
        )
    if words(service, "entrypoint") != ENTRYPOINT:
        raise ComposeError(Exit.MALFORMED, f"service {NODE!r}: entrypoint is not [svc-node] alone.")
    command = words(service, "command")
    if command is None or len(command) != len(COMMAND) + 1 or command[:-1] != COMMAND:
        raise ComposeError(
            Exit.MALFORMED,
            f"service {NODE!r}: command is not serve, --config-text and the settings: they are not in the measured file.",
        )
    return read_settings(command[-1])


def words(service: Service, key: str) -> tuple[str, ...] | None:
    """Returns arguments as the container gets them; None if the host or readers could differ."""
    values = service.fields.all(key)
    # A shell would split a text, and readers resolve a key given twice differently.
    if len(values) != 1 or not isinstance(values[0], Items):
        return None
    found = [_word(item) for item in values[0].items]
    return tuple(word for word in found if word is not None) if None not in found else None


def _word(node: Node) -> str | None:
    # A number or boolean may reach the container in another form: YAML 1.1 and 1.2 disagree.
    return undoubled(node.text) if isinstance(node, Scalar) and node.is_text else None


def rendered(deployment: Deployment, options: AppOptions) -> Measured:
    """Writes a deployment, reads it back and compares settings, images and variables.

    Raises ComposeError for a deployment that cannot be written so.
    """
    measured = read_measured(app_compose_bytes(deployment, options))
    images = {image.reference for image in measured.audit.images}
    named = {
        sidecar.image.text for sidecar in (deployment, deployment.ingress, deployment.telemetry) if sidecar is not None
    }
    # Read with the verifier's readers: otherwise a quoting fault would be approved.
    same = inlined_settings(measured).text == deployment.settings.text
    if not same or images != named or set(measured.app.allowed_environment) != set(deployment.host_variables):
        raise ComposeError(Exit.INTERNAL, "what was written reads as something else: this is a fault of svc-compose.")
    return measured
