"""The supported Pythons: one range, said the same everywhere, and the newest of this machine is found."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.node import REPOSITORY
from tools.newest_python import newest, supported

PLACES = ("README.md", "CONTRIBUTING.md", "Makefile", "docs/image.md", "requirements/make_venv.sh")


def test_the_supported_range_is_the_same_everywhere() -> None:
    minors = supported()
    for place in PLACES:
        text = (REPOSITORY / place).read_text()
        assert re.findall(r"3\.(\d+) to 3\.(\d+)", text), place
        assert set(re.findall(r"3\.(\d+) to 3\.(\d+)", text)) == {(str(minors[0]), str(minors[-1]))}, place
    compared = re.findall(r"sys\.version_info (<|>=) \(3, (\d+)\)", (REPOSITORY / PLACES[-1]).read_text())
    assert compared == [("<", str(minors.start)), (">=", str(minors.stop))]
    assert sys.version_info.minor in minors


SHIM = "echo 'pyenv: python: command not found' >&2; exit 127"
WITHOUT_VENV = "echo \"ModuleNotFoundError: No module named 'ensurepip'\" >&2; exit 1"
PYENV = "pyenv/versions"
MACHINES: Mapping[str, tuple[Mapping[str, str], str | None]] = {
    "none": ({"bin/python3.11": "echo 3.11.2", "bin/python3.14": "echo 3.14.0"}, None),
    "two of Debian's": ({"bin/python3.12": "echo 3.12.3", "bin/python3.13": "echo 3.13.5"}, "bin/python3.13"),
    "further along the path": ({"bin/python3.13": SHIM, "local/python3.13": "echo 3.13.5"}, "local/python3.13"),
    "a shim that refuses": (
        {
            "bin/python3.13": SHIM,
            "bin/python3.12": SHIM,
            f"{PYENV}/3.13.9/bin/python3.13": "echo 3.13.9",
            f"{PYENV}/3.13.10/bin/python3.13": "echo 3.13.10",
            f"{PYENV}/3.13.11rc1/bin/python3.13": "echo 3.13.11rc1",
        },
        f"{PYENV}/3.13.10/bin/python3.13",
    ),
    "the newest makes no environments": (
        {"bin/python3.13": WITHOUT_VENV, "bin/python3.12": "echo 3.12.1"},
        "bin/python3.12",
    ),
    "the newest was built without SQLite": (
        {"bin/python3.13": 'case "$2" in *sqlite3*) exit 1; esac; echo 3.13.5', "bin/python3.12": "echo 3.12.1"},
        "bin/python3.12",
    ),
    "a name that lies": ({"bin/python3.13": "echo 3.11.2"}, None),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_newest_supported_python_of_a_machine_is_found(tmp_path: Path, machine: str) -> None:
    programs, found = MACHINES[machine]
    for name, script in programs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    environment = {"PATH": f"{tmp_path}/bin:{tmp_path}/local", "PYENV_ROOT": str(tmp_path / "pyenv")}
    python = newest(range(12, 14), environment)
    assert (None if python is None else str(python[0].relative_to(tmp_path))) == found
    assert newest(range(14, 14), environment) is None


def test_the_command_says_which_one_it_is_or_that_there_is_none(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path), "PYENV_ROOT": str(tmp_path)}
    command = [sys.executable, "-m", "tools.newest_python"]
    ran = subprocess.run(command, cwd=REPOSITORY, env=nothing, capture_output=True, text=True, check=True, timeout=100)
    assert ran.stdout == ""
    assert re.fullmatch(r"test-newest: no supported Python (is )?newer than 3\.1.*\n", ran.stderr)


def test_nothing_is_built_by_a_way_that_pip_gives_up() -> None:
    """`setup.py bdist_wheel`, of which pip 25 warns, is pip's way for packages without a pyproject.toml unless it is told."""
    makefile = (REPOSITORY / "Makefile").read_text()
    builds = [line for line in makefile.splitlines() if "pip install" in line and "--only-binary :all:" not in line]
    of_others = [line for line in builds if "--editable" not in line]
    assert len(of_others) == 1
    assert "--use-pep517" in of_others[0]
