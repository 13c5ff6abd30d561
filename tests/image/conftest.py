"""The image of the checked out commit: that of `make image` when it is this commit's, else built here."""

import subprocess
import sys
from pathlib import Path

import pytest

from image import reading
from image.oci import REVISION
from tests.world.node import REPOSITORY


@pytest.fixture(scope="session")
def image_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make image` writes. Uncommitted changes are not in it, as they never are."""
    built = REPOSITORY / "image" / "out"
    if (built / "layout").exists() and revision_of(built) == head():
        return built
    out = tmp_path_factory.mktemp("image") / "out"
    command = [sys.executable, "-m", "image", "build", "--out", str(out)]
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    if finished.returncode != 0 and any(hint in finished.stderr for hint in ("Name the mirror", "Name another mirror")):
        pytest.skip("no Debian mirror within reach")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return out


def revision_of(out: Path) -> str:
    return str(reading.config_of(out / "layout")["config"]["Labels"][REVISION])


def head() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.strip()
