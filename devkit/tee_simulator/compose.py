"""The app-compose text the simulator claims to run, with an image that does not exist."""

import hashlib
import json
from pathlib import Path
from typing import Final

from attest.errors import AttestError, AttestErrorCode
from devkit.tee_simulator.seed import write_whole

APP_COMPOSE_FILE: Final = "app-compose.json"

IMAGE_DIGEST: Final = hashlib.sha256(b"svc development image: not published anywhere").hexdigest()

DOCKER_COMPOSE: Final = f"""\
# DEVELOPMENT ONLY: claimed by the TEE simulator, run by nobody
services:
  svc-node:
    image: svc-node-development@sha256:{IMAGE_DIGEST}
    restart: unless-stopped
    volumes:
      - /var/run/dstack.sock:/var/run/dstack.sock
"""

DEVELOPMENT_APP_COMPOSE: Final = json.dumps(
    {
        "manifest_version": 2,
        "name": "svc-node-development",
        "runner": "docker-compose",
        "docker_compose_file": DOCKER_COMPOSE,
        "kms_enabled": True,
        "gateway_enabled": False,
        "public_logs": False,
        "public_sysinfo": False,
        "public_tcbinfo": True,
        "allowed_envs": [],
        "no_instance_id": False,
        "secure_time": True,
    },
    indent=2,
)
"""App-compose of development. The compose hash is sha256 of exactly this text in UTF-8."""


def app_compose_in(directory: Path) -> str:
    """Returns the app-compose of `directory`, at first the development text.

    It is kept, so that a newer template is no other application. Raises AttestError(SIMULATOR).
    """
    path = directory / APP_COMPOSE_FILE
    try:
        if path.exists():
            return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}."
        raise AttestError(AttestErrorCode.SIMULATOR, message) from None
    write_whole(path, DEVELOPMENT_APP_COMPOSE)
    return DEVELOPMENT_APP_COMPOSE
