"""The keys of a compose file that this verifier understands: one that it does not may mean anything, so it objects.

Source: the Compose Specification. Keys that make a container run something unmeasured stand in `REFUSED`.
"""

from collections.abc import Iterator
from typing import Final

from svc_verifier.compose.findings import Finding, Subject, at
from svc_verifier.compose.tree import Fields

TOP: Final = frozenset({"version", "name", "services", "networks", "volumes", "configs", "secrets"})

SERVICE: Final = frozenset(
    """annotations blkio_config cap_add cap_drop cgroup cgroup_parent command configs container_name cpu_count
    cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset depends_on deploy
    device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file environment expose external_links
    extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels links logging mac_address
    mem_limit mem_reservation mem_swappiness memswap_limit network_mode networks oom_kill_disable oom_score_adj pid
    pids_limit platform ports post_start pre_stop privileged profiles pull_policy read_only restart runtime scale secrets
    security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits user userns_mode
    uts volumes volumes_from working_dir""".split()  # noqa: SIM905 - eighty names read better as a text
)

REFUSED: Final = {
    "include": "takes services from elsewhere",
    "extends": "takes a service from elsewhere",
    "build": "builds an image on the machine",
    "develop": "changes containers while they run",
    "provider": "runs a program beside the containers",
    "models": "pulls models that no digest pins",
    "use_api_socket": "hands out the container engine",
    "credential_spec": "takes credentials from the machine",
}


def unknown_keys(compose: Fields) -> Iterator[Finding]:
    """An objection to every key, at the top or of a service, that is refused or unknown."""
    yield from _objections(compose, TOP, "the file")
    for services in compose.all("services"):
        if not isinstance(services, Fields):
            yield Finding(Subject.FORM, at(services.line, "services is no mapping"))
            continue
        for name, service in services.pairs:
            if isinstance(service, Fields):
                yield from _objections(service, SERVICE, f"service {name!r}")
            else:
                yield Finding(Subject.FORM, at(service.line, f"service {name!r} is no mapping"))


def _objections(fields: Fields, known: frozenset[str], where: str) -> Iterator[Finding]:
    for key, value in fields.pairs:
        if key in REFUSED:
            yield Finding(Subject.FORM, at(value.line, f"{where}: {key!r} {REFUSED[key]}"))
        elif key not in known and not key.startswith("x-"):
            yield Finding(Subject.FORM, at(value.line, f"{where}: {key!r} is not known to this verifier"))
