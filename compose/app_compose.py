"""The app-compose: the JSON that dstack measures, as exact bytes, and their hash (attestation.md section 1.3)."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Final

from compose.deployment import Deployment
from compose.docker_compose import docker_compose_text
from compose.errors import ComposeError, Exit

MANIFEST_VERSION: Final = 2
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_KEY_PROVIDER_ID: Final = re.compile(r"(?:[0-9a-f]{2}){0,512}")


@dataclass(frozen=True, slots=True)
class AppOptions:
    """What the platform is told beside the containers; `key_provider_id` is hex, the key service's public key (DER)."""

    name: str = "svc-node"
    key_provider_id: str = ""
    gateway: bool = True

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        if not _NAME.fullmatch(self.name):
            raise ComposeError(Exit.MISUSE, "the app's name is lower-case letters, digits and dashes, 63 at most.")
        if not _KEY_PROVIDER_ID.fullmatch(self.key_provider_id):
            raise ComposeError(Exit.MISUSE, "the key provider id is hex, in lower case.")


def app_compose_bytes(deployment: Deployment, options: AppOptions) -> bytes:
    """The measured file: UTF-8, keys sorted, no blanks, nothing after the last brace.

    It is the form in which dstack's SDKs hash an app-compose ("deterministic JSON"), so that a tool that reads the file
    and writes it again arrives at the same hash.
    """
    members = {
        "allowed_envs": list(deployment.host_variables),
        "docker_compose_file": docker_compose_text(deployment),
        "gateway_enabled": options.gateway,
        "key_provider_id": options.key_provider_id,
        "kms_enabled": True,
        "local_key_provider_enabled": False,
        "manifest_version": MANIFEST_VERSION,
        "name": options.name,
        "no_instance_id": False,
        "public_logs": False,
        "public_sysinfo": False,
        "public_tcbinfo": True,
        "runner": "docker-compose",
        "secure_time": True,
    }
    return json.dumps(members, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def compose_hash(app_compose: bytes) -> bytes:
    """32 bytes: SHA-256 of exactly these bytes, as the platform measures them."""
    return hashlib.sha256(app_compose).digest()
