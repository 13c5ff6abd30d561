"""The Python that goes into the image, run on the building machine by its own loader and libraries: no root, no chroot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from image.commands import run
from image.deb import files_of
from image.selection import LIBRARIES, PYTHON
from image.tree import File, Link, Tree, write_tree

_ENVIRONMENT: Final = {"PATH": "/nonexistent", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""Nothing of the building machine's; -I cannot be used beside it, for it would ignore the hash seed."""


@dataclass(frozen=True, slots=True)
class PackedPython:
    """`root` holds its Debian packages, unpacked."""

    root: Path

    @classmethod
    def unpack(cls, debs: Iterable[bytes], root: Path) -> "PackedPython":
        """Write it there. Raises ImageError."""
        tree: Tree = {}
        for deb in debs:
            tree |= {path: entry for path, entry in files_of(deb).items() if _is_part(path, entry)}
        write_tree(tree, root)
        return cls(root)

    def run(self, script: str, *arguments: str | Path, folder: Path, given: bytes = b"", **environment: str) -> bytes:
        """Run a script with it, in a folder; what it wrote to standard output. Raises ImageError."""
        libraries = self.root / LIBRARIES
        program = self.root / f"usr/bin/python{PYTHON}"
        loader = (
            libraries / "ld-linux-x86-64.so.2",
            "--inhibit-cache",
            "--argv0",
            program,
            "--library-path",
            libraries,
        )
        command = (
            *loader,
            program,
            "-s",
            "-S",
            "-P",
            "-X",
            "utf8",
            "-W",
            "error::SyntaxWarning",
            "-c",
            script,
            *arguments,
        )
        settings: Mapping[str, str] = {**_ENVIRONMENT, **environment}
        return run(command, folder=folder, environment=settings, given=given)


def _is_part(path: str, entry: object) -> bool:
    return isinstance(entry, File | Link) and path.startswith(("usr/lib", "usr/bin/"))
