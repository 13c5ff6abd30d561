"""Prints the path of the newest supported Python of this machine, if it is newer than its own.

`make test-all` runs tests once more on it. Standard error gets its version, or that it is absent.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_PROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"
_PROBE: Final = "import ctypes, ensurepip, platform, sqlite3, ssl, venv, zlib; print(platform.python_version())"
"""Modules that Debian packages separately, and those that a self-built Python may lack."""
_PROBE_TIMEOUT_S: Final = 60.0
"""Longest probe, for a busy machine. A Python starts in a tenth of a second."""


def supported() -> range:
    """Returns the minor versions of Python 3 that svc-node supports."""
    required = tomllib.loads(_PROJECT.read_text())["project"]["requires-python"]
    found = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", required)
    if found is None:
        raise ValueError(f"requires-python of svc-node is {required}, no range")
    return range(int(found[1]), int(found[2]))


def newest(minors: range, environment: Mapping[str, str]) -> tuple[Path, str] | None:
    """Returns the newest complete Python of these minor versions, and its full version."""
    for minor in reversed(minors):
        for path in _places(minor, environment):
            version = _version(path)
            if version is not None and version.startswith(f"3.{minor}."):
                return path, version
    return None


def main() -> None:
    """Print the path of the newest one, or nothing."""
    own, minors = sys.version.split()[0], supported()
    newer = range(sys.version_info.minor + 1, minors.stop)
    found = newest(newer, os.environ)
    if not newer:
        said = f"no supported Python is newer than {own}, on which everything ran"
    elif found is None:
        sought = ", ".join(f"python3.{minor}" for minor in reversed(newer))
        said = f"no supported Python newer than {own} is on this machine (sought in PATH and by pyenv: {sought})"
    else:
        path, version = found
        said = f"the tests of every change once more on Python {version} ({path})"
        sys.stdout.write(f"{path}\n")
    sys.stderr.write(f"test-newest: {said}\n")


def _places(minor: int, environment: Mapping[str, str]) -> Iterator[Path]:
    name = f"python3.{minor}"
    yield from (Path(folder, name) for folder in environment.get("PATH", "").split(os.pathsep) if folder)
    # For a pyenv whose shim in PATH refuses, since another version is chosen.
    root = Path(environment.get("PYENV_ROOT") or Path(environment.get("HOME", "/"), ".pyenv"))
    made = (path for path in root.glob(f"versions/3.{minor}.*/bin/{name}") if path.parts[-3].split(".")[-1].isdigit())
    yield from sorted(made, key=lambda path: int(path.parts[-3].split(".")[-1]), reverse=True)


def _version(path: Path) -> str | None:
    try:
        ran = subprocess.run(  # noqa: S603 - a Python of this machine, and our own program
            [path, "-c", _PROBE], capture_output=True, text=True, check=False, timeout=_PROBE_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None


if __name__ == "__main__":
    main()
