"""Files that browsers take from npm packages, fetched by npm and compared with its lock."""

import base64
import hashlib
import io
import json
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from image.commands import ImageError, run
from image.lock import Package
from image.selection import NPM
from image.tree import File, Tree

FILES: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "LICENSE")
"""Files that `make setup` copies into node/http/swagger_ui for a node outside of an image."""


def fetch(name: str, version: str) -> tuple[str, bytes]:
    """Fetch a tarball; return its file name and content. Raises ImageError."""
    npm = Path(sys.executable).parent / "npm"
    command = str(npm) if npm.exists() else "npm"
    with tempfile.TemporaryDirectory() as folder:
        # --ignore-scripts: a package must not run its own code on the building machine.
        run((command, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, f"{name}@{version}"))
        (path,) = Path(folder).glob("*.tgz")
        return path.name, path.read_bytes()


def require_integrity(source: Path, folder: str, package: Package, tarball: bytes) -> None:
    """Compare name, version and SHA-512 with package-lock.json. Raises ImageError."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    if (package.name, package.version, found) != locked(source)[folder]:
        raise ImageError(
            f"image/lock.json and package-lock.json disagree on {package.name}. Bring the lock up to it: make image-refresh"
        )


def locked(source: Path) -> Mapping[str, tuple[str, str, str]]:
    """Returns name, version and integrity of each package of NPM, by its folder in node_modules."""
    found = json.loads((source / "package-lock.json").read_text())["packages"]
    entries = {folder: found[f"node_modules/{folder}"] for folder in NPM}
    return {folder: (folder, str(entry["version"]), str(entry["integrity"])) for folder, entry in entries.items()}


def files_of(tarballs: Mapping[str, bytes]) -> Tree:
    """Returns the served files by path in the source tree. `tarballs` are by folder of NPM.

    Raises ImageError when a package lacks one.
    """
    return {f"{place}/{name}": File(_member(tarballs, folder, name)) for folder, place in NPM.items() for name in FILES}


def _member(tarballs: Mapping[str, bytes], folder: str, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(tarballs[folder]), mode="r:gz") as archive:
        try:
            content = archive.extractfile(f"package/{name}")
        except KeyError:
            content = None
        if content is None:
            raise ImageError(f"The npm package in {folder} has no {name}.")
        return content.read()
