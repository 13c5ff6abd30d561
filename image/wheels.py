"""Wheels by way of pip: where they come from is pip's own configuration, what they are is the lock's."""

import hashlib
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from image.commands import run
from image.errors import ImageError
from image.lock import Package
from image.selection import PYTHON

_GLIBC_MINOR: Final = 36
_LEGACY: Final = ("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64")
_PLATFORMS: Final = (*(f"manylinux_2_{minor}_x86_64" for minor in range(_GLIBC_MINOR, 4, -1)), *_LEGACY)
_REQUIREMENT: Final = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+?)((?:\s*;[^\\\n]*)?)((?:\s*\\\n\s*--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE
)
_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")


def download(requirements: str) -> dict[str, bytes]:
    """The wheels of hash-locked requirements for the image's Python, by file name. Raises ImageError."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        wanted.write_text(requirements)
        into = Path(folder, "wheels")
        run((*_pip(), "download", "--no-deps", "--require-hashes", *_target(), "--dest", into, "--requirement", wanted))
        return {path.name: path.read_bytes() for path in sorted(into.glob("*.whl"))}


def fetch(wheels: Sequence[Package]) -> dict[str, bytes]:
    """Exactly these wheels, by SHA-256. Raises ImageError when one of them cannot be had."""
    lines = (f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in wheels)
    try:
        found = download("".join(lines))
    except ImageError as error:
        raise ImageError(
            f"pip could not fetch the locked wheels. If one is no longer offered, take what is: make image-refresh; "
            f"or build from a kept archive: make image ARCHIVE=file\n{error}"
        ) from error
    return {hashlib.sha256(data).hexdigest(): data for data in found.values()}


def locked(requirements: str) -> dict[tuple[str, str], frozenset[str]]:
    """The hashes that requirements allow, by name and version."""
    return {
        (name, version): frozenset(_HASH.findall(hashes))
        for name, version, _, hashes in _REQUIREMENT.findall(requirements)
    }


def require_agreement(wheels: Sequence[Package], requirements: str, name: str) -> None:
    """Raises ImageError unless the wheels are those of the requirements: every one, at its version, with a listed hash."""
    allowed = locked(requirements)
    unconditional = {(n, v) for n, v, marker, _ in _REQUIREMENT.findall(requirements) if not marker.strip()}
    named = {(wheel.name, wheel.version) for wheel in wheels}
    wrong = {key for key in named if key not in allowed} | (unconditional - named)
    wrong |= {(w.name, w.version) for w in wheels if w.sha256 not in allowed.get((w.name, w.version), frozenset())}
    if wrong:
        listed = ", ".join(sorted(f"{n} {v}" for n, v in wrong))
        raise ImageError(
            f"image/lock.json and {name} disagree on {listed}. Bring the lock up to it: make image-refresh"
        )


def _pip() -> tuple[str, ...]:
    return (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input")


def _target() -> tuple[str, ...]:
    platforms = tuple(part for name in _PLATFORMS for part in ("--platform", name))
    python = ("--python-version", PYTHON, "--implementation", "cp")
    abis = ("--abi", "cp" + PYTHON.replace(".", ""), "--abi", "abi3", "--abi", "none")
    return ("--only-binary", ":all:", *platforms, *python, *abis)
