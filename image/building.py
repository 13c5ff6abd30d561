"""The first stage, run by the machine's own Python: the committed source, the inputs, and the Python to build with."""

import io
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from image import mirrors, npm, wheels
from image.commands import run
from image.errors import ImageError
from image.lock import LOCK, Lock, read_lock
from image.mirrors import Mirrors
from image.packed_python import PackedPython
from image.store import Store
from image.tree import File, Link, Tree, write_tree

_ASSEMBLE: Final = "import sys; sys.path.insert(0, sys.argv[2]); from image.assembling import main; main()"
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Commit:
    """What is built: nothing that is not committed decides a byte of it. `time` in unix seconds."""

    repository: Path
    revision: str
    time: int


def head(repository: Path, announce: Announce) -> Commit:
    """The checked out commit; says so when files differ from it. Raises ImageError outside of a git checkout."""
    revision, time = run(("git", "log", "-1", "--format=%H %ct"), folder=repository).decode().split()
    if run(("git", "status", "--porcelain"), folder=repository).strip():
        announce(f"There are uncommitted changes here. The image is built of the commit {revision[:12]} without them.")
    return Commit(repository, revision, int(time))


def export(commit: Commit, folder: Path) -> None:
    """The committed files alone."""
    archive = run(
        ("git", "-c", "core.autocrlf=false", "-c", "core.eol=lf", "archive", "--format=tar", commit.revision),
        folder=commit.repository,
    )
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
        tree: Tree = {member.name: _entry(opened, member) for member in opened if not member.isdir()}
    write_tree(tree, folder)


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo) -> File | Link:
    if member.issym():
        return Link(member.linkname)
    opened = archive.extractfile(member) if member.isfile() else None
    if opened is None:
        raise ImageError(f"{member.name} is committed, and is neither a file nor a link.")
    return File(opened.read())


def fill(store: Store, lock: Lock, source: Callable[[], Mirrors], announce: Announce) -> None:
    """Fetch what the lock names and the store lacks. Raises ImageError."""
    debs = [deb for deb in lock.all_debs if not store.has(deb.sha256)]
    if debs:
        origin = source()
        announce(f"Fetching {len(debs)} Debian packages.")
        for deb in debs:
            store.put(mirrors.fetch(deb, origin), deb.sha256, f"{deb.name} {deb.version} of the mirror")
    lacking = [wheel for wheel in lock.all_wheels if not store.has(wheel.sha256)]
    if lacking:
        announce(f"Fetching {len(lacking)} wheels by pip.")
        for sha256, data in wheels.fetch(lacking).items():
            store.put(data, sha256, "a wheel of pip's index")
    for package in lock.npm:
        if not store.has(package.sha256):
            announce(f"Fetching {package.name} by npm.")
            store.put(npm.fetch(package.name, package.version)[1], package.sha256, package.file)


def build(commit: Commit, out: Path, obtain: Callable[[Lock], Store]) -> str:
    """Build the commit's image into `out`, whose old content goes; the image's digest. Raises ImageError.

    `obtain` answers a store that has what a lock names.
    """
    with tempfile.TemporaryDirectory(prefix="image-") as name:
        work = Path(name)
        source = work / "source"
        export(commit, source)
        if not (source / LOCK).exists():
            raise ImageError(f"The commit {commit.revision[:12]} has no {LOCK}.")
        lock = read_lock(source)
        store = obtain(lock)
        python = PackedPython.unpack((store.get(deb.sha256) for deb in lock.all_debs), work / "python")
        (work / "out").mkdir()
        arguments = (store.folder.absolute(), source, str(commit.time), commit.revision, work / "out", python.root)
        digest = python.run(_ASSEMBLE, *arguments, folder=work).decode().strip()
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "out", out)
    return digest
