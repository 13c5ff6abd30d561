"""Both wheels, each in an environment that has nothing else: what a user installs is what works."""

import ast
import email
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import svc_client
from tests.support import tdx
from tests.support.measured_files import IMAGE, SETTINGS
from tests.support.node import REPOSITORY
from tools.newest_python import supported

pytestmark = pytest.mark.exhaustive

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
LOCKS = REPOSITORY / "requirements"
BUILT_OR_LOCAL = (".git", ".venv", ".data", ".make", ".*_cache", "node_modules", "build", "*.egg-info", "__pycache__")


def run(*command: Path | str) -> str:
    """Run away from the checkout, so that nothing is found there by accident; what it printed."""
    finished = subprocess.run(
        list(map(str, command)), cwd="/", capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def wheel_of(project: Path, out: Path) -> Path:
    """Build a copy of the project, so that no build files stay in the checkout, with the tools that are installed."""
    shutil.copytree(project, out / "source", ignore=shutil.ignore_patterns(*BUILT_OR_LOCAL))
    run(*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", out, out / "source")
    (wheel,) = out.glob("*.whl")
    return wheel


def installed(wheel: Path, lock: Path, directory: Path) -> Path:
    """An environment with the locked requirements and the wheel; its folder of programs. Needs the package index."""
    venv.create(directory)
    into = (*PIP, "--python", directory / "bin" / "python")
    run(*into, "install", "--require-hashes", "--only-binary", ":all:", "-r", lock)
    run(*into, "install", "--no-deps", "--no-index", wheel)
    run(*into, "check")
    return directory / "bin"


def names_in(wheel: Path) -> set[str]:
    """The packages' files; what describes the wheel is left out."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def assert_described(wheel: Path, project: Path) -> None:
    """The wheel says what an index shows of it: licence, readme, what it is for, and on what it runs."""
    with zipfile.ZipFile(wheel) as archive:
        assert any(name.endswith("LICENSE") for name in archive.namelist())
        found = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
    metadata = email.message_from_string(found)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (project / "README.md").read_text()
    assert metadata["Version"] == wheel.name.split("-")[1] == svc_client.__version__
    classifiers = set(metadata.get_all("Classifier", ()))
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in supported()} <= classifiers
    assert "Typing :: Typed" in classifiers


def tracked(*folders: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=REPOSITORY, capture_output=True, check=True)
    return set(listed.stdout.decode().split("\0")) - {""}


IMPORTED_AS = {
    "dnspython": "dns",
    "pyyaml": "yaml",
    "safe-pysha3": "sha3",
    "dcap-qvl": "dcap_qvl",
    "eth-abi": "eth_abi",
    "prometheus-client": "prometheus_client",
}
"""Where a package's name is not that of its module."""


@pytest.mark.timeout(300)
def test_the_verifier_is_its_package_alone_and_runs_where_nothing_else_is(tmp_path: Path) -> None:
    wheel = wheel_of(REPOSITORY / "verifier", tmp_path)
    assert wheel.name.startswith("svc_verifier-")
    assert names_in(wheel) == {name.removeprefix("verifier/") for name in tracked("verifier/svc_verifier")}
    assert_described(wheel, REPOSITORY / "verifier")
    programs = installed(wheel, LOCKS / "verifier.txt", tmp_path / "environment")
    assert "https://HOST --app-id 0x…" in run(programs / "svc-verify", "--help")
    assert "--insecure-dev-root" in run(programs / "svc-verify", "host", "--help")
    script = (
        "import sys, importlib.util\n"
        "from svc_verifier import session\n"
        "from svc_verifier.cli import watch\n"
        "from svc_verifier.gathering import host\n"
        "from svc_verifier.rendering import text\n"
        "from svc_verifier.formats.quote import parse_quote_hex\n"
        "from svc_verifier.tdx.dcap import intel_root\n"
        "assert intel_root()\n"
        "print(parse_quote_hex(sys.argv[1]).version, *map(importlib.util.find_spec, ('node', 'attest', 'pip')))\n"
    )
    assert run(programs / "python", "-I", "-c", script, tdx.quote_v4().hex()).split() == ["4", "None", "None", "None"]


def imports_of(path: Path) -> Iterator[str]:
    """The first parts of the names of what a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]


def test_the_verifier_requires_what_it_imports_and_nothing_else() -> None:
    imported = {name for path in (REPOSITORY / "verifier" / "svc_verifier").rglob("*.py") for name in imports_of(path)}
    declared = tomllib.loads((REPOSITORY / "verifier" / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[<>=]", requirement)[0] for requirement in declared}
    foreign = imported - set(sys.stdlib_module_names) - {"svc_verifier"}
    assert {IMPORTED_AS.get(name, name) for name in names} == foreign
    assert names == {line for line in (LOCKS / "verifier.in").read_text().split("\n") if line and line[0] != "#"}


@pytest.mark.timeout(400)
def test_the_client_is_its_package_alone_and_runs_beside_the_verifier(tmp_path: Path) -> None:
    client, verifier = (wheel_of(REPOSITORY / name, tmp_path / name) for name in ("client", "verifier"))
    assert client.name.startswith("svc_client-")
    assert names_in(client) == {name.removeprefix("client/") for name in tracked("client/svc_client")}
    assert_described(client, REPOSITORY / "client")
    programs = installed(verifier, LOCKS / "verifier.txt", tmp_path / "environment")
    into = (*PIP, "--python", programs / "python")
    run(*into, "install", "--require-hashes", "--only-binary", ":all:", "-r", LOCKS / "node.txt")
    run(*into, "install", "--no-deps", "--no-index", client)
    run(*into, "check")
    assert "svc login https://HOST --trust FILE" in run(programs / "svc", "--help")
    assert run(programs / "svc", "--version") == f"svc, version {svc_client.__version__}\n"
    script = (
        "import importlib.util, importlib.metadata\n"
        "from svc_client import AsyncClient, Client, SvcError, __version__\n"
        "assert importlib.metadata.version('svc-client') == __version__\n"
        "from svc_client import proxy\n"
        "print(*map(importlib.util.find_spec, ('node', 'attest', 'devkit')))\n"
    )
    assert run(programs / "python", "-I", "-c", script).split() == ["None", "None", "None"]


def test_the_client_requires_what_it_imports_and_nothing_else() -> None:
    imported = {name for path in (REPOSITORY / "client" / "svc_client").rglob("*.py") for name in imports_of(path)}
    project = tomllib.loads((REPOSITORY / "client" / "pyproject.toml").read_text())["project"]
    extra = project["optional-dependencies"]["sovereign"]
    names = {re.split(r"[<>=]", requirement)[0] for requirement in [*project["dependencies"], *extra]}
    foreign = imported - set(sys.stdlib_module_names) - {"svc_client"}
    assert {name.replace("-", "_") for name in names} == foreign


def test_the_node_requires_only_what_it_imports() -> None:
    sources = (path for folder in ("node", "attest", "compose") for path in (REPOSITORY / folder).rglob("*.py"))
    imported = {name for path in sources for name in imports_of(path)}
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[<>=]", requirement)[0] for requirement in declared}
    assert {IMPORTED_AS.get(name, name) for name in names} <= imported
    assert names == {line for line in (LOCKS / "node.in").read_text().split("\n") if line and line[0] != "#"}


@pytest.mark.timeout(400)
def test_the_node_has_all_its_files_and_runs_on_its_locked_requirements(tmp_path: Path) -> None:
    wheel = wheel_of(REPOSITORY, tmp_path)
    assert wheel.name.startswith("svc_node-")
    sources = {
        name
        for name in tracked("node", "attest", "compose")
        if not name.endswith(("/build.mjs", "/solidity.mjs", ".c"))
    }
    folders = ("node/http/swagger_ui", "node/dashboard/vendor", "node/engine/snapshots")
    made = {f"{folder}/{path.name}" for folder in folders for path in (REPOSITORY / folder).iterdir()}
    assert names_in(wheel) >= sources | made
    assert {name.split("/")[0] for name in names_in(wheel)} == {"node", "attest", "compose"}
    assert_described(wheel, REPOSITORY)
    programs = installed(wheel, LOCKS / "node.txt", tmp_path / "environment")
    assert "contract_address" in run(programs / "svc-node", "settings", "--json")
    refused = subprocess.run(
        [programs / "svc-node", "serve", "--config", "none.toml"], cwd="/", capture_output=True, text=True, check=False
    )
    assert (refused.returncode, "--config" in refused.stderr) == (2, True)


@pytest.mark.timeout(400)
def test_svc_compose_runs_beside_verifier_and_client_and_says_so_where_they_are_not(tmp_path: Path) -> None:
    projects = (REPOSITORY, REPOSITORY / "verifier", REPOSITORY / "client")
    node, verifier, client = (wheel_of(project, tmp_path / project.name) for project in projects)
    programs = installed(node, LOCKS / "node.txt", tmp_path / "environment")
    alone = subprocess.run([programs / "svc-compose"], cwd="/", capture_output=True, text=True, check=False)
    assert (alone.returncode, "install svc-verifier and svc-client beside it" in alone.stderr) == (1, True)
    into = (*PIP, "--python", programs / "python")
    run(*into, "install", "--require-hashes", "--only-binary", ":all:", "-r", LOCKS / "verifier.txt")
    run(*into, "install", "--no-deps", "--no-index", verifier, client)
    settings = tmp_path / "settings.toml"
    settings.write_text(SETTINGS)
    rendering = ("render", "--image", IMAGE, "--settings", settings, "--out", tmp_path / "app-compose.json")
    assert "compose hash" in run(programs / "svc-compose", *rendering)
    unasked = ("approve", "--hash", "11" * 32, "--app-id", f"0x{'22' * 20}", "--chain-id", "8453")
    assert "addComposeHash" in run(programs / "svc-compose", *unasked)
