"""JavaScript modules run in Node.js: what a script prints for what it is given."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.node import REPOSITORY

NODE = Path(sys.executable).parent / "node"
TIMEOUT_S = 120.0
_GIVEN = """
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const given = JSON.parse(Buffer.concat(chunks).toString("utf-8"));
"""


def ran_javascript(source: str, given: object = None, modules: Path = REPOSITORY) -> Any:
    """Runs a script and returns what it prints, as JSON. It reads `given`, and imports from `./` in the folder `modules`."""
    finished = subprocess.run(
        [NODE, "--input-type=module", "--eval", _imports_first(source)],
        input=json.dumps(given).encode(),
        cwd=modules,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr.decode(errors="replace")
    return json.loads(finished.stdout)


def _imports_first(source: str) -> str:
    lines = source.strip().splitlines()
    imports = [line for line in lines if line.lstrip().startswith("import ")]
    return "\n".join([*imports, _GIVEN, *(line for line in lines if line not in imports)])
