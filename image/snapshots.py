"""The snapshots that actions start from, made by the Python and the wheels of the image."""

import tempfile
from pathlib import Path
from typing import Final

from image.packed_python import PackedPython
from image.selection import SITE
from image.tree import File, Tree, write_tree

_FOLDER: Final = "node/engine/snapshots"
_MAKE: Final = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from node.engine.guest.snapshot import make
make(Path(sys.argv[3]))
"""


def snapshots_of(project: Tree, wheels: Tree, python: PackedPython) -> Tree:
    """Files of the project's tree that its guest, prelude and libraries give. Raises ImageError.

    Compiled for a named processor and not for the machine that builds: they are the same wherever the image is built.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(wheels, folder / "wheels")
        write_tree(project, folder / "project")
        made = folder / "snapshots"
        python.run(_MAKE, folder / "project", folder / "wheels" / SITE, made, folder=folder)
        return {f"{_FOLDER}/{path.name}": File(path.read_bytes()) for path in sorted(made.iterdir())}
