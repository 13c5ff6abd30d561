"""Published start scripts of managed hosts, by hash, and what each reads from the host."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class KnownScript:
    """Script of a managed host in the measured file. `reads` are its variables and files.

    The table only explains a hash. The trust file names the scripts that may run.
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
"""Values that every listed version reads. Later ones set the password in another way."""


def _phala_cloud(version: str, digest: str, commit: str) -> KnownScript:
    read_at = f"https://github.com/Dstack-TEE/dstack-examples/blob/{commit}/phala-cloud-prelaunch-script/prelaunch.sh"
    return KnownScript(_PHALA_CLOUD, version, bytes.fromhex(digest), read_at, _PHALA_CLOUD_READS)


# Each twice, since the service may store the text without its last line end.
KNOWN_SCRIPTS: Final = (
    _phala_cloud(
        "0.0.16",
        "9843af25b7069841b22cee60ee8f225b3d52e893de71b208feae724a8f6787fa",
        "0593b4b9224bc789d83923382e30f9229c366c4a",
    ),
    _phala_cloud(
        "0.0.16",
        "83f8deb4a6d220bee3e2129327c3470f17d7e627ba5e0188c220f8d2f874fbc5",
        "0593b4b9224bc789d83923382e30f9229c366c4a",
    ),
    _phala_cloud(
        "0.0.17",
        "93d29be852c0ccf92b275f824d71f1b589e906503c4d67332f36c633412fabe5",
        "deb6808161c5702aafff4e42e958d63148ab6e4b",
    ),
    _phala_cloud(
        "0.0.17",
        "000a7271b4a7c714eabf7e449d588d2bdca9030d68ca4c1887d02ffe30e83b3c",
        "deb6808161c5702aafff4e42e958d63148ab6e4b",
    ),
    _phala_cloud(
        "0.0.18",
        "24d363e17b26dabdbf287588c1e1968fd7fdfef10954123b99ff6c6a837c5692",
        "d3fb09c2b1984d1537c0fad1112c39888b610a27",
    ),
    _phala_cloud(
        "0.0.18",
        "dff5c66d04aef10b4efe83285eb92aa3433e9697ff316e912af2817eaf186394",
        "d3fb09c2b1984d1537c0fad1112c39888b610a27",
    ),
    _phala_cloud(
        "0.0.19",
        "cec8f68ce6185b912023d886bba20cd06386dd9751af904e6107e758b9d68983",
        "c021d8b8147901a7fad056d443c4145924407707",
    ),
    _phala_cloud(
        "0.0.19",
        "b8a42178d4dcba3107fbcc5eb5ba154432ddfc170aa0295f5c666f163c2526fc",
        "c021d8b8147901a7fad056d443c4145924407707",
    ),
)
"""Scripts whose published text was hashed. docs/hosts/phala.md tells how to repeat it."""


def known_script(digest: bytes) -> KnownScript | None:
    """Returns the table's entry of a script by its exact SHA-256."""
    return next((script for script in KNOWN_SCRIPTS if script.digest == digest), None)


def script_digests(title: str) -> frozenset[bytes]:
    """Returns the hashes of NAME@VERSION in the table, or an empty set."""
    return frozenset(script.digest for script in KNOWN_SCRIPTS if script.title == title)
