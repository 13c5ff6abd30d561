"""The first stage, run by the machine's own Python: the committed source, the inputs, and the Python to build with."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
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
_LINK: Final = "120000"
_FILES: Final = frozenset({"100644", "100755"})
_WRITTEN: Final = frozenset({"layout", "digest", "sbom.cdx.json", "licences.md", "files.txt"})
"""And our wheel."""
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
    """The committed files alone, byte for byte: what attributes, filters or replacements of a user would make of them
    is in no commit, so the objects themselves are read.
    """
    listed = _git(commit, "ls-tree", "-r", "-z", "--full-tree", commit.revision).decode().split("\0")
    rows = [_Row.of(row) for row in listed if row]
    contents = _objects(_git(commit, "cat-file", "--batch", given="".join(f"{row.name}\n" for row in rows).encode()))
    tree: Tree = {
        row.path: Link(content.decode()) if row.is_link else File(content)
        for row, content in zip(rows, contents, strict=True)
    }
    write_tree(tree, folder)


@dataclass(frozen=True, slots=True)
class _Row:
    """One file or link of a commit; `name` is its object's."""

    path: str
    name: str
    is_link: bool

    @classmethod
    def of(cls, row: str) -> "_Row":
        """From a line of git-ls-tree(1)."""
        described, _, path = row.partition("\t")
        mode, _, name = described.split()
        if mode != _LINK and mode not in _FILES:
            raise ImageError(f"{path} is committed, and is neither a file nor a link.")
        return cls(path, name, mode == _LINK)


def _git(commit: Commit, *arguments: str, given: bytes = b"") -> bytes:
    return run(("git", "--no-replace-objects", *arguments), folder=commit.repository, given=given)


def _objects(batch: bytes) -> Iterator[bytes]:
    """The contents in git-cat-file(1)'s answer: `<hash> <type> <size>` and a line end before each, a line end after it."""
    at = 0
    while at < len(batch):
        start = batch.index(b"\n", at) + 1
        size = int(batch[at:start].split()[2])
        yield batch[start : start + size]
        at = start + size + 1


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

    `obtain` answers a store that has what a lock names. A folder that holds anything but an image is left alone.
    """
    _require_replaceable(out)
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


def _require_replaceable(out: Path) -> None:
    if not out.exists():
        return
    others = [] if not out.is_dir() else [path.name for path in out.iterdir() if path.name not in _WRITTEN]
    others = [name for name in others if not name.endswith(".whl")]
    if others or not out.is_dir():
        what = f"holds {min(others)}" if others else "is a file"
        raise ImageError(f"{out} {what}, which no build wrote: name a folder for the image alone.")
