"""The app-compose, whose JSON text is measured (spec 12.1), and its audit."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from svc_verifier.compose.containers import Mount, key_holders, mounts_to_judge, privilege_findings
from svc_verifier.compose.host_input import HostInput, host_inputs, script_inputs
from svc_verifier.compose.kinds import kind_findings
from svc_verifier.compose.tree import Fields, Finding, Node, Scalar, Service, Subject, at, parse_compose, services_of
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json_object

LIMIT_BYTES: Final = 1_048_576
NESTING: Final = 16
SCRIPTS: Final = ("pre_launch_script", "init_script", "bash_script")
KNOWN_MEMBERS: Final = frozenset(
    {
        *SCRIPTS,
        "allowed_envs",
        "default_gateway_domain",
        "docker_compose_file",
        "docker_config",
        "event_log_version",
        "features",
        "gateway_enabled",
        "key_provider",
        "key_provider_id",
        "kms_enabled",
        "local_key_provider_enabled",
        "manifest_version",
        "name",
        "no_instance_id",
        "port_policy",
        "public_logs",
        "public_sysinfo",
        "public_tcbinfo",
        "runner",
        "salt",
        "secure_time",
        "storage_fs",
        "swap_size",
        "tproxy_enabled",
        "version",
    }
)
"""Members that dstack 0.3 to 0.6 reads and this verifier judges. A newer one may read others.

`verity_volumes` and `requirements` are left out on purpose, since volumes are mounted over any path
of the guest and requirements may loosen how a GPU is attested. A user may accept one by name.
"""

KNOWN_FEATURES: Final = frozenset({"kms", "tproxy-net"})
"""Names under `features` that dstack 0.3 to 0.6 reads, older forms of `…_enabled` members."""


@dataclass(frozen=True, slots=True)
class AppCompose:
    """A parsed app-compose. `docker_compose_file` is None for other runners; no script is empty."""

    name: str
    manifest_version: int
    runner: str
    docker_compose_file: str | None
    scripts: tuple[tuple[str, str], ...]
    allowed_environment: tuple[str, ...]
    public_logs: bool
    public_sysinfo: bool
    secure_time: bool
    kms_enabled: bool
    unknown_features: tuple[str, ...]
    unknown_members: tuple[str, ...]


def parse_app_compose(text: str) -> AppCompose:
    """Parse an app-compose. Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_COMPOSE)."""
    read = parse_json_object(text, "app-compose", LIMIT_BYTES, NESTING)
    version = read.get("manifest_version")
    if not isinstance(version, int) or isinstance(version, bool):
        version = int(version) if isinstance(version, str) and version.isascii() and version.isdigit() else -1
    compose = read.get("docker_compose_file")
    if compose is not None and not isinstance(compose, str):
        raise _bad("docker_compose_file is no text")
    kms_enabled, provider = _flag(read, "kms_enabled"), read.get("key_provider")
    return AppCompose(
        name=_text(read, "name"),
        manifest_version=version,
        runner=_text(read, "runner"),
        docker_compose_file=compose,
        # Empty scripts are left out, since they run nothing.
        scripts=tuple(_scripts(read)),
        allowed_environment=_texts(read.get("allowed_envs"), "allowed_envs"),
        public_logs=_flag(read, "public_logs"),
        public_sysinfo=_flag(read, "public_sysinfo"),
        # dstack's own default is true.
        secure_time=_flag(read, "secure_time", default=True),
        # dstack uses `key_provider` if it is given, whatever `kms_enabled` says.
        kms_enabled=kms_enabled if provider is None else provider == "kms",
        unknown_features=tuple(sorted(set(_texts(read.get("features"), "features")) - KNOWN_FEATURES)),
        unknown_members=tuple(sorted(read.keys() - KNOWN_MEMBERS)),
    )


def _scripts(read: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yields every member named as a script, known or not; `init_script` may be a list."""
    for key, value in read.items():
        # A newer dstack may know other scripts, so the name is enough to refuse one.
        if "script" not in key.lower():
            continue
        if key == "init_script" and isinstance(value, list):
            yield from ((f"{key}[{place}]", script) for place, script in enumerate(_texts(value, key)) if script)
        elif _text(read, key):
            yield key, _text(read, key)


def _text(read: dict[str, Json], key: str) -> str:
    value = read.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _bad(f"{key} is no text")
    return value


def _flag(read: dict[str, Json], key: str, *, default: bool = False) -> bool:
    value = read.get(key, default)
    if not isinstance(value, bool):
        raise _bad(f"{key} is neither true nor false")
    return value


def _texts(value: Json, key: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _bad(f"{key} is no list of texts")
    return tuple(str(text) for text in value)


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COMPOSE, f"app-compose: {what}")


_PINNED: Final = re.compile(r"[a-z0-9][A-Za-z0-9._:/-]*@sha256:([0-9a-f]{64})")
"""Name, perhaps with registry and tag, and a whole digest, without variables or quotes."""

_MUTABLE_PULLS: Final = frozenset({"build"})


@dataclass(frozen=True, slots=True)
class PinnedImage:
    """Image pinned by `digest`, its 32-byte SHA-256."""

    service: str
    reference: str
    digest: bytes


