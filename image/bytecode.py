"""Bytecode of the image's Python files, made by the image's Python: the root is read-only, so none can be made later."""

import json
import tempfile
from pathlib import Path, PurePosixPath
from typing import Final

from image.packed_python import PackedPython
from image.selection import PYTHON
from image.tree import File, Tree, write_tree

_TAG: Final = "cpython-" + PYTHON.replace(".", "")
_COMPILE: Final = """
import json, py_compile, sys
for path, target in json.load(sys.stdin):
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(path, target, dfile="/" + path, doraise=True, invalidation_mode=mode)
"""
"""No time of any file is in it, and none is looked at when it is loaded. Tracebacks name the places in the image."""


def bytecode(tree: Tree, python: PackedPython) -> Tree:
    """A compiled file for each Python file of a tree. Raises ImageError when one is no Python."""
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
