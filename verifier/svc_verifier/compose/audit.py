"""The audit of an app-compose: what runs, what it may do, and what the host may still change."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from svc_verifier.compose.app_compose import AppCompose, parse_app_compose
from svc_verifier.compose.findings import Finding, Subject
from svc_verifier.compose.host_input import HostInput, host_inputs
from svc_verifier.compose.images import PinnedImage, image_findings, pinned_images
from svc_verifier.compose.keys import unknown_keys
from svc_verifier.compose.mounts import Mount, key_holders, mounts_to_judge
from svc_verifier.compose.privileges import privilege_findings
from svc_verifier.compose.services import services_of
from svc_verifier.compose.tree import parse_compose
from svc_verifier.errors import VerifierError, VerifierErrorCode

NAME_CHARACTERS: Final = 64
"""Of a member's name in a message; a stranger chose it."""

RUNNER: Final = "docker-compose"
KNOWN_VERSIONS: Final = frozenset({1, 2, 3})


@dataclass(frozen=True, slots=True)
class Audit:
    """What an app-compose says. `scripts` are name and sha256 of those beside the containers; `key_holders` the services
    that reach the guest agent, and so every key of the app; `mounts` the paths of the machine that a user must accept.
    """

    images: tuple[PinnedImage, ...]
    scripts: tuple[tuple[str, bytes], ...]
    host_input: tuple[HostInput, ...]
    key_holders: tuple[str, ...]
    mounts: tuple[Mount, ...]
    findings: tuple[Finding, ...]


def audit_app_compose(text: str) -> Audit:
    """Audit the exact text that was measured. Raises VerifierError when it cannot be read without doubt."""
    app = parse_app_compose(text)
    if app.runner != RUNNER or app.docker_compose_file is None:
        message = f"app-compose: runner {app.runner!r}; only {RUNNER!r} with a docker_compose_file can be audited"
        raise VerifierError(VerifierErrorCode.BAD_COMPOSE, message)
    compose = parse_compose(app.docker_compose_file)
    services = services_of(compose)
    findings = [
        *unknown_keys(compose),
        *image_findings(services),
        *privilege_findings(services, compose),
        *_setting_findings(app),
    ]
    if not services:
        findings.append(Finding(Subject.IMAGES, "the compose file has no service"))
    return Audit(
        images=pinned_images(services),
        scripts=tuple(
            (name, hashlib.sha256(script.encode(errors="surrogatepass")).digest()) for name, script in app.scripts
        ),
        host_input=host_inputs(compose, services, app.allowed_environment),
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
    for name in app.unknown_members:
        text = f"what the member {name[:NAME_CHARACTERS]!r} does is not known to this verifier"
        yield Finding(Subject.MEMBERS, text, name)
