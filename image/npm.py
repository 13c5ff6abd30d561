"""The page of the API by way of npm, whose own configuration says where it comes from; package-lock.json says what it is."""

import base64
import hashlib
import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from image.commands import run
from image.errors import ImageError
from image.lock import Package
from image.tree import File, Tree

FILES: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "LICENSE")
"""What `make setup` copies into node/http/swagger_ui for a node that is not in an image."""


def fetch(name: str, version: str) -> tuple[str, bytes]:
    """The tarball and its file name. Raises ImageError."""
    npm = Path(sys.executable).parent / "npm"
    command = str(npm) if npm.exists() else "npm"
    with tempfile.TemporaryDirectory() as folder:
        run((command, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, f"{name}@{version}"))
        (path,) = Path(folder).glob("*.tgz")
        return path.name, path.read_bytes()


def locked_version(source: Path, name: str) -> str:
    """The version package-lock.json names."""
    return _locked(source, name)["version"]


def require_integrity(source: Path, package: Package, tarball: bytes) -> None:
    """Raises ImageError unless the tarball is what package-lock.json names: its version and its SHA-512."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    wanted = _locked(source, package.name)
    if (wanted["version"], wanted["integrity"]) != (package.version, found):
        raise ImageError(
            f"image/lock.json and package-lock.json disagree on {package.name}. Bring the lock up to it: make image-refresh"
        )


def page_of(tarball: bytes) -> Tree:
    """The files that the node serves."""
    with tarfile.open(fileobj=io.BytesIO(tarball), mode="r:gz") as archive:
        opened = {name: archive.extractfile(f"package/{name}") for name in FILES}
        return {name: File(content.read()) for name, content in opened.items() if content is not None}


def _locked(source: Path, name: str) -> dict[str, str]:
    found = json.loads((source / "package-lock.json").read_text())["packages"][f"node_modules/{name}"]
    return {"version": str(found["version"]), "integrity": str(found["integrity"])}
