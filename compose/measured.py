"""An app-compose as it was measured, read by the verifier's own readers, and the node's settings found in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compose.app_compose import compose_hash
from compose.block import undoubled
from compose.errors import ComposeError, Exit
from compose.limits import DEFAULT_LIMITS, ComposeLimits
from compose.node_settings import NodeSettings, read_settings
from svc_verifier.compose.app_compose import NESTING, AppCompose, parse_app_compose
from svc_verifier.compose.audit import Audit, audit_app_compose
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service, parse_compose, services_of
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.rendering.text import plain

NODE: Final = "node"
"""The service that is ours, by name."""
ENTRYPOINT: Final = ("svc-node",)
COMMAND: Final = ("serve", "--config-text")
"""What stands before the settings among the node's arguments."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`raw` are the exact bytes; the rest is what they say."""

    raw: bytes
    members: dict[str, Json]
    app: AppCompose
    tree: Fields
    services: tuple[Service, ...]
    audit: Audit

    @property
    def hash(self) -> bytes:
        """32 bytes."""
        return compose_hash(self.raw)


def read_measured(raw: bytes, limits: ComposeLimits = DEFAULT_LIMITS) -> Measured:
    """Raises ComposeError(MALFORMED) for what two programs might read differently."""
    if len(raw) > limits.app_compose_bytes:
        raise ComposeError(Exit.MALFORMED, f"app-compose: more than {limits.app_compose_bytes} bytes.")
    try:
        text = raw.decode()
        members = parse_json_object(text, "app-compose", limits.app_compose_bytes, NESTING)
        app = parse_app_compose(text)
        audit = audit_app_compose(text)
        tree = parse_compose(app.docker_compose_file or "")
    except VerifierError as error:
        raise ComposeError(Exit.MALFORMED, plain(error.message)) from None
    except UnicodeDecodeError:
        raise ComposeError(Exit.MALFORMED, "app-compose: is not UTF-8.") from None
    return Measured(raw, members, app, tree, services_of(tree), audit)


def read_file(path: Path, limit_bytes: int) -> bytes:
    """The bytes of a file an operator named. Raises ComposeError(MALFORMED)."""
    try:
        with path.open("rb") as file:
            raw = file.read(limit_bytes + 1)
    except OSError as error:
        raise ComposeError(Exit.MALFORMED, f"{path} cannot be read: {error.strerror}.") from None
    if len(raw) > limit_bytes:
        raise ComposeError(Exit.MALFORMED, f"{path}: more than {limit_bytes} bytes.")
    return raw


def read_text(path: Path, limit_bytes: int) -> str:
    """The same as text. Raises ComposeError(MALFORMED)."""
    try:
        return read_file(path, limit_bytes).decode()
    except UnicodeDecodeError:
        raise ComposeError(Exit.MALFORMED, f"{path} is not UTF-8.") from None


def node_service(measured: Measured) -> Service | None:
    """The one service named `node`; None where there is none, or where a merge gives several."""
    found = [service for service in measured.services if service.name == NODE]
    return found[0] if len(found) == 1 else None


def inlined_settings(measured: Measured) -> NodeSettings:
    """The settings that the node is started with. Raises ComposeError(MALFORMED) saying what is not as it must be."""
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
    """A list of arguments as the container gets it; None where it is no plain list, comes twice, or the host fills it in."""
    values = service.fields.all(key)
    if len(values) != 1 or not isinstance(values[0], Items):
        return None
    found = [_word(item) for item in values[0].items]
    return tuple(word for word in found if word is not None) if None not in found else None


def _word(node: Node) -> str | None:
    return undoubled(node.text) if isinstance(node, Scalar) and node.is_text else None
