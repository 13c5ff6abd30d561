"""The bundling recipe of docs/actions.md, as it stands."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from tests.support.node import REPOSITORY

ESBUILD = REPOSITORY / "node_modules" / "@esbuild" / "linux-x64" / "bin" / "esbuild"


def recipe() -> str:
    """The command of docs/actions.md."""
    found = re.search(r"^    (npx esbuild .*)$", (REPOSITORY / "docs" / "actions.md").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def bundled(source: str, directory: Path) -> str:
    """A module after the recipe, as whoever has installed its packages beside it gets it."""
    (directory / "action.js").write_text(source)
    (directory / "node_modules").symlink_to(REPOSITORY / "node_modules")
    npx, esbuild, *options = shlex.split(recipe())
    assert (npx, esbuild) == ("npx", "esbuild")
    subprocess.run([ESBUILD, *options], cwd=directory, check=True, capture_output=True, env=os.environ)
    return (directory / "bundled.js").read_text()
