"""Our own wheel, of the exported source, without what only development needs, and the snapshots in it."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from image import wheel
from image.commands import ImageError
from image.packed_python import PackedPython
from image.selection import SITE
from image.tree import File, Tree, write_tree

PROJECT: Final = ("pyproject.toml", "README.md", "LICENSE", "node", "attest")
PROGRAM: Final = "svc-node"
_PAGE: Final = "node/http/swagger_ui"
_BUILD: Final = """
import sys
sys.path.insert(0, sys.argv[1])
from setuptools import build_meta
build_meta.build_wheel(sys.argv[2])
"""


def project_tree(source: Path, page: Tree) -> Tree:
    """Returns the sources of our wheel: the product without the devkit, and the API page."""
    paths = [path for name in PROJECT for path in _files(source / name)]
    if not any(path.name == "pyproject.toml" for path in paths):
        raise ImageError(f"{source} is no source tree of the node.")
    named = {path.relative_to(source).as_posix(): path for path in paths}
    tree: Tree = {name: File(path.read_bytes()) for name, path in named.items()}
    return tree | {f"{_PAGE}/{name}": entry for name, entry in page.items()}


def build_wheel(project: Tree, build_wheels: Iterable[bytes], python: PackedPython, epoch: int) -> tuple[str, bytes]:
    """Build our wheel; return its file name and content. Times in it are `epoch` (unix seconds). Raises ImageError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
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
            SOURCE_DATE_EPOCH=str(epoch),
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
    """Make the snapshots that actions start from, of the project's guest, prelude and libraries. Raises ImageError.

    They are compiled for a named processor (ADR 0023), so the building machine does not change them.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(wheels, folder / "wheels")
        write_tree(project, folder / "project")
        made = folder / "snapshots"
        python.run(_MAKE, folder / "project", folder / "wheels" / SITE, made, folder=folder)
        return {f"{_FOLDER}/{path.name}": File(path.read_bytes()) for path in sorted(made.iterdir())}
