"""Our own wheel, of the exported source, without what only development needs."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from image import wheel
from image.errors import ImageError
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
    """What our wheel is built of: the product, which its stand-ins are no part of, with the page of the API."""
    paths = [path for name in PROJECT for path in _files(source / name)]
    if not any(path.name == "pyproject.toml" for path in paths):
        raise ImageError(f"{source} is no source tree of the node.")
    named = {path.relative_to(source).as_posix(): path for path in paths}
    tree: Tree = {name: File(path.read_bytes()) for name, path in named.items()}
    return tree | {f"{_PAGE}/{name}": entry for name, entry in page.items()}


def build_wheel(project: Tree, build_wheels: Iterable[bytes], python: PackedPython, epoch: int) -> tuple[str, bytes]:
    """Its file name and content; times in it are `epoch`, in unix seconds. Raises ImageError."""
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
