"""The app-compose text the simulator claims to run: digest-pinned in form, of an image that does not exist."""

import hashlib
import json
from typing import Final

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
        "public_sysinfo": True,
        "public_tcbinfo": True,
        "allowed_envs": [],
        "no_instance_id": False,
        "secure_time": False,
    },
    indent=2,
)
"""Hashed as it stands: the compose hash is sha256 of exactly this text's UTF-8 bytes."""
