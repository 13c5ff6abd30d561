"""Deployments and their measured files, as an operator of a node would have them."""

import json
import re
from typing import Any

from compose.app_compose import AppOptions
from compose.deployment import Deployment, Ingress, Telemetry, parse_image, read_settings
from compose.measured import Measured, read_measured, rendered

IMAGE = "registry.example/svc-node:1.0@sha256:" + "ab" * 32
OTHER_IMAGE = "registry.example/svc-node:1.0@sha256:" + "cd" * 32
SIDECAR_IMAGE = "registry.example/sidecar@sha256:" + "ef" * 32
SETTINGS = """\
# The node of example.org
chain_id = 8453
chain_name = "Base"
contract_address = "0x00000000000000000000000000000000000000aa"
rpc_endpoints = ["https://one.example", "https://two.example", "https://three.example"]
kms_root_public_key = "02aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
billing = "off"

domain = "node.example"
certificate_mode = "acme"
https_host = "0.0.0.0"
http_host = "0.0.0.0"
data_dir = "/data"
"""
INGRESS_SETTINGS = SETTINGS.replace(
    'certificate_mode = "acme"', 'evidence_folder = "/evidences"\nmetrics_host = "0.0.0.0"'
)


def node_alone(settings: str = SETTINGS, image: str = IMAGE, secrets: tuple[str, ...] = ()) -> Deployment:
    """The deployment most operators want."""
    return Deployment(image=parse_image(image), settings=read_settings(settings), secrets=secrets)


def with_sidecars(settings: str = INGRESS_SETTINGS, config: str = "scrape: node:9464\n") -> Deployment:
    """With dstack-ingress and a collector."""
    sidecar = parse_image(SIDECAR_IMAGE)
    return Deployment(
        image=parse_image(IMAGE),
        settings=read_settings(settings),
        secrets=("ledger_url",),
        ingress=Ingress(sidecar, (("SET_CAA", "true"),), ("DNS_TOKEN",)),
        telemetry=Telemetry(sidecar, config, "/etc/telemetry/config.yml", ("--config=/etc/telemetry/config.yml",), ()),
    )


def measured(deployment: Deployment | None = None, **options: Any) -> Measured:
    """Its file."""
    return rendered(deployment or node_alone(), AppOptions(**options))


def changed(file: Measured, **members: Any) -> Measured:
    """The file with members of the app-compose replaced, or removed where None."""
    kept = {name: value for name, value in (file.members | members).items() if value is not None}
    return read_measured(json.dumps(kept).encode())


def compose_changed(file: Measured, before: str, after: str) -> Measured:
    """The file with a part of its docker compose text replaced; that part must be there."""
    text = file.app.docker_compose_file or ""
    assert before in text
    return changed(file, docker_compose_file=text.replace(before, after))


def as_docker_compose_reads(text: str, variables: dict[str, str]) -> str:
    """The Compose Specification's interpolation of one value: `$$` is `$`, variables are replaced, all else is an error."""

    def replaced(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        name = match[1] or match[2]
        assert name, f"docker compose refuses {match[0]!r}"
        return variables.get(name, "")

    return re.sub(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}|\$([A-Za-z_][A-Za-z0-9_]*)|\$.?", replaced, text)
