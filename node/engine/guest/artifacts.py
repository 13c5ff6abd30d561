"""Places and checks the files that workers load."""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
_ENGINE: Final = HERE.parent
FOLDER: Final = _ENGINE / "snapshots"
_MANIFEST: Final = "manifest.json"
_INPUTS: Final = (
    "guest/*.py",
    "guest/guest.wasm",
    "guest/warm.js",
    "worker/natives.py",
    "worker/hashes.py",
    "worker/openssl.py",
    "worker/secp256k1.py",
    "worker/wasmtime_api.py",
    "prelude/**/*.js",
    "libraries/*.js",
)


class ArtifactError(Exception):
    """The snapshots are missing, damaged or for another wasmtime; the message says what to do."""


def write(folder: Path, made: Mapping[str, bytes]) -> None:
    """Writes the files and, last, the manifest that proves they are complete."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        _replace(folder / name, content)
    manifest = {
        "wasmtime": version("wasmtime"),
        "inputs": inputs_digest(),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(made.items())},
    }
    _replace(folder / _MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def _replace(path: Path, content: bytes) -> None:
    """Replaces a file. A running node has mapped the old one as code, so do not write into it."""
    fresh = path.with_suffix(".fresh")
    fresh.write_bytes(content)
    fresh.replace(path)


def check(folder: Path) -> None:
    """Raises ArtifactError unless every file is complete and made for the installed wasmtime.

    This finds damage and a forgotten build step. It does not protect from an attacker who can write
    to the folder; the image does, which is read-only and measured.
    """
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="ascii"))
        made_for, digests = manifest["wasmtime"], manifest["files"]
        # Check the version here, or the first zygote would fail when it loads the code.
        if made_for != version("wasmtime"):
            raise ArtifactError(
                f"the snapshots are made for wasmtime {made_for}, not {version('wasmtime')}: run `make setup`"
            )
        for name, digest in digests.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                raise ArtifactError(f"{folder / name} is damaged: run `make setup`")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"the snapshots are not all there, run `make setup`: {error}") from error


def are_current() -> bool:
    """Returns whether the files are complete and made of the present inputs."""
    try:
        check(FOLDER)
        manifest = json.loads((FOLDER / _MANIFEST).read_text(encoding="ascii"))
    except ArtifactError:
        return False
    return bool(manifest["inputs"] == inputs_digest())


def inputs_digest() -> str:
    """Returns a digest of all inputs of the files except wasmtime."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _INPUTS for path in _ENGINE.glob(pattern)):
        digest.update(f"{path.relative_to(_ENGINE)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
