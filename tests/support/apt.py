"""Real servers and programs that tests need, from Debian's packages."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

LOCK_TIMEOUT_S = 200
APT_TIMEOUT_S = 280
"""Of one call, three of which are less than what a whole test may take before the run is ended."""


def install(package: str, purpose: str) -> None:
    """Try to install a package when this is root (announced); whoever asked looks whether it is there now."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    sys.stderr.write(f"installing {package} for {purpose}: apt-get install {package}\n")
    with alarm_waiting():
        if not _apt("install", "--yes", "--no-install-recommends", package):
            _apt("update")
            _apt("install", "--yes", "--no-install-recommends", package)


def require_curl() -> None:
    """Skip the test, which runs commands of a page or an example, where there is no curl."""
    if not _has_curl():
        pytest.skip("curl is not installed, and installing it needs root and a package source")


@cache
def _has_curl() -> bool:
    if shutil.which("curl") is None:
        install("curl", "the tests of pages and examples")
    return shutil.which("curl") is not None


@contextlib.contextmanager
def alarm_waiting() -> Iterator[None]:
    """The alarm of the test's timeout waits: how fast a mirror is says nothing of the test, and apt is not to be killed."""
    left_s, again_s = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left_s, again_s)


def _apt(*arguments: str) -> bool:
    """Whether it went well; two workers of one run wait for each other."""
    command = ["apt-get", "--quiet", "-o", f"DPkg::Lock::Timeout={LOCK_TIMEOUT_S}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=APT_TIMEOUT_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False
