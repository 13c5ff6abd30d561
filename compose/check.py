"""The check before an approval, by the verifier's rules and by stricter ones for an operator."""

from collections.abc import Iterator
from dataclasses import dataclass

from compose.check_host import host_findings
from compose.check_node import node_findings
from compose.check_settings import log_export_findings, settings_findings
from compose.errors import ComposeError
from compose.findings import Finding, Weight, refused, remark
from compose.measured import NODE, Measured, inlined_settings, node_service
from svc_verifier.compose.known_scripts import known_script
from svc_verifier.compose.tree import Fields, Items, Node, Subject
from svc_verifier.rendering.text import plain


def form_findings(measured: Measured) -> Iterator[Finding]:
    """Yields an objection to each key that has several values, since readers may differ."""
    for path in ambiguous_keys(measured.tree):
        text = f"{plain(path)} is given more than once, by a merge: which one counts is each reader's matter"
        yield refused("code.form", text, "Write it once.")


def ambiguous_keys(tree: Fields) -> tuple[str, ...]:
    """Returns their paths, as `services.node.image`. The parser refuses a key written twice."""
    return tuple(dict.fromkeys(_ambiguous(tree, "")))


def _ambiguous(node: Node, path: str) -> Iterator[str]:
    if isinstance(node, Items):
        for item in node.items:
            yield from _ambiguous(item, path)
    elif isinstance(node, Fields):
        seen: set[str] = set()
        for key, value in node.pairs:
            here = f"{path}.{key}" if path else key
            if key in seen:
                yield here
            seen.add(key)
            yield from _ambiguous(value, here)


_FIXES = {
    Subject.FORM: "Leave it out.",
    Subject.IMAGES: "Name the image as NAME@sha256: and its digest.",
    Subject.SCRIPTS: "Do it in an image; a managed host's own belongs by its hash under scripts of a trust file (--trust).",
    Subject.PRIVILEGES: "Leave it out: what gets out of its container reads every key.",
    Subject.HOST_INPUT: "Write the value into the file.",
    Subject.SETTINGS: "Render the file with svc-compose.",
    Subject.MEMBERS: "Leave it out: a verifier leaves a node with it undecided.",
}


_FLAGS = frozenset(
    {
        "gateway_enabled",
        "local_key_provider_enabled",
        "no_instance_id",
        "public_tcbinfo",
        "secure_time",
        "tproxy_enabled",
    }
)
"""Boolean members of the platform. The verifier's reader checks the types of the others."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Risks that the operator accepts.

    `variables` may be set by the host: those of sidecars, and `MEMBER:VARIABLE` that a known script
    reads. `key_holders` are other services with the keys, `scripts` SHA-256 of accepted scripts.
    """

    variables: frozenset[str] = frozenset()
    key_holders: frozenset[str] = frozenset()
    scripts: frozenset[bytes] = frozenset()


def check(measured: Measured, accepted: Accepted) -> tuple[Finding, ...]:
    """Returns every finding, refusals first."""
    found = [
        *_of_the_verifier(measured),
        *form_findings(measured),
        *_scripts(measured, accepted),
        *_key_holders(measured, accepted),
        *_forms(measured),
        *_platform(measured),
        *host_findings(measured, accepted.variables),
        *node_findings(measured),
        *_settings(measured),
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.weight is not Weight.REFUSED))


def is_refused(findings: tuple[Finding, ...]) -> bool:
    """Whether any finding refuses."""
    return any(finding.weight is Weight.REFUSED for finding in findings)


def _of_the_verifier(measured: Measured) -> Iterator[Finding]:
    for finding in measured.audit.findings:
        if finding.member == "secure_time":
            continue  # `_platform` also requires that it is present
        yield refused(finding.subject.value, plain(finding.text), _FIXES[finding.subject])
    # A user may accept a host path in the trust file, but a node of ours needs none.
    for mount in measured.audit.mounts:
        text = f"line {mount.line}: {mount.by} mounts {mount.source} of the machine"
        yield refused(Subject.PRIVILEGES.value, plain(text), "Use a named volume.")


def _scripts(measured: Measured, accepted: Accepted) -> Iterator[Finding]:
    """Yields a finding for each script. Only its exact hash in the trust file accepts it."""
    for name, digest in measured.audit.scripts:
        script = known_script(digest)
        title = f"{script.title}, " if script is not None else ""
        text = f"{plain(name)} ({title}sha256 {digest.hex()}) runs beside the containers, outside of every image"
        if digest in accepted.scripts:
            yield remark(Subject.SCRIPTS.value, f"{text}; the trust file names it")
        else:
            yield refused(Subject.SCRIPTS.value, text, _FIXES[Subject.SCRIPTS])


def _key_holders(measured: Measured, accepted: Accepted) -> Iterator[Finding]:
    # dstack separates no containers: each one with the socket can derive every key of the app.
    holders = set(measured.audit.key_holders)
    if NODE not in holders:
        yield refused(
            "keys", f"service {NODE!r} does not mount the guest agent's socket", "Mount /var/run/dstack.sock."
        )
    for name in sorted(holders - {NODE}):
        text = f"{plain(name)!r} reaches the guest agent, and so every key of every account"
        if name in accepted.key_holders:
            yield remark("keys", text)
        else:
            yield refused("keys", text, f"Take the socket away, or say --accept-key-holder {plain(name)}.")


def _forms(measured: Measured) -> Iterator[Finding]:
    members = measured.members
    for name in sorted(_FLAGS & members.keys()):
        # Some readers refuse the text "false", others take it as true.
        if not isinstance(members[name], bool):
            yield refused("platform", f"{name} is neither true nor false: readers may differ", "Write one of them.")
    if not isinstance(members.get("key_provider_id", ""), str):
        yield refused("platform", "key_provider_id is no text: readers may differ", "Hex, or leave it out.")


def _platform(measured: Measured) -> Iterator[Finding]:
    members = measured.members
    if members.get("secure_time") is not True:
        text = "secure_time is off: the machine starts with the clock its host gives it"
        yield refused("platform", text, "Set it: certificates and the age of the chain's head go by that clock.")
    if members.get("local_key_provider_enabled") is True:
        yield refused(
            "platform", "local_key_provider_enabled: keys come from the machine's own provider", "Turn it off."
        )
    # If this member is present, dstack ignores kms_enabled.
    if members.get("key_provider") not in (None, "kms"):
        text = "key_provider is not kms: keys come from elsewhere, whatever kms_enabled says"
        yield refused("platform", text, "Leave it out.")
    if not members.get("key_provider_id"):
        yield remark(
            "platform", "key_provider_id is empty: the host chooses the key service; the verifier tells whose it was"
        )
    if members.get("features"):
        yield remark(
            "platform", "features: an older form of the platform's other flags, which some versions still read"
        )
    if members.get("docker_config"):
        yield remark("platform", "docker_config: images come from a registry of its own; their digests still decide")
    if not (members.get("gateway_enabled") or members.get("tproxy_enabled")):
        yield remark("platform", "gateway_enabled is off: the host must route to this machine by itself")
    if members.get("no_instance_id") is True:
        yield remark("platform", "no_instance_id: several machines of this app are one instance to the platform")


def _settings(measured: Measured) -> Iterator[Finding]:
    try:
        inlined = inlined_settings(measured)
    except ComposeError as error:
        yield refused("settings", plain(error.message), "Render the file with svc-compose.")
        return
    yield from settings_findings(inlined, measured.app.allowed_environment)
    node = node_service(measured)
    if node is not None:
        others = tuple(service for service in measured.services if service.name != NODE)
        yield from log_export_findings(inlined.settings, node, others)
