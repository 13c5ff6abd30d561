"""The Python that goes into the image, run on the building machine without root, and the bytecode it makes."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from image.commands import run
from image.debian import files_of
from image.selection import LIBRARIES, PYTHON
from image.tree import File, Link, Tree, write_tree

_ENVIRONMENT: Final = {"PATH": "/nonexistent", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""Environment without anything of the building machine. -I is not used: it would ignore the hash seed."""


@dataclass(frozen=True, slots=True)
class PackedPython:
    """`root` holds its Debian packages, unpacked."""

    root: Path

    @classmethod
    def unpack(cls, debs: Iterable[bytes], root: Path) -> "PackedPython":
        """Unpack Debian packages into `root`. Raises ImageError."""
        tree: Tree = {}
        for deb in debs:
            tree |= {path: entry for path, entry in files_of(deb).items() if _is_part(path, entry)}
        write_tree(tree, root)
        return cls(root)

    def run(self, script: str, *arguments: str | Path, folder: Path, given: bytes = b"", **environment: str) -> bytes:
        """Run a script in a folder; return its standard output. Raises ImageError."""
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


_TAG: Final = "cpython-" + PYTHON.replace(".", "")
_COMPILE: Final = """
import json, py_compile, sys
for path, target in json.load(sys.stdin):
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(path, target, dfile="/" + path, doraise=True, invalidation_mode=mode)
"""
"""UNCHECKED_HASH: no time of a file is in the bytecode or compared when it is loaded. Tracebacks name paths in the image."""


def bytecode(tree: Tree, python: PackedPython) -> Tree:
    """Compile each Python file of a tree. Raises ImageError when one is no Python."""
    sources = {path: entry for path, entry in sorted(tree.items()) if isinstance(entry, File) and path.endswith(".py")}
    places = [(path, _place(path)) for path in sources]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(dict(sources), folder)
        python.run(_COMPILE, folder=folder, given=json.dumps(places).encode())
        return {place: File((folder / place).read_bytes()) for _, place in places}


def _place(path: str) -> str:
    source = PurePosixPath(path)
    return str(source.parent / "__pycache__" / f"{source.stem}.{_TAG}.pyc")
