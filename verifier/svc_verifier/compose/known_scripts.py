"""Published start scripts of managed hosts, by hash: which variables and files each reads from the host."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class KnownScript:
    """Script that a managed host puts into the measured file. `reads` are the variables and files it takes from the host.

    To be in the table says what a hash is of, and accepts nothing: the trust file names the scripts that may run.
    """

    name: str
    version: str
    digest: bytes
    read_at: str
    """Address of the text that was hashed."""
    reads: tuple[str, ...]

    @property
    def title(self) -> str:
        """Name and version, as a trust file may give them."""
        return f"{self.name}@{self.version}"


_PHALA_CLOUD: Final = "phala-cloud-pre-launch"
_PHALA_CLOUD_READ_AT: Final = (
    "https://github.com/Dstack-TEE/dstack-examples/blob/0593b4b9224bc789d83923382e30f9229c366c4a/"
    "phala-cloud-prelaunch-script/prelaunch.sh"
)
_PHALA_CLOUD_READS: Final = (
    "/dstack/user_config",
    "DOCKER_CONFIG",
    "DSTACK_AUTHORIZED_KEYS",
    "DSTACK_AWS_ACCESS_KEY_ID",
    "DSTACK_AWS_ECR_REGISTRY",
    "DSTACK_AWS_REGION",
    "DSTACK_AWS_SECRET_ACCESS_KEY",
    "DSTACK_AWS_SESSION_TOKEN",
    "DSTACK_DOCKER_PASSWORD",
    "DSTACK_DOCKER_REGISTRY",
    "DSTACK_DOCKER_USERNAME",
    "DSTACK_GATEWAY_DOMAIN",
    "DSTACK_ROOT_PASSWORD",
    "DSTACK_ROOT_PUBLIC_KEY",
    "HOME",
)
KNOWN_SCRIPTS: Final = (
    KnownScript(
        _PHALA_CLOUD,
        "0.0.16",
        bytes.fromhex("9843af25b7069841b22cee60ee8f225b3d52e893de71b208feae724a8f6787fa"),
        _PHALA_CLOUD_READ_AT,
        _PHALA_CLOUD_READS,
    ),
    # The same text without its last line end: the service is reported to store it so (docs/hosts/phala.md).
    KnownScript(
        _PHALA_CLOUD,
        "0.0.16",
        bytes.fromhex("83f8deb4a6d220bee3e2129327c3470f17d7e627ba5e0188c220f8d2f874fbc5"),
        _PHALA_CLOUD_READ_AT,
        _PHALA_CLOUD_READS,
    ),
)
"""Scripts whose published text was hashed for this table. docs/hosts/phala.md says how to hash them again."""


def known_script(digest: bytes) -> KnownScript | None:
    """Return the table's entry of a script by its exact SHA-256."""
    return next((script for script in KNOWN_SCRIPTS if script.digest == digest), None)


def script_digests(title: str) -> frozenset[bytes]:
    """Return the hashes that the table has for NAME@VERSION; empty where it has none."""
    return frozenset(script.digest for script in KNOWN_SCRIPTS if script.title == title)
