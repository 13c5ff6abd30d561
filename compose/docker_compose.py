"""A deployment as the text of its docker compose file: the templates beside this module, filled in line by line.

Equal deployments give equal bytes. What was written is read back by the verifier's own parser before anybody sees it.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

from compose.block import block_lines, inlinable, quoted
from compose.deployment import OF_THE_SETTINGS, Deployment, Ingress, Telemetry
from compose.errors import ComposeError, Exit
from compose.limits import DEFAULT_LIMITS
from node.settings import PREFIX

_STOPPING_S: Final = 10
"""Beside the node's own times for requests and writes."""


def docker_compose_text(deployment: Deployment) -> str:
    """The file. Raises ComposeError for a telemetry configuration that cannot be inlined."""
    settings = deployment.settings.settings
    environment = [PREFIX + name.upper() for name in sorted(set(deployment.secrets))]
    grace_s = math.ceil(settings.http_shutdown_timeout_s + settings.write_stop_timeout_s) + _STOPPING_S
    return _fill(
        "node.yml",
        {
            "@node-image@": [deployment.image.text],
            "@settings@": block_lines(deployment.settings.text, 0),
            "@environment@": _listed("environment:", environment),
            "@ports@": _listed("ports:", _ports(deployment)),
            "@node-volumes@": ["- evidences:/evidences:ro"] if deployment.ingress else [],
            "@stop-grace-s@": [str(grace_s)],
            "@sidecars@": [*_ingress(deployment), *_telemetry(deployment.telemetry)],
            "@volumes@": ["cert-data:", "evidences:"] if deployment.ingress else [],
            "@configs@": _configs(deployment.telemetry),
        },
    )


def _ports(deployment: Deployment) -> list[str]:
    """Published by the node itself, where it ends TLS itself; the HTTP port answers the authority and /health."""
    settings = deployment.settings.settings
    if deployment.ingress is not None:
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
    """With its content's hash: docker compose makes no new container for a content that changed (ADR 18). So much of it
    that nobody finds two contents of one name.
    """
    return f"telemetry-{hashlib.sha256(_config_text(telemetry).encode()).hexdigest()[:40]}"


def _config_text(telemetry: Telemetry) -> str:
    return inlinable(telemetry.config, "the telemetry configuration", DEFAULT_LIMITS.telemetry_config_bytes)


def _configs(telemetry: Telemetry | None) -> list[str]:
    if telemetry is None:
        return []
    return ["configs:", f"  {_config_name(telemetry)}:", "    content: |", *block_lines(_config_text(telemetry), 6)]


def _listed(key: str, entries: Sequence[str]) -> list[str]:
    return [key, *(f"  - {entry}" for entry in entries)] if entries else []


def _fill(template: str, values: Mapping[str, Sequence[str]]) -> str:
    """The template with each placeholder replaced: alone on its line by lines as far in as it stood, else by its one."""
    text = resources.files("compose").joinpath("templates", template).read_text(encoding="utf-8")
    filled: list[str] = []
    for line in text.splitlines():
        name = line.strip()
        if name in values:
            indent = line[: len(line) - len(line.lstrip())]
            filled += [indent + each if each else "" for each in values[name]]
        else:
            filled.append(_replaced(line, values))
    return "\n".join(filled) + "\n"


def _replaced(line: str, values: Mapping[str, Sequence[str]]) -> str:
    place = next((name for name in values if name in line), None)
    if place is None:
        return line
    (value,) = values[place]
    if "\n" in value:
        raise ComposeError(Exit.INTERNAL, f"{place} has several lines")
    return line.replace(place, value)
