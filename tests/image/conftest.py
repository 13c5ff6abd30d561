"""The image of the checked out commit: that of `make image` when it is this commit's, else built here."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from image import reading
from image.oci import REVISION
from tests.world.node import REPOSITORY

BUILD_S = 300


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks first waits for the image."""
    for item in items:
        if "image_out" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(BUILD_S + 90))


@pytest.fixture(scope="session")
def image_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make image` writes, one for all workers. Uncommitted changes are not in it, as they never are."""
    built = REPOSITORY / "image" / "out"
    if (built / "layout").exists() and revision_of(built) == head():
        return built
    run = tmp_path_factory.getbasetemp()
    shared = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    with (shared / "image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        out = shared / "image"
        if not out.exists():
            _build(shared / "image-unfinished").rename(out)
    return out


def _build(out: Path) -> Path:
    command = [sys.executable, "-m", "image", "build", "--out", str(out)]
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=BUILD_S, check=False)
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
