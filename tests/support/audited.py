"""Compose files put to the audit, and what it says of them."""

import json

from svc_verifier.check import Check, Status
from svc_verifier.checks.code import check_code
from svc_verifier.trust import Trust

DIGEST = "ab" * 32
PINNED = f"registry.example/team/node@sha256:{DIGEST}"
TRUST = Trust(host="node.example", app_id=bytes(20), chain_id=1)


def app_compose(docker_compose_file: str, **more: object) -> str:
    document = {
        "manifest_version": 2,
        "name": "node",
        "runner": "docker-compose",
        "docker_compose_file": docker_compose_file,
        "kms_enabled": True,
        "public_logs": False,
        "public_sysinfo": False,
        "allowed_envs": [],
    }
    return json.dumps(document | more)


def outcomes(docker_compose_file: str, trust: Trust | None = None, **more: object) -> dict[str, Status]:
    return {
        check.id: check.status for check in check_code(app_compose(docker_compose_file, **more), trust or TRUST).checks
    }


def refused(docker_compose_file: str, **more: object) -> set[str]:
    return {name for name, status in outcomes(docker_compose_file, None, **more).items() if status is Status.FAILED}


CODE = (
    "code.form",
    "code.images",
    "code.scripts",
    "code.privileges",
    "code.host-input",
    "code.settings",
    "code.members",
)


def by_id(text: str, trust: Trust = TRUST) -> dict[str, Check]:
    return {check.id: check for check in check_code(text, trust).checks}


PLAIN = f"services:\n  node:\n    image: {PINNED}\n"


def service(lines: str) -> str:
    """A pinned service with further lines."""
    return PLAIN + "".join(f"    {line}\n" for line in lines.splitlines())
