"""The app-compose, the exact JSON bytes that dstack measures, with the docker compose file.

Equal deployments give equal bytes. The templates beside this module are filled in by line.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from compose.deployment import OF_THE_SETTINGS, Deployment, Ingress, Telemetry, block_lines, inlinable, quoted
from compose.errors import ComposeError, Exit
from node.settings import PREFIX
from svc_verifier.formats.strict_json import Json

_STOPPING_S: Final = 10
"""Seconds added to the node's own time-outs for requests and writes before docker kills it."""
_LOG_ROTATION: Final = (
    "logging:",
    "  driver: json-file",
    '  options: {max-size: "50m", max-file: "5"}',
)
"""250 MB, a day or more of a busy node's log. By default json-file would fill the disk."""
TELEMETRY_CONFIG_MAX_BYTES: Final = 32_768
"""Largest collector configuration that is inlined."""


def docker_compose_text(deployment: Deployment) -> str:
    """Returns the docker compose file. Raises ComposeError for an unsuitable collector config."""
    settings = deployment.settings.settings
    # Names alone: values would be public, so the host supplies them (`allowed_envs`).
    environment = [PREFIX + name.upper() for name in sorted(set(deployment.secrets))]
    grace_s = math.ceil(settings.http_shutdown_timeout_s + settings.write_stop_timeout_s) + _STOPPING_S
    return _fill(
        "node.yml",
        {
            "@node-image@": [deployment.image.text],
            # The settings are an argument, so that a change makes a new container (ADR 0018).
            "@settings@": block_lines(deployment.settings.text, 0),
            "@environment@": _listed("environment:", environment),
            "@ports@": _listed("ports:", _ports(deployment)),
            # Read-only: the node serves what the ingress wrote, and must not replace it.
            "@node-volumes@": ["- evidences:/evidences:ro"] if deployment.ingress else [],
            "@stop-grace-s@": [str(grace_s)],
            "@memory-limit@": [f"mem_limit: {deployment.memory_limit}"] if deployment.memory_limit else [],
            "@logging@": _LOG_ROTATION if deployment.rotates_logs else [],
            "@sidecars@": [*_ingress(deployment), *_telemetry(deployment.telemetry)],
            "@volumes@": ["cert-data:", "evidences:"] if deployment.ingress else [],
            "@configs@": _configs(deployment.telemetry),
        },
    )


def _ports(deployment: Deployment) -> list[str]:
    """Returns the published ports. The HTTP port serves /health and the certificate authority."""
    settings = deployment.settings.settings
    if deployment.ingress is not None:
        # The ingress ends TLS and uses the compose network. A published port would be clear text.
        return []
    return [f'"{settings.https_public_port}:{settings.https_port}"', f'"80:{settings.http_port}"']


def _ingress(deployment: Deployment) -> list[str]:
    ingress: Ingress | None = deployment.ingress
    if ingress is None:
        return []
    settings = deployment.settings.settings
    fixed = zip(OF_THE_SETTINGS, (settings.domain, f"http://node:{settings.http_port}"), strict=True)
    values = dict((*ingress.environment, *fixed))
    lines = [f"- {quoted(f'{name}={value}')}" for name, value in sorted(values.items())]
    lines += [f"- {name}" for name in sorted(set(ingress.secrets))]
    return _fill("ingress.yml", {"@ingress-image@": [ingress.image.text], "@ingress-environment@": lines}).splitlines()


def _telemetry(telemetry: Telemetry | None) -> list[str]:
    if telemetry is None:
        return []
    filled = _fill(
        "telemetry.yml",
        {
            "@telemetry-image@": [telemetry.image.text],
            "@telemetry-arguments@": [f"- {quoted(argument)}" for argument in telemetry.arguments],
            "@telemetry-environment@": _listed("environment:", sorted(set(telemetry.secrets))),
            "@telemetry-config@": [_config_name(telemetry)],
            "@telemetry-target@": [telemetry.target],
        },
    )
    return [line for line in filled.splitlines() if telemetry.arguments or line != "  command:"]


def _config_name(telemetry: Telemetry) -> str:
    """Returns a name with the content's hash, since compose ignores changed content (ADR 0018).

    At 160 bits of SHA-256, two contents with one name cannot be found.
    """
    return f"telemetry-{hashlib.sha256(_config_text(telemetry).encode()).hexdigest()[:40]}"


def _config_text(telemetry: Telemetry) -> str:
    return inlinable(telemetry.config, "the telemetry configuration", TELEMETRY_CONFIG_MAX_BYTES)


