"""The OpenAPI document gives clients that compile: openapi-typescript and openapi-python-client, strictly checked."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.node import REPOSITORY, NodeProcess

HERE = Path(__file__).parent
MODULES = REPOSITORY / "node_modules"
BIN = Path(sys.executable).parent
ANSWERED = {"names": ["", "", "Treasury"], "response": 42, "actions": [], "error": "not_found"}
"""What the calls of both clients print: the master wallet, one without a name, and the named one."""
COMPILER_OPTIONS = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2022",
    "module": "nodenext",
    "lib": ["es2022", "dom"],
    "types": [],
    "outDir": "out",
}


def ran(
    command: Sequence[str | Path],
    directory: Path,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 200,
) -> str:
    """What a command prints on both streams; it must succeed."""
    finished = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
    return finished.stdout


def test_a_typescript_client(node: NodeProcess, document: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER_OPTIONS, "files": ["calls.ts"]}))
    shutil.copy(HERE / "calls.ts", tmp_path)
    generator = MODULES / "openapi-typescript" / "bin" / "cli.js"
    ran(["node", generator, document, "--output", "api.d.ts"], tmp_path)
    ran(["node", MODULES / "typescript" / "bin" / "tsc", "--project", "."], tmp_path)
    assert json.loads(ran(["node", "out/calls.js", node.api], tmp_path)) == ANSWERED


def test_a_python_client(node: NodeProcess, document: Path, tmp_path: Path) -> None:
    generated = tmp_path / "client"
    said = ran([BIN / "openapi-python-client", "generate", "--path", document, "--output-path", generated], tmp_path)
    assert "warning" not in said.lower(), said
    assert tomllib.loads((generated / "pyproject.toml").read_text())["tool"]["poetry"]["name"] == "svc-node-client"
    shutil.copy(HERE / "calls.py", generated)
    mypy: list[str | Path] = [BIN / "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", tmp_path / "cache"]
    ran([*mypy, "svc_node_client", "calls.py"], generated)
    printed = ran([sys.executable, "calls.py", node.api], generated, {"PYTHONPATH": str(generated)})
    assert json.loads(printed) == ANSWERED
