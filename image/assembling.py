"""Second stage, run by the Python of the image. Makes layout and documents from the inputs."""

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from image import bill, npm, oci, wheel
from image.commands import ImageError
from image.components import components
from image.debian import USER, debian_tree
from image.elf import missing_libraries
from image.lock import Lock, Store, read_lock
from image.own_packages import PROGRAM, PackedPython, build_wheel, bytecode, project_tree, snapshots_of
from image.refresh import BUILD_REQUIREMENTS, REQUIREMENTS
from image.selection import NPM, complaints
from image.tree import Tree, join
from image.wheel import require_agreement

NAME: Final = "svc-node"
CONFIG: Final[dict[str, object]] = {
    "User": f"{USER}:{USER}",
    "Env": ["PATH=/usr/local/bin:/usr/bin"],
    "Entrypoint": [f"/usr/local/bin/{PROGRAM}"],
    "Cmd": ["serve", "--config", "/etc/svc-node/settings.toml"],
    "WorkingDir": "/",
    "StopSignal": "SIGTERM",
}


@dataclass(frozen=True, slots=True)
class Request:
    """Inputs of a build. `source` is the tree of `revision`; `epoch` its time in unix seconds."""

    store: Store
    source: Path
    epoch: int
    revision: str
    out: Path
    python: PackedPython


def assemble(request: Request) -> str:
    """Write the layout and its documents; return the image's digest. Raises ImageError."""
    lock = read_lock(request.source)
    # Before anything is built. The requirements are reviewed and tested, the lock is built.
    for locked, path in ((lock.wheels, REQUIREMENTS), (lock.build_wheels, BUILD_REQUIREMENTS)):
        require_agreement(locked, (request.source / path).read_text(), str(path))
    debian = debian_tree({deb.name: request.store.get(deb.sha256) for deb in lock.debs})
    wheels = join({package.name: wheel.files_of(request.store.get(package.sha256)) for package in lock.wheels})
    own = _own_wheel(lock, request, wheels)
    ours = wheel.files_of(own[1])
    ours |= wheel.program(ours, PROGRAM)
    layers = [
        oci.Layer(debian | bytecode(debian, request.python), lock.refreshed, "Debian packages of image/lock.json"),
        oci.Layer(wheels | bytecode(wheels, request.python), lock.refreshed, "wheels of image/lock.json"),
        # Our layer alone carries the commit's time, so that an upgrade with the same lock keeps the
        # two layers below.
        oci.Layer(ours | bytecode(ours, request.python), request.epoch, f"our wheel of commit {request.revision}"),
    ]
    whole = join({layer.made_by: layer.tree for layer in layers})
    # Over all layers and before a byte is written, so that no image ever breaks a rule.
    if wrong := complaints(whole):
        raise ImageError("these have no place in the image:\n" + "\n".join(wrong))
    if missing := missing_libraries(whole):
        raise ImageError("packages of these libraries are missing in image/selection.py:\n" + "\n".join(missing))
    created = datetime.fromtimestamp(request.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    version = own[0].split("-")[1]
    labels = {
        "title": NAME,
        "version": version,
        "revision": request.revision,
        "created": created,
        "licenses": "Apache-2.0",
    }
    annotations = {f"org.opencontainers.image.{name}": value for name, value in labels.items()}
    digest = oci.write_layout(
        request.out / "layout", layers, CONFIG | {"Labels": annotations}, created, annotations
    ).digest
    parts = components(lock, request.store, request.source, own)
    texts = {
        "digest": digest + "\n",
        "sbom.cdx.json": bill.cyclonedx(parts, NAME, version, digest, created),
        "licences.md": bill.licence_list(parts, digest),
        "files.txt": bill.file_list(whole),
    }
    for name, text in texts.items():
        (request.out / name).write_text(text, encoding="utf-8")
    (request.out / own[0]).write_bytes(own[1])
    return digest


def _own_wheel(lock: Lock, request: Request, wheels: Tree) -> tuple[str, bytes]:
    tarballs = {}
    for folder, package in zip(NPM, lock.npm, strict=True):
        tarballs[folder] = request.store.get(package.sha256)
        npm.require_integrity(request.source, folder, package, tarballs[folder])
    tools = [request.store.get(package.sha256) for package in lock.build_wheels]
    project = project_tree(request.source, npm.files_of(tarballs))
    # Before the wheel, which contains them. They need wasmtime of the locked wheels.
    project |= snapshots_of(project, wheels, request.python)
    return build_wheel(project, tools, request.python, request.epoch)


def main() -> None:
    """Takes store, source, epoch, revision, out and root of the Python. Writes the digest."""
    store, source, epoch, revision, out, root = sys.argv[1:]
    os.umask(0o022)  # The wheel stores the modes of files.
    try:
        digest = assemble(
            Request(Store(Path(store)), Path(source), int(epoch), revision, Path(out), PackedPython(Path(root)))
        )
    except ImageError as error:
        sys.exit(str(error))
    sys.stdout.write(digest + "\n")
