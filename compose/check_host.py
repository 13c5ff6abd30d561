"""Check of values that the host may set: only the node's secrets, unless more is accepted.

The environment is encrypted with a public key, so the machine's operator chooses its values.
"""

from collections.abc import Iterator

from compose.errors import ComposeError
from compose.findings import Finding, refused, remark
from compose.measured import NODE, Measured, inlined_settings, node_service
from node.settings import PREFIX, SECRETS, secrets_of
from svc_verifier.compose.host_input import script_inputs
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service
from svc_verifier.rendering.text import plain

_ALLOWED_ENVIRONMENT = "allowed_envs"
_NODES_OWN = f"service {NODE!r}: environment, "
_INLINE = "Write the value into the settings or the compose file, where it is measured."


def host_findings(measured: Measured, accepted: frozenset[str]) -> Iterator[Finding]:
    """Objects to every value that the host may set except secrets, and remarks on those."""
    # A set: the file's author chose their number, and each value is looked up in it.
    allowed = frozenset(measured.app.allowed_environment)
    secrets = _secret_variables(measured)
    yield from _names(allowed, accepted, secrets)
    read_by_scripts = frozenset(script_inputs(measured.audit.scripts))
    for entry in sorted(read_by_scripts, key=lambda each: each.name):
        text = f"{plain(entry.name)} ({plain(entry.place)}) comes from the host, and nothing proves it"
        if entry.name in accepted:
            yield remark("host", f"{text}, which you accept")
        else:
            fix = f"Read what the script does with it, and name {plain(entry.name)} under host_input of the trust file."
            yield refused("host", text, fix)
    for entry in measured.audit.host_input:
        if entry in read_by_scripts:
            continue
        elsewhere = not entry.place.startswith((_ALLOWED_ENVIRONMENT, _NODES_OWN))
        # A sidecar is another program: a secret of the node there gets more readers.
        if entry.name in secrets and entry.name in allowed and elsewhere:
            text = f"{entry.name}, a secret of the node, is handed to another ({plain(entry.place)})"
            yield refused("host", text, "Give it to the node alone.")
        # A user may accept it, but not here: an operator can write the value into the file.
        elif entry.decides:
            text = f"the host sets {plain(entry.name)!r} ({plain(entry.place)}), which decides what runs"
            yield refused("host", text, _INLINE)
        # A copy's source is checked separately.
        elif entry.place != _ALLOWED_ENVIRONMENT and entry.name not in allowed and not entry.is_copy:
            text = f"{plain(entry.name)!r} ({plain(entry.place)}) is left to the machine, and not in allowed_envs"
            yield refused("host", text, _INLINE)
    service = node_service(measured)
    if service is not None:
        yield from _of_the_node(service, secrets)


def _secret_variables(measured: Measured) -> frozenset[str]:
    """Returns the variables of the node's secrets, including those of named RPC providers."""
    try:
        names = secrets_of(inlined_settings(measured).settings.rpc_endpoints)
    except ComposeError:  # unreadable settings are another finding
        names = SECRETS
    return frozenset(PREFIX + name.upper() for name in names)


def _names(allowed: frozenset[str], accepted: frozenset[str], secrets: frozenset[str]) -> Iterator[Finding]:
    for name in sorted(allowed):
        if name in secrets:
            yield remark("host", f"the host may set {name}, a secret of the node")
        elif name in accepted:
            yield remark("host", f"the host may set {plain(name)!r}, which you accept")
        else:
            text = f"the host may set {plain(name)!r}, which is no secret of the node"
            yield refused("host", text, f"{_INLINE} For a sidecar's secret say --accept-env {plain(name)}.")


def _of_the_node(service: Service, secrets: frozenset[str]) -> Iterator[Finding]:
    """Objects to every variable of the node except its secrets without a value.

    The node refuses to start with any other of its variables, and libraries read variables too.
    """
    for environment in service.fields.all("environment"):
        for name, value in _entries(environment):
            if name not in secrets:
                text = f"service {NODE!r} has the variable {plain(name)!r}: the node takes its settings as text alone"
                yield refused("host", text, "Take it out.")
            # Any other text with the variable in it would be partly measured, and public.
            elif value not in {None, f"${name}", f"${{{name}}}"}:
                text = f"service {NODE!r}: {name} has a value here, where everybody can read it"
                yield refused("host", text, f"Replace that secret, and leave the line at {name} alone.")


def _entries(environment: Node) -> Iterator[tuple[str, str | None]]:
    if isinstance(environment, Items):
        for entry in environment.items:
            if isinstance(entry, Scalar):
                name, sign, value = entry.text.partition("=")
                yield name, value if sign else None
    elif isinstance(environment, Fields):
        for name, node in environment.pairs:
            empty = isinstance(node, Scalar) and not node.is_text and node.text.lower() in {"", "null", "~"}
            yield name, None if empty else node.text if isinstance(node, Scalar) else ""
