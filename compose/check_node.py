"""How the node's own container is closed: the template's lines, each refused when it is missing."""

from collections.abc import Iterator

from compose.errors import ComposeError
from compose.findings import Finding, refused
from compose.measured import NODE, Measured, inlined_settings, node_service
from verifier.compose.services import Service
from verifier.compose.tree import Fields, Scalar
from verifier.rendering.plain import plain

_LOCAL_LOGGING = frozenset({"json-file", "local", "journald", "none"})
_ROOT = frozenset({"root", "0"})
_AS_RENDERED = "Write it as svc-compose render does."


def node_findings(measured: Measured) -> Iterator[Finding]:
    """An objection to each opening."""
    service = node_service(measured)
    if service is None:
        return
    for text in (*_openings(service), *_ports(measured, service)):
        yield refused("node", f"service {NODE!r}: {plain(text)}", _AS_RENDERED)
    for other in measured.services:
        for text in _logging(other):
            fix = "Leave the logs in the machine."
            yield refused("logs", f"service {plain(other.name)!r}: {plain(text)}", fix)


def _openings(service: Service) -> Iterator[str]:
    if _plain_values(service, "read_only") != ["true"]:
        yield "its root file system can be written"
    if "ALL" not in {text.upper() for text in _plain_values(service, "cap_drop")}:
        yield "it keeps capabilities (cap_drop: [ALL] is missing)"
    if "no-new-privileges:true" not in {text.replace("=", ":") for text in _plain_values(service, "security_opt")}:
        yield "a program in it may gain privileges (no-new-privileges is missing)"
    for user in _plain_values(service, "user"):
        if user.partition(":")[0] in _ROOT:
            yield "it runs as root"
    for key in ("post_start", "pre_stop", "healthcheck", "cap_add", "configs", "secrets", "env_file", "labels"):
        if service.fields.all(key):
            yield f"{key} is not among what the node needs"
    if "/data" not in {mount.split(":")[1] for mount in _plain_values(service, "volumes") if ":" in mount}:
        yield "no volume is mounted at /data: what the node keeps is lost with the container"


def _ports(measured: Measured, service: Service) -> Iterator[str]:
    """Only the API's ports are published, and as short texts: a number may be read in base 60, a range may hold any."""
    try:
        settings = inlined_settings(measured).settings
    except ComposeError:
        return
    served = {str(settings.https_port), str(settings.http_port)}
    for entry in service.entries("ports"):
        if not isinstance(entry, Scalar):
            yield "a port is published in the long form"
        elif entry.text.count(":") != 1 or entry.text.rpartition(":")[2] not in served:
            yield f"publishes {entry.text}, which is not a port of the API"


def _logging(service: Service) -> Iterator[str]:
    for logging in service.fields.all("logging"):
        drivers = logging.all("driver") if isinstance(logging, Fields) else ()
        for driver in drivers or (logging,):
            name = driver.text if isinstance(driver, Scalar) else "?"
            if name not in _LOCAL_LOGGING:
                yield f"the logging driver {name} sends logs elsewhere"


def _plain_values(service: Service, key: str) -> list[str]:
    return [entry.text for entry in service.entries(key) if isinstance(entry, Scalar)]
