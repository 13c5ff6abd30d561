"""`lock.json`: everything from elsewhere that goes into the image or builds it, by name, version and SHA-256."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from image.commands import ImageError

LOCK: Final = Path("image", "lock.json")
"""Path in the source tree."""

Archive = Literal["main", "security"]


@dataclass(frozen=True, slots=True)
class Deb:
    """A Debian package: `path` is its place below the mirror of its archive."""

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
    """`refreshed` is in unix seconds: the time that files of the lower layers carry. `build_…` is not in the image."""

    refreshed: int
    debs: tuple[Deb, ...]
    build_debs: tuple[Deb, ...]
    wheels: tuple[Package, ...]
    build_wheels: tuple[Package, ...]
    npm: tuple[Package, ...]

    @property
    def all_debs(self) -> tuple[Deb, ...]:
        """Inputs of the image and of its build."""
        return (*self.debs, *self.build_debs)

    @property
    def all_wheels(self) -> tuple[Package, ...]:
        """Inputs of the image and of its build."""
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
    """Returns the only text of a lock, so that every difference is one of content."""
    return json.dumps(asdict(lock), indent=1) + "\n"
