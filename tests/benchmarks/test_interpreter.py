"""Figures name the interpreter that they were measured on, and how it was built."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.interpreter import debian_package, interpreter, kind_of_build
from tests.support.node import REPOSITORY


@pytest.mark.parametrize(
    ("options", "package", "told"),
    [
        ("'--enable-shared'", "", "without PGO and LTO by sysconfig (-O3)"),
        ("'--enable-optimizations' '--with-lto=thin'", "", "PGO and LTO by sysconfig (-O3)"),
        ("'--with-pydebug'", "", "debug by sysconfig (-O3)"),
        (
            "'--enable-shared'",
            "python3.13-minimal 3.13.5-2",
            "without PGO and LTO by sysconfig (-O3); python3.13-minimal 3.13.5-2 of Debian, whose rules add PGO and LTO",
        ),
    ],
)
def test_the_kind_of_build_is_told(options: str, package: str, told: str) -> None:
    assert kind_of_build(options, "-O3", package) == told


def test_a_benchmark_begins_with_the_interpreter() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "benchmarks", "--interpreter"]
    told = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True).stdout
    assert told == f"interpreter: {interpreter()}\n"
    assert f" {platform.python_version()}, " in told


def test_a_program_of_a_debian_package_has_its_name(tmp_path: Path) -> None:
    """And one of none, or on a machine without dpkg, has none."""
    assert debian_package(tmp_path) == ""
    if program := shutil.which("dpkg"):
        assert debian_package(Path(program)).startswith("dpkg ")
