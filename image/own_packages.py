"""Our own wheel and the snapshots in it, made of the exported source by the image's Python."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from image import wheel
from image.commands import ImageError, run
from image.debian import files_of
from image.selection import LIBRARIES, PYTHON, SITE
from image.tree import File, Link, Tree, write_tree

_ENVIRONMENT: Final = {"PATH": "/nonexistent", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""Environment without the building machine's variables. -I would ignore the hash seed."""


@dataclass(frozen=True, slots=True)
class PackedPython:
    """Python of the image, run on the building machine. `root` holds its unpacked packages."""

    root: Path

    @classmethod
    def unpack(cls, debs: Iterable[bytes], root: Path) -> "PackedPython":
        """Unpack Debian packages into `root`. Raises ImageError."""
        tree: Tree = {}
        for deb in debs:
            tree |= {
                path: entry
                for path, entry in files_of(deb).items()
                if isinstance(entry, File | Link) and path.startswith(("usr/lib", "usr/bin/"))
            }
        write_tree(tree, root)
        return cls(root)

    def run(self, script: str, *arguments: str | Path, folder: Path, given: bytes = b"", **environment: str) -> bytes:
        """Run a script in a folder; return its standard output. Raises ImageError."""
        libraries = self.root / LIBRARIES
        program = self.root / f"usr/bin/python{PYTHON}"
        # Its own loader and library path, so that its libraries are the locked ones (ADR 0017).
        # --argv0 lets Python find its modules.
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


TAG: Final = "cpython-" + PYTHON.replace(".", "")
"""Part of the names of bytecode files (PEP 3147)."""
_COMPILE: Final = """
import json, py_compile, sys
for path, target in json.load(sys.stdin):
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(path, target, dfile="/" + path, doraise=True, invalidation_mode=mode)
"""
"""With UNCHECKED_HASH bytecode has no times. Tracebacks name paths in the image."""


def bytecode(tree: Tree, python: PackedPython) -> Tree:
    """Compile each Python file of a tree. Raises ImageError when one has a syntax error."""
    sources = {path: entry for path, entry in sorted(tree.items()) if isinstance(entry, File) and path.endswith(".py")}
    places = [(path, _place(path)) for path in sources]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(dict(sources), folder)
        python.run(_COMPILE, folder=folder, given=json.dumps(places).encode())
        return {place: File((folder / place).read_bytes()) for _, place in places}


def _place(path: str) -> str:
    source = PurePosixPath(path)
    return str(source.parent / "__pycache__" / f"{source.stem}.{TAG}.pyc")


PROJECT: Final = ("pyproject.toml", "README.md", "LICENSE", "node", "attest")
PROGRAM: Final = "svc-node"
_CLIENT: Final = "client/js"
_OF_CLIENT: Final = "node/dashboard/vendor"
"""Folder for the JavaScript client, which the dashboard uses."""
_BUILD: Final = """
import sys
sys.path.insert(0, sys.argv[1])
from setuptools import build_meta
build_meta.build_wheel(sys.argv[2])
"""


def project_tree(source: Path, taken: Tree) -> Tree:
    """Returns the sources of our wheel without the devkit, with what its pages have `taken`."""
    paths = [path for name in PROJECT for path in _files(source / name)]
    if not any(path.name == "pyproject.toml" for path in paths):
        raise ImageError(f"{source} is no source tree of the node.")
    named = {path.relative_to(source).as_posix(): path for path in paths}
    tree: Tree = {name: File(path.read_bytes()) for name, path in named.items()}
    client = {f"{_OF_CLIENT}/{path.name}": path for path in sorted((source / _CLIENT).glob("*.mjs"))}
    return {**tree, **taken, **{name: File(path.read_bytes()) for name, path in client.items()}}


def build_wheel(project: Tree, build_wheels: Iterable[bytes], python: PackedPython, epoch: int) -> tuple[str, bytes]:
    """Build our wheel with times `epoch`; return its name and content. Raises ImageError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # setuptools' hook is called directly, since pip would build with tools that an index offers
        # today.
        for content in build_wheels:
            write_tree(wheel.files_of(content), folder / "tools")
        write_tree(project, folder / "project")
        tools = folder / "tools" / SITE
        (folder / "wheel").mkdir()
        python.run(
            _BUILD,
            tools,
            folder / "wheel",
            folder=folder / "project",
            # Times in the wheel's zip archive.
            SOURCE_DATE_EPOCH=str(epoch),
            # Without a home no .pydistutils.cfg of a user can change the build.
            HOME="/nonexistent",
        )
        (built,) = (folder / "wheel").glob("*.whl")
        return built.name, built.read_bytes()


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())


_FOLDER: Final = "node/engine/snapshots"
_MAKE: Final = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from node.engine.guest.snapshot import make
make(Path(sys.argv[3]))
"""


def snapshots_of(project: Tree, wheels: Tree, python: PackedPython) -> Tree:
    """Make the snapshots that actions start from. Raises ImageError.

    They are compiled for a named processor (ADR 0023), not for the building machine's.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(wheels, folder / "wheels")
        write_tree(project, folder / "project")
        made = folder / "snapshots"
        python.run(_MAKE, folder / "project", folder / "wheels" / SITE, made, folder=folder)
        return {f"{_FOLDER}/{path.name}": File(path.read_bytes()) for path in sorted(made.iterdir())}
