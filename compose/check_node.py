"""How the node's own container is closed: the template's lines, each refused when it is missing."""

from collections.abc import Iterator

from compose.check_mounts import file_objections, mount_objections, volume_objections
from compose.check_sidecars import intrusions
from compose.errors import ComposeError
from compose.findings import Finding, refused, remark
from compose.measured import NODE, Measured, inlined_settings, node_service
from svc_verifier.compose.containers import mount_sources
from svc_verifier.compose.tree import Fields, Scalar, Service
from svc_verifier.rendering.text import plain

_LOCAL_LOGGING = frozenset({"json-file", "local", "journald", "none"})
_RENDERED = frozenset(
    {
        "cap_drop",
        "command",
        "entrypoint",
        "environment",
        "image",
        "ports",
        "read_only",
        "restart",
        "security_opt",
        "stop_grace_period",
        "tmpfs",
        "ulimits",
        "volumes",
    }
)
_HARMLESS = frozenset(
    {
        "container_name",
        "cpus",
        "depends_on",
        "expose",
        "logging",
        "mem_limit",
        "mem_reservation",
        "memswap_limit",
        "networks",
        "pids_limit",
        "platform",
        "pull_policy",
    }
)
_LISTS = ("cap_drop", "security_opt", "tmpfs")
_OPENING_MOUNTS = frozenset({"exec", "suid", "dev"})
"""What the engine does not allow on a tmpfs by itself."""
_AS_RENDERED = "Write it as svc-compose render does."


def node_findings(measured: Measured) -> Iterator[Finding]:
    """An objection to each opening."""
    service = node_service(measured)
    if service is None:
        return
    for text in (*_openings(service), *mount_objections(service), *_ports(measured, service)):
        yield refused("node", f"service {NODE!r}: {plain(text)}", _AS_RENDERED)
    for text in (*volume_objections(measured), *file_objections(measured)):
        yield refused("node", plain(text), _AS_RENDERED)
    yield from _others(measured, service)


def _others(measured: Measured, service: Service) -> Iterator[Finding]:
    kept = {
        entry.partition(":")[0] for entry in _plain_values(service, "volumes") if entry.split(":")[1:2] == ["/data"]
    }
    holders = {NODE, *measured.audit.key_holders}
    theirs = {source for each in measured.services if each.name in holders for source, _ in mount_sources(each)}
    for other in measured.services:
        where = f"service {plain(other.name)!r}"
        for text in _logging(other):
            yield refused("logs", f"{where}: {plain(text)}", "Leave the logs in the machine.")
        if other.name == NODE:
            continue
        for text in intrusions(other, kept, set() if other.name in holders else theirs):
            yield refused("node", f"{where}: {plain(text)}", "Keep the containers apart.")
        if other.name not in holders and list(other.entries("ports")):
            text = f"{where} publishes ports: on 80 and 443 it may prove the name to a certificate authority as its own"
            yield remark("node", text)


def _openings(service: Service) -> Iterator[str]:
    if _plain_values(service, "read_only") != ["true"]:
        yield "its root file system can be written"
    if "ALL" not in {text.upper() for text in _plain_values(service, "cap_drop")}:
        yield "it keeps capabilities (cap_drop: [ALL] is missing)"
    if {text.replace("=", ":") for text in _plain_values(service, "security_opt")} != {"no-new-privileges:true"}:
        yield "security_opt is not no-new-privileges:true alone"
    for key in _LISTS:
        if not all(isinstance(entry, Scalar) for entry in service.entries(key)):
            yield f"{key} holds what is no text"
    yield from _temporary(service)
    for key, _ in service.fields.pairs:
        if key not in _RENDERED | _HARMLESS and not key.startswith("x-"):
            yield f"{key} is not among what the node needs"


def _temporary(service: Service) -> Iterator[str]:
    for place, _, options in (text.partition(":") for text in _plain_values(service, "tmpfs")):
        if place != "/tmp":  # noqa: S108 - a path in a container
            yield f"a tmpfs at {place} hides what the image or the volume has there"
        for option in sorted(_OPENING_MOUNTS.intersection(options.split(","))):
            yield f"the tmpfs at {place} has {option}: programs that are written there could be run"


def _ports(measured: Measured, service: Service) -> Iterator[str]:
    """Only the API's ports are published, and as short texts: a number may be read in base 60, a range may hold any.

    Where the node does not end TLS, its one port is the API in clear: that is the ingress's alone.
    """
    try:
        settings = inlined_settings(measured).settings
    except ComposeError:
        return
    served = {str(settings.https_port), str(settings.http_port)}
    for entry in service.entries("ports"):
        if not isinstance(entry, Scalar):
            yield "a port is published in the long form"
        elif not entry.is_text or entry.text.count(":") != 1 or entry.text.rpartition(":")[2] not in served:
            yield f"publishes {entry.text}, which is not a port of the API in quotes"
        elif not settings.certificate_mode:
            yield f"publishes {entry.text}, where keys pass in clear: certificate_mode is empty, the ingress ends TLS"


def _logging(service: Service) -> Iterator[str]:
    for logging in service.fields.all("logging"):
        drivers = logging.all("driver") if isinstance(logging, Fields) else ()
        for driver in drivers or (logging,):
            name = driver.text if isinstance(driver, Scalar) else "?"
            if name not in _LOCAL_LOGGING:
                yield f"the logging driver {name} sends logs elsewhere"
        for options in logging.all("options") if isinstance(logging, Fields) else ():
            if any(key.startswith("env") for key, _ in (options.pairs if isinstance(options, Fields) else ())):
                yield "its log is to carry variables, which may be secrets"


def _plain_values(service: Service, key: str) -> list[str]:
    return [entry.text for entry in service.entries(key) if isinstance(entry, Scalar)]
