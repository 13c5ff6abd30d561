"""The image of the checked out commit: that of `make image` when it is this commit's, else built here."""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from image import oci
from image.mirrors import mirrors
from image.oci import REVISION
from image.refresh import newest
from tests.support.node import REPOSITORY

BUILD_S = 600
MOVED_ON = "Debian's mirror has dropped a version that image/lock.json names"


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
    skip_when_debian_moved_on(finished.stderr, offered_now)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return out


def skip_when_debian_moved_on(told: str, offered: Callable[[str], str]) -> None:
    """Skip when the build ended because the mirror has dropped a version of the lock, and `offered` is a newer one.

    A mirror keeps the newest versions only: no mistake of the commit under test. One that offers the very version it does
    not give is another matter, and so is every other failure.
    """
    dropped = re.search(r"has no (\S+) (\S+) any more: mirrors keep the newest versions only", told)
    if dropped is None:
        return
    name, version = dropped.groups()
    now = offered(name)
    assert now != version, f"the mirror offers {name} {now} and does not have it: {told}"
    pytest.skip(f"{MOVED_ON}: {name} {version}, now {now}. Take it: make image-refresh")


def offered_now(name: str) -> str:
    """The newest version by the mirrors' signed indices."""
    return newest(mirrors(os.environ), [name])[name].version


def revision_of(out: Path) -> str:
    return str(oci.config_of(out / "layout")["config"]["Labels"][REVISION])


def head() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.strip()
