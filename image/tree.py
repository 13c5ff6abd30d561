"""Files of an image in memory: no owner, mode or time of the building machine can slip in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from image.errors import ImageError


@dataclass(frozen=True, slots=True)
class File:
    """Owned by root: 0755 when it is a program, else 0644."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True, slots=True)
class Folder:
    """Needed only where it is empty or not root's own 0755: parents of files come by themselves."""

    mode: int = 0o755
    owner: int = 0


Entry = File | Link | Folder
Tree = dict[str, Entry]
"""By path without a leading slash."""


def join(trees: Mapping[str, Tree]) -> Tree:
    """All of them in one. Raises ImageError where two, named by the mapping's keys, have another file at one path."""
    joined: Tree = {}
    origin: dict[str, str] = {}
    for name, tree in trees.items():
        for path, entry in tree.items():
            if joined.setdefault(path, entry) != entry:
                raise ImageError(f"{origin[path]} and {name} both bring /{path}, and not the same one.")
            origin.setdefault(path, name)
    return joined


def with_parents(tree: Tree) -> Tree:
    """The same with an entry for each folder, parents before what is in them."""
    full: Tree = dict(tree)
    for path in tree:
        for parent in PurePosixPath(path).parents:
            full.setdefault(str(parent), Folder())
    full.pop(".", None)
    return dict(sorted(full.items()))


def write_tree(tree: Tree, folder: Path) -> None:
    """Onto the disk, for programs that need it there; as the current user's files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, entry in with_parents(tree).items():
        place = folder / path
        match entry:
            case Folder():
                place.mkdir(parents=True, exist_ok=True)
            case Link(target):
                place.symlink_to(target)
            case File(data, executable):
                place.write_bytes(data)
                place.chmod(0o755 if executable else 0o644)
