"""Wheels, fetched by pip, compared with the lock, and unpacked without tests and sources."""

import csv
import hashlib
import io
import re
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from configparser import ConfigParser
from pathlib import Path, PurePosixPath
from typing import Final

from image.commands import ImageError, run
from image.lock import Package
from image.selection import GLIBC_MINOR, PYTHON, SITE, keeps_of_wheel
from image.tree import File, Tree

_LEGACY: Final = ("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64")
_PLATFORMS: Final = (*(f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC_MINOR, 4, -1)), *_LEGACY)
_REQUIREMENT: Final = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+?)((?:\s*;[^\\\n]*)?)((?:\s*\\\n\s*--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE
)
_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")


def download(requirements: str) -> dict[str, bytes]:
    """Returns the wheels of hash-locked requirements by file name. Raises ImageError."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input")
    platforms = (part for name in _PLATFORMS for part in ("--platform", name))
    python = ("--python-version", PYTHON, "--implementation", "cp")
    abis = ("--abi", "cp" + PYTHON.replace(".", ""), "--abi", "abi3", "--abi", "none")
    target = ("--only-binary", ":all:", *platforms, *python, *abis)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        wanted.write_text(requirements)
        into = Path(folder, "wheels")
        # --no-deps: the requirements are the whole closure. --require-hashes: pip takes no file
        # without a hash.
        run((*pip, "download", "--no-deps", "--require-hashes", *target, "--dest", into, "--requirement", wanted))
        return {path.name: path.read_bytes() for path in sorted(into.glob("*.whl"))}


def fetch(wheels: Sequence[Package]) -> dict[str, bytes]:
    """Fetch exactly these wheels, by SHA-256. Raises ImageError."""
    lines = (f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in wheels)
    try:
        # By hash alone, so that the index or cache a wheel comes from does not matter.
        found = download("".join(lines))
    except ImageError as error:
        raise ImageError(
            f"pip could not fetch the locked wheels. If one is no longer offered, take what is: make image-refresh; "
            f"or build from a kept archive: make image ARCHIVE=file\n{error}"
        ) from error
    return {hashlib.sha256(data).hexdigest(): data for data in found.values()}


def locked(requirements: str) -> dict[tuple[str, str], frozenset[str]]:
    """Returns the hashes that requirements allow, by name and version."""
    return {
        (name, version): frozenset(_HASH.findall(hashes))
        for name, version, _, hashes in _REQUIREMENT.findall(requirements)
    }


def require_agreement(wheels: Sequence[Package], requirements: str, name: str) -> None:
    """Compare wheels with the requirements' versions and hashes. Raises ImageError."""
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


_INSTALLER: Final = b"image\n"
_DESCRIPTION: Final = re.compile(r"[^/]+\.dist-info/METADATA")
_DATA_SCHEMES: Final = frozenset({"purelib", "platlib"})


def files_of(wheel: bytes) -> Tree:
    """Returns the installed files by path. Raises ImageError for a damaged wheel."""
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            found = {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}
    except zipfile.BadZipFile as error:
        raise ImageError(f"a wheel cannot be read: {error}.") from error
    kept = {_inside(name): data for name, data in found.items() if _is_installed(name) and keeps_of_wheel(name)}
    folder = info_folder(kept)
    kept[f"{folder}/INSTALLER"] = _INSTALLER
    kept[f"{folder}/RECORD"] = _record(kept, folder)
    return {f"{SITE}/{name}": File(data, executable=False) for name, data in kept.items()}


def info_folder(files: dict[str, bytes]) -> str:
    """Returns the name of the .dist-info folder."""
    folders = {PurePosixPath(name).parts[0] for name in files if _DESCRIPTION.fullmatch(name)}
    if len(folders) != 1:
        raise ImageError(f"a wheel has {len(folders)} descriptions of itself.")
    return folders.pop()


def program(tree: Tree, name: str) -> Tree:
    """Returns a wheel's console script. Python is isolated (-I) from the host's variables."""
    for path, entry in tree.items():
        if path.endswith(".dist-info/entry_points.txt") and isinstance(entry, File):
            parser = ConfigParser()
            parser.read_string(entry.data.decode())
            module, _, function = parser["console_scripts"][name].partition(":")
            text = f"#!/usr/bin/python{PYTHON} -I\nfrom {module} import {function}\n\n{function}()\n"
            return {f"usr/local/bin/{name}": File(text.encode(), executable=True)}
    raise ImageError(f"no wheel brings the program {name}.")


def _is_installed(name: str) -> bool:
    """Whether a file is a module or metadata; programs and headers are left out."""
    first, *rest = PurePosixPath(name).parts
    return not first.endswith(".data") or rest[0] in _DATA_SCHEMES


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ImageError(f"a wheel names {name}, a path that leaves its folder.")
    if path.parts[0].endswith(".data"):
        path = PurePosixPath(*path.parts[2:])
    return str(path)


def _record(files: dict[str, bytes], folder: str) -> bytes:
    """Returns the wheel's own RECORD without the files that are left out."""
    rows = csv.reader(io.StringIO(files[f"{folder}/RECORD"].decode()))
    # Scanners and importlib.metadata read RECORD, so it must not list what was left out.
    kept = [row for row in rows if row and row[0] in files]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*kept, [f"{folder}/INSTALLER", "", ""]])
    return text.getvalue().encode()
