"""Both wheels, each in an environment that has nothing else: what a user installs is what works."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.world.node import REPOSITORY

PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def run(python: Path | str, *arguments: str | Path) -> str:
    """Run Python away from the checkout, so that nothing is found there by accident."""
    finished = subprocess.run(
        [str(python), *map(str, arguments)], cwd="/", capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def clean_environment(directory: Path) -> Path:
    venv.create(directory, with_pip=True)
    return directory / "bin" / "python"


def wheel_of(project: Path, out: Path) -> Path:
    """Build a copy of the project, so that no build files stay in the checkout."""
    copy = out / "source"
    ignored = shutil.ignore_patterns(".git", ".venv", "node_modules", ".data", "build", "*.egg-info", "__pycache__")
    shutil.copytree(project, copy, ignore=ignored)
    run(sys.executable, *PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", out, copy)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.mark.timeout(400)
def test_the_verifier_stands_alone(tmp_path: Path) -> None:
    wheel = wheel_of(REPOSITORY / "verifier", tmp_path)
    assert wheel.name.startswith("svc_verifier-")
    packages = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {package for package in packages if not package.endswith(".dist-info")} == {"verifier"}
    python = clean_environment(tmp_path / "environment")
    run(python, *PIP, "install", "--require-hashes", "-r", REPOSITORY / "requirements" / "verifier.txt")
    run(python, *PIP, "install", "--no-deps", wheel)
    script = "import verifier.quote, verifier.event_log, importlib.util as u; print(u.find_spec('node'), u.find_spec('attest'))"
    assert run(python, "-c", script).split() == ["None", "None"]


@pytest.mark.timeout(400)
def test_the_node_installs_from_its_locked_requirements(tmp_path: Path) -> None:
    wheel = wheel_of(REPOSITORY, tmp_path)
    assert wheel.name.startswith("svc_node-")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"node", "attest"}
    for needed in ("AccountConfig.json", "swagger-ui-bundle.js"):
        assert any(name.endswith(needed) for name in names), needed
    python = clean_environment(tmp_path / "environment")
    run(
        python,
        *PIP,
        "install",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "-r",
        REPOSITORY / "requirements" / "node.txt",
    )
    run(python, *PIP, "install", "--no-deps", wheel)
    run(python, *PIP, "check")
    command = tmp_path / "environment" / "bin" / "svc-node"
    printed = subprocess.run(
        [command, "settings", "--json"], cwd="/", capture_output=True, text=True, check=True
    ).stdout
    assert "contract_address" in printed
    refused = subprocess.run(
        [command, "serve", "--config", "none.toml"], cwd="/", capture_output=True, text=True, check=False
    )
    assert (refused.returncode, "--config" in refused.stderr) == (2, True)
