"""The API page, fetched by npm with its own configuration and held against package-lock.json."""

import base64
import hashlib
import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from image.commands import ImageError, run
from image.lock import Package
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


def locked_version(source: Path, name: str) -> str:
    """Returns the version in package-lock.json."""
    return _locked(source, name)["version"]


def require_integrity(source: Path, package: Package, tarball: bytes) -> None:
    """Pass a tarball with the version and SHA-512 of package-lock.json. Raises ImageError."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    wanted = _locked(source, package.name)
    if (wanted["version"], wanted["integrity"]) != (package.version, found):
        raise ImageError(
            f"image/lock.json and package-lock.json disagree on {package.name}. Bring the lock up to it: make image-refresh"
        )


def page_of(tarball: bytes) -> Tree:
    """Returns the files that the node serves."""
    with tarfile.open(fileobj=io.BytesIO(tarball), mode="r:gz") as archive:
        opened = {name: archive.extractfile(f"package/{name}") for name in FILES}
        return {name: File(content.read()) for name, content in opened.items() if content is not None}


def _locked(source: Path, name: str) -> dict[str, str]:
    found = json.loads((source / "package-lock.json").read_text())["packages"][f"node_modules/{name}"]
    return {"version": str(found["version"]), "integrity": str(found["integrity"])}