def pinned_images(services: tuple[Service, ...]) -> tuple[PinnedImage, ...]:
    """Return the images that are pinned by digest."""
    found = []
    for service in services:
        for image in _references(service):
            match = _PINNED.fullmatch(image.text) if isinstance(image, Scalar) else None
            if isinstance(image, Scalar) and match:
                found.append(PinnedImage(service.name, image.text, bytes.fromhex(match[1])))
    return tuple(found)


def image_findings(services: tuple[Service, ...]) -> Iterator[Finding]:
    """Yields an objection to each image without a text that is pinned by a sha256 digest."""
    for service in services:
        if not service.fields.all("image"):
            yield Finding(Subject.IMAGES, at(service.fields.line, f"service {service.name!r} names no image"))
        for image in _references(service):
            if not isinstance(image, Scalar) or not image.is_text:
                yield Finding(Subject.IMAGES, at(image.line, f"service {service.name!r}: image is no text"))
            elif not _PINNED.fullmatch(image.text):
                what = f"service {service.name!r}: image {image.text!r} is not pinned by @sha256: and 64 hex digits"
                yield Finding(Subject.IMAGES, at(image.line, what))
        for policy in service.fields.all("pull_policy"):
            if not isinstance(policy, Scalar) or policy.text in _MUTABLE_PULLS:
                yield Finding(
                    Subject.IMAGES, at(policy.line, f"service {service.name!r}: pull_policy builds the image")
                )


def _references(service: Service) -> Iterator[Node]:
    """Yields the service's image, and images mounted as volumes."""
    yield from service.fields.all("image")
    for volume in service.entries("volumes"):
        if isinstance(volume, Fields) and any(
            isinstance(kind, Scalar) and kind.text == "image" for kind in volume.all("type")
        ):
            yield from volume.all("source") or (volume,)


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
    """Yields an objection to every refused or unknown key, at the top or of a service."""
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


NAME_CHARACTERS: Final = 64
"""Characters of a member's name in a message, since the author chose it."""

RUNNER: Final = "docker-compose"
KNOWN_VERSIONS: Final = frozenset({1, 2, 3})


@dataclass(frozen=True, slots=True)
class Audit:
    """Findings about an app-compose file. `key_holders` reach the guest agent and so every key.

    `scripts` are name and SHA-256 of each; `mounts` the machine's paths that need acceptance.
    """

    images: tuple[PinnedImage, ...]
    scripts: tuple[tuple[str, bytes], ...]
    host_input: tuple[HostInput, ...]
    key_holders: tuple[str, ...]
    mounts: tuple[Mount, ...]
    findings: tuple[Finding, ...]


def audit_app_compose(text: str) -> Audit:
    """Audit the measured text. Raises VerifierError when it is not readable without doubt."""
    app = parse_app_compose(text)
    # The runner `bash` runs a script instead of containers, so no digest pins an image.
    if app.runner != RUNNER or app.docker_compose_file is None:
        message = f"app-compose: runner {app.runner!r}; only {RUNNER!r} with a docker_compose_file can be audited"
        raise VerifierError(VerifierErrorCode.BAD_COMPOSE, message)
    compose = parse_compose(app.docker_compose_file)
    services = services_of(compose)
    findings = [
        *unknown_keys(compose),
        *kind_findings(compose),
        *image_findings(services),
        *privilege_findings(services, compose),
        *_setting_findings(app),
    ]
    if not services:
        findings.append(Finding(Subject.IMAGES, "the compose file has no service"))
    # A lone surrogate of the JSON has no UTF-8; it must not end the audit.
    scripts = tuple(
        (name, hashlib.sha256(script.encode(errors="surrogatepass")).digest()) for name, script in app.scripts
    )
    return Audit(
        images=pinned_images(services),
        scripts=scripts,
        host_input=(*host_inputs(compose, services, app.allowed_environment), *script_inputs(scripts)),
        key_holders=key_holders(services, compose),
        mounts=tuple(mount for mount in mounts_to_judge(services, compose) if not mount.forbidden),
        findings=tuple(dict.fromkeys(findings)),
    )


def _setting_findings(app: AppCompose) -> Iterator[Finding]:
    if app.manifest_version not in KNOWN_VERSIONS:
        yield Finding(
            Subject.FORM, f"app-compose: manifest_version {app.manifest_version} is not known to this verifier"
        )
    if app.public_logs:
        yield Finding(Subject.SETTINGS, "public_logs: anybody may read what the containers write", "public_logs")
    if app.public_sysinfo:
        text = "public_sysinfo: anybody may read the machine's load and processes"
        yield Finding(Subject.SETTINGS, text, "public_sysinfo")
    if not app.secure_time:
        text = "secure_time is off: the machine starts with the clock its host gives it"
        yield Finding(Subject.SETTINGS, text, "secure_time")
    if not app.kms_enabled:
        text = "no KMS: keys come from the machine itself and are lost or copied with it"
        yield Finding(Subject.SETTINGS, text, "kms_enabled")
    for name in app.unknown_features:
        text = f"what the feature {name[:NAME_CHARACTERS]!r} does is not known to this verifier"
        yield Finding(Subject.MEMBERS, text, f"features:{name}")
    for name in app.unknown_members:
        text = f"what the member {name[:NAME_CHARACTERS]!r} does is not known to this verifier"
        yield Finding(Subject.MEMBERS, text, name)
