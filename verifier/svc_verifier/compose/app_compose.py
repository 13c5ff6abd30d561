"""The app-compose: the JSON text whose hash is measured, and what in it decides what runs (spec 12.1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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
"""What dstack 0.3 to 0.6 reads and this verifier judges. A newer one may run what this verifier takes for a remark.

`verity_volumes` and `requirements` are left out on purpose: volumes are mounted over any path of the guest, and
requirements may loosen how an attached GPU is attested. Whoever accepts one by name has read it.
"""

KNOWN_FEATURES: Final = frozenset({"kms", "tproxy-net"})
"""Names under `features` that dstack 0.3 to 0.6 reads: older forms of `kms_enabled` and `tproxy_enabled`."""


@dataclass(frozen=True, slots=True)
class AppCompose:
    """`docker_compose_file` is None when another runner is named; `scripts` holds those that are not empty, by name."""

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
    """Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_COMPOSE), and nothing else."""
    read = parse_json_object(text, "app-compose", LIMIT_BYTES, NESTING)
    version = read.get("manifest_version")
    if not isinstance(version, int) or isinstance(version, bool):
        version = int(version) if isinstance(version, str) and version.isascii() and version.isdigit() else -1
    compose = read.get("docker_compose_file")
    if compose is not None and not isinstance(compose, str):
        raise _bad("docker_compose_file is no text")
    return AppCompose(
        name=_text(read, "name"),
        manifest_version=version,
        runner=_text(read, "runner"),
        docker_compose_file=compose,
        scripts=tuple(_scripts(read)),
        allowed_environment=_texts(read.get("allowed_envs"), "allowed_envs"),
        public_logs=_flag(read, "public_logs"),
        public_sysinfo=_flag(read, "public_sysinfo"),
        # dstack's own default is true
        secure_time=_flag(read, "secure_time", default=True),
        kms_enabled=_keys_from_kms(read),
        unknown_features=tuple(sorted(set(_texts(read.get("features"), "features")) - KNOWN_FEATURES)),
        unknown_members=tuple(sorted(read.keys() - KNOWN_MEMBERS)),
    )


def _scripts(read: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Every member whose name says that it is a script, known or not; `init_script` may be a list of them."""
    for key, value in read.items():
        if "script" not in key.lower():
            continue
        if key == "init_script" and isinstance(value, list):
            yield from ((f"{key}[{place}]", script) for place, script in enumerate(_texts(value, key)) if script)
        elif _text(read, key):
            yield key, _text(read, key)


def _keys_from_kms(read: dict[str, Json]) -> bool:
    """As dstack decides it: `key_provider` where it is given, whatever `kms_enabled` says."""
    enabled, provider = _flag(read, "kms_enabled"), read.get("key_provider")
    return enabled if provider is None else provider == "kms"


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
