"""Files of an image in memory, without owners, modes and times of the building machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from image.commands import ImageError


@dataclass(frozen=True, slots=True)
class File:
    """File owned by root, 0755 when it is a program, else 0644."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True, slots=True)
class Folder:
    """Folder that is empty or not root's 0755. Other parents of files are implied."""

    mode: int = 0o755
    owner: int = 0


Entry = File | Link | Folder
Tree = dict[str, Entry]
"""Entries by path, without a leading slash."""


def join(trees: Mapping[str, Tree]) -> Tree:
    """Merge trees. Raises ImageError where two, named by the mapping's keys, differ at one path."""
    joined: Tree = {}
    origin: dict[str, str] = {}
    for name, tree in trees.items():
        for path, entry in tree.items():
            # Equal files may come twice. With unequal ones the order of packages would decide.
            if joined.setdefault(path, entry) != entry:
                raise ImageError(f"{origin[path]} and {name} both bring /{path}, and not the same one.")
            origin.setdefault(path, name)
    return joined


def with_parents(tree: Tree) -> Tree:
    """Returns the tree with an entry for each folder, parents first."""
    full: Tree = dict(tree)
    for path in tree:
        for parent in PurePosixPath(path).parents:
            full.setdefault(str(parent), Folder())
    full.pop(".", None)
    return dict(sorted(full.items()))


def write_tree(tree: Tree, folder: Path) -> None:
    """Write a tree to disk, as the current user's files, for programs that read files."""
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
                # Set despite the umask, since wheels and snapshots keep these modes.
                place.chmod(0o755 if executable else 0o644)
