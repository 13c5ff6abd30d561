"""Real servers that tests need, from Debian's packages."""

import os
import shutil
import subprocess
import sys

APT_TIMEOUT_S = 300


def install(package: str, purpose: str) -> None:
    """Try to install a package when this is root (announced); whoever asked looks whether it is there now."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    sys.stderr.write(f"installing {package} for {purpose}: apt-get install {package}\n")
    if not _apt("install", "--yes", "--no-install-recommends", package):
        _apt("update")
        _apt("install", "--yes", "--no-install-recommends", package)


def _apt(*arguments: str) -> bool:
    """Whether it went well; two workers of one run wait for each other."""
    command = ["apt-get", "--quiet", "-o", f"DPkg::Lock::Timeout={APT_TIMEOUT_S}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=2 * APT_TIMEOUT_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False
