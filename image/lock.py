"""`lock.json` with name, version and SHA-256 of every input, their store, and their archive."""

import contextlib
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from image.commands import ImageError

LOCK: Final = Path("image", "lock.json")
"""Path of the lock in the source tree."""

Archive = Literal["main", "security"]


@dataclass(frozen=True, slots=True)
class Deb:
    """A Debian package. `path` is its place below the mirror of its archive."""

    name: str
    version: str
    archive: Archive
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel or an npm tarball, by its file's name."""

    name: str
    version: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Lock:
    """All inputs. `refreshed` (unix seconds) is the time of files in the lower layers."""

    refreshed: int
    debs: tuple[Deb, ...]
    build_debs: tuple[Deb, ...]
    wheels: tuple[Package, ...]
    build_wheels: tuple[Package, ...]
    npm: tuple[Package, ...]

    @property
    def all_debs(self) -> tuple[Deb, ...]:
        """Debian packages of the image and of its build."""
        return (*self.debs, *self.build_debs)

    @property
    def all_wheels(self) -> tuple[Package, ...]:
        """Wheels of the image and of its build."""
        return (*self.wheels, *self.build_wheels)

    @property
    def parts(self) -> tuple[Deb | Package, ...]:
        """Every input."""
        return (*self.all_debs, *self.all_wheels, *self.npm)

    @property
    def sha256s(self) -> tuple[str, ...]:
        """Hashes of every input, sorted."""
        return tuple(sorted({part.sha256 for part in self.parts}))


def read_lock(source: Path) -> Lock:
    """Read the lock of a source tree. Raises ImageError."""
    try:
        found = json.loads((source / LOCK).read_text())
        return Lock(
            refreshed=int(found["refreshed"]),
            debs=tuple(Deb(**deb) for deb in found["debs"]),
            build_debs=tuple(Deb(**deb) for deb in found["build_debs"]),
            wheels=tuple(Package(**wheel) for wheel in found["wheels"]),
            build_wheels=tuple(Package(**wheel) for wheel in found["build_wheels"]),
            npm=tuple(Package(**package) for package in found["npm"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImageError(f"{LOCK} cannot be read ({error}). Write it anew: make image-refresh") from error


def lock_text(lock: Lock) -> str:
    """Returns the canonical text of a lock, so that every difference is one of content."""
    return json.dumps(asdict(lock), indent=1) + "\n"


_FOLDER: Final = "sha256"
_LOCK: Final = "lock.json"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder whose files are named by their SHA-256. A file with another content is ignored."""

    folder: Path

    def has(self, sha256: str) -> bool:
        """Whether it is there and whole."""
        path = self.folder / sha256
        # The content is read too, so that a damaged input is fetched again.
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256

    def get(self, sha256: str) -> bytes:
        """Returns the content with this hash. Raises ImageError when it is missing or damaged."""
        try:
            data = (self.folder / sha256).read_bytes()
        except OSError as error:
            raise ImageError(f"{self.folder} has nothing with SHA-256 {sha256}.") from error
        _require(data, sha256, str(self.folder / sha256))
        return data

    def put(self, data: bytes, sha256: str, origin: str) -> None:
        """Keep it. Raises ImageError, naming its origin, when it has another hash."""
        _require(data, sha256, origin)
        self.folder.mkdir(parents=True, exist_ok=True)
        with _whole(self.folder / sha256) as partial:
            partial.write_bytes(data)


def write_archive(store: Store, lock: Lock, path: Path) -> None:
    """Write all inputs and their lock into a tar archive. Equal locks give equal bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _whole(path) as partial, tarfile.open(partial, "w", format=tarfile.USTAR_FORMAT) as archive:
        _add(archive, _LOCK, lock_text(lock).encode())
        for sha256 in lock.sha256s:
            _add(archive, f"{_FOLDER}/{sha256}", store.get(sha256))


def read_archive(path: Path, lock: Lock, store: Store) -> None:
    """Put what the lock names into the store. Raises ImageError for missing or forged content."""
    wanted = {f"{_FOLDER}/{sha256}": sha256 for sha256 in lock.sha256s}
    try:
        with tarfile.open(path, "r:") as archive:
            # Members are read by their names in the lock and never extracted, so that no path of an
            # archive reaches the disk.
            for member in archive:
                sha256 = wanted.pop(member.name, None)
                content = archive.extractfile(member) if sha256 is not None else None
                if sha256 is not None and content is not None:
                    store.put(content.read(), sha256, f"{path}: {member.name}")
    except (OSError, tarfile.TarError) as error:
        raise ImageError(f"{path} cannot be read as an archive of inputs ({error}).") from error
    if wanted:
        raise ImageError(
            f"{path} lacks {len(wanted)} inputs that image/lock.json names: it was made from another lock. "
            "Build the commit it belongs to, or make a new one: make image-archive"
        )


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Yields a private file that replaces `path` on success, since builds may run concurrently."""
    # In the same folder, since a rename is atomic only within a file system.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        # mkstemp makes files for their owner alone, but other users build from them too.
        partial.chmod(0o644)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    # Owner 0 and time 0 by default, so that nothing of this machine or day is in the archive.
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def _require(data: bytes, sha256: str, origin: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ImageError(f"{origin} has SHA-256 {found}, and the lock names {sha256}. Nothing was built of it.")
