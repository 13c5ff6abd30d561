"""Kinds of nodes, text, list or mapping, that docker compose takes at each place.

The audit looks for members in their places, so a node of another kind would be missed. docker
compose refuses most of these, but some of its versions take some.
"""

from collections.abc import Iterator
from typing import Final

from svc_verifier.compose.tree import Fields, Finding, Items, Node, Scalar, Subject, at

_KINDS: Final = {Scalar: "text", Items: "list", Fields: "mapping"}
_TEXT: Final = frozenset({"text"})
_LIST: Final = frozenset({"list"})
_MAPPING: Final = frozenset({"mapping"})

_TEXTS: Final = """cgroup cgroup_parent container_name cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime
    cpu_shares cpus cpuset domainname hostname image init ipc isolation mac_address mem_limit mem_reservation mem_swappiness
    memswap_limit network_mode oom_kill_disable oom_score_adj pid pids_limit platform privileged pull_policy read_only restart
    runtime scale shm_size stdin_open stop_grace_period stop_signal tty user userns_mode uts working_dir"""
_LISTS: Final = """cap_add cap_drop configs device_cgroup_rules devices dns_opt expose external_links group_add links ports
    post_start pre_stop profiles secrets security_opt volumes volumes_from"""
_MAPPINGS: Final = "blkio_config deploy healthcheck logging storage_opt ulimits"
_TEXTS_OR_LISTS: Final = "command dns dns_search entrypoint env_file gpus label_file tmpfs"
_LISTS_OR_MAPPINGS: Final = "annotations depends_on environment extra_hosts labels networks sysctls"

SERVICE_KINDS: Final = {
    name: kinds
    for names, kinds in (
        (_TEXTS, _TEXT),
        (_LISTS, _LIST),
        (_MAPPINGS, _MAPPING),
        (_TEXTS_OR_LISTS, _TEXT | _LIST),
        (_LISTS_OR_MAPPINGS, _LIST | _MAPPING),
    )
    for name in names.split()
}
"""Every key of a service, and of which kinds its value may be."""

_ENTRIES_MAY_BE_MAPPINGS: Final = frozenset(
    {"configs", "devices", "env_file", "gpus", "ports", "post_start", "pre_stop", "secrets", "volumes"}
)
"""Lists whose entries have a long form. Entries of all others are texts."""

_RESOURCES: Final = {
    "volumes": {"driver": _TEXT, "driver_opts": _MAPPING, "external": _TEXT | _MAPPING, "name": _TEXT},
    "networks": {
        "attachable": _TEXT,
        "driver": _TEXT,
        "driver_opts": _MAPPING,
        "enable_ipv4": _TEXT,
        "enable_ipv6": _TEXT,
        "external": _TEXT | _MAPPING,
        "internal": _TEXT,
        "ipam": _MAPPING,
        "name": _TEXT,
    },
    "configs": {
        "content": _TEXT,
        "environment": _TEXT,
        "file": _TEXT,
        "name": _TEXT,
    },
    "secrets": {"environment": _TEXT, "file": _TEXT, "name": _TEXT},
}
"""Members at the top of the file beside services, with the members of each. `labels` is allowed
too. An `external` config or secret comes from a store that is not measured."""

_LONG_FORM: Final = frozenset({"privileged", "source", "target", "type"})
"""Members of a long form that the audit reads."""

_LONG_FORMS: Final = {
    "volumes": frozenset("bind consistency image read_only source target tmpfs type volume".split()),  # noqa: SIM905
    **dict.fromkeys(("post_start", "pre_stop"), frozenset("command environment privileged user working_dir".split())),  # noqa: SIM905
}
"""All members of long forms in which an unknown member could be a mount or a privilege."""


def kind_findings(compose: Fields) -> Iterator[Finding]:
    """Yields objections to nodes of a wrong kind and to unknown members of volumes and networks."""
    for name, known in _RESOURCES.items():
        for listed in compose.all(name):
            yield from _wrong(listed, _MAPPING, name)
            for entry, resource in listed.pairs if isinstance(listed, Fields) else ():
                yield from _of_resource(f"{name} {entry!r}", resource, known)
    for services in compose.all("services"):
        for name, service in services.pairs if isinstance(services, Fields) else ():
            for key, value in service.pairs if isinstance(service, Fields) else ():
                yield from _of_service(f"service {name!r}: {key}", key, value)


def _of_resource(where: str, resource: Node, known: dict[str, frozenset[str]]) -> Iterator[Finding]:
    yield from _wrong(resource, _MAPPING, where)
    for key, value in resource.pairs if isinstance(resource, Fields) else ():
        if key in known:
            yield from _wrong(value, known[key], f"{where}: {key}")
        elif key != "labels" and not key.startswith("x-"):
            yield Finding(Subject.FORM, at(value.line, f"{where}: {key!r} is not known to this verifier"))
        if key == "ipam":
            yield from _members(f"{where}: {key}", value, {"driver": _TEXT, "config": _LIST, "options": _MAPPING})


def _of_service(where: str, key: str, value: Node) -> Iterator[Finding]:
    yield from _wrong(value, SERVICE_KINDS.get(key, frozenset(_KINDS.values())), where)
    entry_kinds = _TEXT | _MAPPING if key in _ENTRIES_MAY_BE_MAPPINGS else _TEXT
    for entry in value.items if isinstance(value, Items) and key in SERVICE_KINDS else ():
        yield from _wrong(entry, entry_kinds, f"{where}: an entry")
        if isinstance(entry, Fields):
            yield from _members(where, entry, dict.fromkeys(_LONG_FORM, _TEXT))
            known = _LONG_FORMS.get(key)
            yield from (
                Finding(Subject.FORM, at(member.line, f"{where}: {name!r} is not known to this verifier"))
                for name, member in entry.pairs
                if known is not None and name not in known and not name.startswith("x-")
            )
    if key == "logging":
        yield from _members(where, value, {"driver": _TEXT, "options": _MAPPING})
    elif key == "networks":
        for network, options in value.pairs if isinstance(value, Fields) else ():
            yield from _wrong(options, _MAPPING, f"{where} {network!r}")
    elif key == "environment":
        for _, content in value.pairs if isinstance(value, Fields) else ():
            yield from _wrong(content, _TEXT, where)


def _members(where: str, node: Node, known: dict[str, frozenset[str]]) -> Iterator[Finding]:
    """Yields an objection to those known members that are of another kind."""
    for key, value in node.pairs if isinstance(node, Fields) else ():
        if key in known:
            yield from _wrong(value, known[key], f"{where}: {key}")


def _wrong(node: Node, kinds: frozenset[str], where: str) -> Iterator[Finding]:
    # A member without a value counts as absent.
    if isinstance(node, Scalar) and not node.is_text and node.text.lower() in {"", "null", "~"}:
        return
    found = _KINDS[type(node)]
    if found not in kinds:
        yield Finding(Subject.FORM, at(node.line, f"{where} is a {found}, not a {' or '.join(sorted(kinds))}"))
