"""Each committed bundle of npm packages is what the locked packages give, on whatever machine it is built."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.javascript import NODE
from tests.support.node import REPOSITORY

BUNDLING = "tools/bundling.mjs"


@pytest.mark.parametrize(
    ("folder", "bundle"), [("node/engine/libraries", "ethers6.js"), ("node/dashboard", "bundle/ethereum.js")]
)
def test_a_bundle_is_what_the_packages_give_in_any_folder(tmp_path: Path, folder: str, bundle: str) -> None:
    copy = tmp_path / folder
    shutil.copytree(REPOSITORY / folder, copy)
    (tmp_path / BUNDLING).parent.mkdir()
    shutil.copy(REPOSITORY / BUNDLING, tmp_path / BUNDLING)
    (tmp_path / "node_modules").symlink_to(REPOSITORY / "node_modules")
    assert check(copy) == 0
    with (copy / bundle).open("a") as file:
        file.write(" ")
    assert check(copy) == 1


def check(folder: Path) -> int:
    """Exit code of a build that compares, run away from the checkout."""
    command = [str(NODE), str(folder / "build.mjs"), "--check"]
    return subprocess.run(command, cwd="/", capture_output=True, timeout=120, check=False).returncode
