"""The app-compose: the JSON that dstack measures, as exact bytes, the docker compose file in it, and their hash.

Equal deployments give equal bytes. The templates beside this module are filled in line by line.
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
"""Added to the node's own time-outs for requests and writes."""
_LOG_ROTATION: Final = (
    "logging:",
    "  driver: json-file",
    '  options: {max-size: "50m", max-file: "5"}',
)
"""250 MB: a day or more of a busy node's requests. The json-file driver keeps everything by default, until the disk is full."""
TELEMETRY_CONFIG_MAX_BYTES: Final = 32_768
"""Largest configuration of a collector that is inlined."""


def docker_compose_text(deployment: Deployment) -> str:
    """Returns the docker compose file. Raises ComposeError for a telemetry configuration that cannot be inlined."""
    settings = deployment.settings.settings
    # Names alone: a value would be public, and the host supplies it (`allowed_envs`).
    environment = [PREFIX + name.upper() for name in sorted(set(deployment.secrets))]
    grace_s = math.ceil(settings.http_shutdown_timeout_s + settings.write_stop_timeout_s) + _STOPPING_S
    return _fill(
        "node.yml",
        {
            "@node-image@": [deployment.image.text],
            # The settings are an argument: a change of them makes a new container (ADR 0018).
            "@settings@": block_lines(deployment.settings.text, 0),
            "@environment@": _listed("environment:", environment),
            "@ports@": _listed("ports:", _ports(deployment)),
            # Read-only: the node serves what the ingress wrote, and must not be able to replace it.
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
    """Returns the published ports, where the node terminates TLS; the HTTP port serves the authority and /health."""
    settings = deployment.settings.settings
    if deployment.ingress is not None:
        # The ingress ends TLS and reaches the node on the compose network: a published port would be in clear.
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
    """Returns a name with the hash of the content: docker compose makes no new container for changed content (ADR 0018).

    160 bits of the hash: nobody finds two contents of one name.
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
    """Returns the template with each placeholder replaced: alone on its line by indented lines, else by one value."""
    text = resources.files("compose").joinpath("templates", template).read_text(encoding="utf-8")
    filled: list[str] = []
    for line in text.splitlines():
        name = line.strip()
        if name in values:
            indent = line[: len(line) - len(line.lstrip())]
            # Empty lines get no blanks: they would become part of a block scalar's text.
            filled += [indent + each if each else "" for each in values[name]]
        else:
            filled.append(_replaced(line, values))
    return "\n".join(filled) + "\n"


def _replaced(line: str, values: Mapping[str, Sequence[str]]) -> str:
    place = next((name for name in values if name in line), None)
    if place is None:
        return line
    (value,) = values[place]
    # A second line would be YAML of its own, perhaps another key of the service.
    if "\n" in value:
        raise ComposeError(Exit.INTERNAL, f"{place} has several lines")
    return line.replace(place, value)


MANIFEST_VERSION: Final = 2
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_KEY_PROVIDER_ID: Final = re.compile(r"(?:[0-9a-f]{2}){0,512}")


PHALA: Final = "phala"
"""Name of the one host profile. docs/hosts/phala.md says what of it is known, and what is only read."""
HOST_SCRIPT_MAX_BYTES: Final = 204_800
"""The service takes 200 KiB of script and docker compose file together."""
_HOST_FEATURES: Final = ("kms", "tproxy-net")
_HOST_STORAGE: Final = "zfs"


@dataclass(frozen=True, slots=True)
class AppOptions:
    """Options of the platform beside the containers; `key_provider_id` is the key service's public key (DER), hex.

    `host_script` is the start script of a managed host, by whose profile the file is written; empty: no such host.
    """

    name: str = "svc-node"
    key_provider_id: str = ""
    gateway: bool = True
    host_script: str = ""

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        if not _NAME.fullmatch(self.name):
            raise ComposeError(Exit.MISUSE, "the app's name is lower-case letters, digits and dashes, 63 at most.")
        # Upper-case hex would be another compose hash for the same key.
        if not _KEY_PROVIDER_ID.fullmatch(self.key_provider_id):
            raise ComposeError(Exit.MISUSE, "the key provider id is hex, in lower case.")


def app_compose_bytes(deployment: Deployment, options: AppOptions) -> bytes:
    """Returns the measured file: UTF-8, keys sorted, no blanks, nothing after the last brace.

    dstack's SDKs hash an app-compose in this form ("deterministic JSON"), so a tool that reads the file and writes it
    again computes the same hash.
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
        # Certificates and the age of the chain's head go by this clock; without it the host sets the first time.
        "secure_time": True,
    }
    if options.host_script:
        members |= _of_the_host(options)
        if not options.key_provider_id:
            # The service does not write an empty one, and each byte counts.
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
    """Returns 32 bytes: SHA-256 of exactly these bytes, as the platform measures them."""
    return hashlib.sha256(app_compose).digest()
