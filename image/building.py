"""First stage, run by the machine's own Python. Prepares source, inputs and the image's Python."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from image import mirrors, npm, wheel
from image.commands import ImageError, run
from image.lock import LOCK, Lock, Store, read_lock
from image.mirrors import Mirrors
from image.own_packages import PackedPython
from image.tree import File, Link, Tree, write_tree

_ASSEMBLE: Final = "import sys; sys.path.insert(0, sys.argv[2]); from image.assembling import main; main()"
_LINK: Final = "120000"
_FILES: Final = frozenset({"100644", "100755"})
_WRITTEN: Final = frozenset({"layout", "digest", "sbom.cdx.json", "licences.md", "files.txt"})
"""Files of a build, besides our wheel."""
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit that is built. Only committed content decides the image. `time` is in unix seconds."""

    repository: Path
    revision: str
    time: int


def head(repository: Path, announce: Announce) -> Commit:
    """Returns the checked out commit; announces changed files. Raises ImageError without git."""
    revision, time = run(("git", "log", "-1", "--format=%H %ct"), folder=repository).decode().split()
    if run(("git", "status", "--porcelain"), folder=repository).strip():
        announce(f"There are uncommitted changes here. The image is built of the commit {revision[:12]} without them.")
    return Commit(repository, revision, int(time))


def export(commit: Commit, folder: Path) -> None:
    """Write the committed files, byte for byte.

    It reads the objects, since a user's attributes, filters and replacements are in no commit.
    """
    listed = _git(commit, "ls-tree", "-r", "-z", "--full-tree", commit.revision).decode().split("\0")
    rows = [_Row.of(row) for row in listed if row]
    contents = _objects(_git(commit, "cat-file", "--batch", given="".join(f"{row.name}\n" for row in rows).encode()))
    tree: Tree = {
        # git keeps the order of the requests. Modes are not taken, since the image decides which
        # files are programs.
        row.path: Link(content.decode()) if row.is_link else File(content)
        for row, content in zip(rows, contents, strict=True)
    }
    write_tree(tree, folder)


@dataclass(frozen=True, slots=True)
class _Row:
    """File or link of a commit; `name` is the hash of its object."""

    path: str
    name: str
    is_link: bool

    @classmethod
    def of(cls, row: str) -> "_Row":
        """Parse a line of git-ls-tree(1)."""
        described, _, path = row.partition("\t")
        mode, _, name = described.split()
        # A submodule (160000) is a commit of another repository, whose content is not in this one.
        if mode != _LINK and mode not in _FILES:
            raise ImageError(f"{path} is committed, and is neither a file nor a link.")
        return cls(path, name, mode == _LINK)


def _git(commit: Commit, *arguments: str, given: bytes = b"") -> bytes:
    return run(("git", "--no-replace-objects", *arguments), folder=commit.repository, given=given)


def _objects(batch: bytes) -> Iterator[bytes]:
    """Returns each object's content from the output of git-cat-file(1) `--batch`."""
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
    lacking = [package for package in lock.all_wheels if not store.has(package.sha256)]
    if lacking:
        announce(f"Fetching {len(lacking)} wheels by pip.")
        for sha256, data in wheel.fetch(lacking).items():
            store.put(data, sha256, "a wheel of pip's index")
    for package in lock.npm:
        if not store.has(package.sha256):
            announce(f"Fetching {package.name} by npm.")
            store.put(npm.fetch(package.name, package.version)[1], package.sha256, package.file)


def build(commit: Commit, out: Path, obtain: Callable[[Lock], Store]) -> str:
    """Build the commit's image into `out` and return its digest. Raises ImageError.

    `obtain` returns a store with all that a lock names. `out` may hold an image, nothing else.
    """
    _require_replaceable(out)
    with tempfile.TemporaryDirectory(prefix="image-") as name:
        work = Path(name)
        source = work / "source"
        export(commit, source)
        if not (source / LOCK).exists():
            raise ImageError(f"The commit {commit.revision[:12]} has no {LOCK}.")
        # Of the exported commit, so that an uncommitted lock decides nothing.
        lock = read_lock(source)
        store = obtain(lock)
        python = PackedPython.unpack((store.get(deb.sha256) for deb in lock.all_debs), work / "python")
        (work / "out").mkdir()
        arguments = (store.folder.absolute(), source, str(commit.time), commit.revision, work / "out", python.root)
        digest = python.run(_ASSEMBLE, *arguments, folder=work).decode().strip()
        # Only now, so that a build that fails leaves the last image in its place.
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


# Builds commonly depend on language, time zone, umask, hash seed and the folder's name.
_MACHINES: Final[Mapping[str, Mapping[str, str]]] = {
    "one": {"LC_ALL": "C", "TZ": "UTC", "UMASK": "022"},
    "a-folder-with-another-name": {"LC_ALL": "C.UTF-8", "TZ": "Pacific/Chatham", "UMASK": "077", "PYTHONHASHSEED": "7"},
}
_BUILD: Final = (
    "import os, runpy, sys; os.umask(int(os.environ['UMASK'], 8)); sys.path.insert(0, os.getcwd()); "
    "runpy.run_module('image', run_name='__main__')"
)


def verify(commit: Commit, archive: Path | None, built: Path | None, announce: Callable[[str], None]) -> str:
    """Build twice and return the common digest. Raises ImageError where any files differ.

    Without an `archive` of inputs each build fetches its own. An earlier image, `built`, must
    match.
    """
    inputs: Sequence[str | Path] = () if archive is None else ("--archive", archive.absolute())
    with tempfile.TemporaryDirectory(prefix="image-verify-") as name:
        outs = []
        for folder, settings in _MACHINES.items():
            place = Path(name, folder)
            announce(f"Building in clean storage, {' '.join(f'{k}={v}' for k, v in settings.items())}.")
            source, out = place / "source", place / "out"
            # --no-local: objects are copied through git's transport, as when a remote user clones.
            run(("git", "clone", "--quiet", "--no-local", commit.repository, source))
            run(("git", "-c", "advice.detachedHead=false", "checkout", "--quiet", commit.revision), folder=source)
            command = (sys.executable, "-c", _BUILD, "build", "--store", place / "store", "--out", out, *inputs)
            # Without pip's cache each build shows that the lock can be fetched today.
            run(command, folder=source, environment={**os.environ, "PIP_NO_CACHE_DIR": "1", **settings})
            shutil.rmtree(source)
            announce((out / "digest").read_text().strip())
            outs.append(out)
        for other in outs[1:] if built is None else (*outs[1:], built):
            if differing := differences(outs[0], other):
                raise ImageError("the builds differ in: " + ", ".join(differing))
        return (outs[0] / "digest").read_text().strip()


def differences(one: Path, other: Path) -> list[str]:
    """Returns the paths of the files that only one folder has or that differ."""
    paths = {path.relative_to(root) for root in (one, other) for path in root.rglob("*") if path.is_file()}
    return sorted(str(path) for path in paths if _content(one / path) != _content(other / path))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