def _configs(telemetry: Telemetry | None) -> list[str]:
    if telemetry is None:
        return []
    return ["configs:", f"  {_config_name(telemetry)}:", "    content: |", *block_lines(_config_text(telemetry), 6)]


def _listed(key: str, entries: Sequence[str]) -> list[str]:
    return [key, *(f"  - {entry}" for entry in entries)] if entries else []


def _fill(template: str, values: Mapping[str, Sequence[str]]) -> str:
    """Returns the template with its placeholders replaced, by indented lines or by one value."""
    text = resources.files("compose").joinpath("templates", template).read_text(encoding="utf-8")
    filled: list[str] = []
    for line in text.splitlines():
        name = line.strip()
        if name in values:
            indent = line[: len(line) - len(line.lstrip())]
            # Empty lines get no blanks, which would become part of a block scalar's text.
            filled += [indent + each if each else "" for each in values[name]]
        else:
            filled.append(_replaced(line, values))
    return "\n".join(filled) + "\n"


def _replaced(line: str, values: Mapping[str, Sequence[str]]) -> str:
    place = next((name for name in values if name in line), None)
    if place is None:
        return line
    (value,) = values[place]
    # A second line would be YAML by itself, perhaps another key of the service.
    if "\n" in value:
        raise ComposeError(Exit.INTERNAL, f"{place} has several lines")
    return line.replace(place, value)


MANIFEST_VERSION: Final = 2
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_KEY_PROVIDER_ID: Final = re.compile(r"(?:[0-9a-f]{2}){0,512}")


PHALA: Final = "phala"
"""Name of the only host profile. docs/hosts/phala.md says what is known and what only read."""
HOST_SCRIPT_MAX_BYTES: Final = 204_800
"""Limit of the service for script and docker compose file together, 200 KiB."""
_HOST_FEATURES: Final = ("kms", "tproxy-net")
_HOST_STORAGE: Final = "zfs"


@dataclass(frozen=True, slots=True)
class AppOptions:
    """Platform options. `key_provider_id` is the key service's public key (DER) in hex.

    `host_script` is a managed host's start script, which selects its profile; empty for none.
    """

    name: str = "svc-node"
    key_provider_id: str = ""
    gateway: bool = True
    host_script: str = ""

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        if not _NAME.fullmatch(self.name):
            raise ComposeError(Exit.MISUSE, "the app's name is lower-case letters, digits and dashes, 63 at most.")
        # Upper-case hex would give another compose hash for the same key.
        if not _KEY_PROVIDER_ID.fullmatch(self.key_provider_id):
            raise ComposeError(Exit.MISUSE, "the key provider id is hex, in lower case.")


def app_compose_bytes(deployment: Deployment, options: AppOptions) -> bytes:
    """Returns the measured file in UTF-8 with sorted keys, no blanks and no final newline.

    dstack's SDKs hash an app-compose in this form ("deterministic JSON"), so that a tool that
    reads the file and writes it again gets the same hash.
    """
    members: dict[str, Json] = {
        "allowed_envs": list(deployment.host_variables),
        "docker_compose_file": docker_compose_text(deployment),
        "gateway_enabled": options.gateway,
        "key_provider_id": options.key_provider_id,
        "kms_enabled": True,
        "local_key_provider_enabled": False,
        "manifest_version": MANIFEST_VERSION,
        "name": options.name,
        "no_instance_id": False,
        # Log lines hold account hashes and hosts (docs/monitoring.md).
        "public_logs": False,
        "public_sysinfo": False,
        "public_tcbinfo": True,
        "runner": "docker-compose",
        # Certificates and the head's age use this clock; otherwise the host sets its first time.
        "secure_time": True,
    }
    if options.host_script:
        members |= _of_the_host(options)
        if not options.key_provider_id:
            # The service omits an empty one, and each byte counts for the hash.
            del members["key_provider_id"]
    return json.dumps(members, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _of_the_host(options: AppOptions) -> dict[str, Json]:
    """Returns the members that the managed host adds to a file that it deploys."""
    return {
        "features": list(_HOST_FEATURES),
        "pre_launch_script": options.host_script,
        "storage_fs": _HOST_STORAGE,
        "tproxy_enabled": options.gateway,
    }


def compose_hash(app_compose: bytes) -> bytes:
    """Returns SHA-256 of exactly these bytes, as the platform measures them."""
    return hashlib.sha256(app_compose).digest()
