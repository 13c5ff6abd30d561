"""The verifier is a wheel of its own: it holds `verifier` alone and runs where nothing else is installed."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.world import tdx

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`svc-verifier`, built from a copy: setuptools leaves build folders where it builds."""
    directory = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    shutil.copytree(PROJECT / "verifier", directory / "source", ignore=ignored)
    build = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-q"]
    subprocess.run([*build, str(directory / "source"), "-w", str(directory)], check=True, cwd=directory)
    return next(directory.glob("svc_verifier-*.whl"))


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    modules = {f"verifier/{path.name}" for path in (PROJECT / "verifier").glob("*.py")}
    assert {name for name in names if ".dist-info/" not in name} == {*modules, "verifier/py.typed"}
    assert any(name.endswith("LICENSE") for name in names)
    assert "Requires-Dist" not in metadata


def test_it_runs_on_the_standard_library_alone(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import verifier.boot\n"
        "from verifier.quote import parse_quote_hex\n"
        "print(verifier.__file__, parse_quote_hex(sys.argv[2]).header.version)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(tmp_path / "installed"), tdx.quote_v4().hex()],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert ran.stdout == f"{tmp_path / 'installed' / 'verifier' / '__init__.py'} 4\n", ran.stderr
