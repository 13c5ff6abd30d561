"""The same script in an action and in Node, whose behaviour is the standards'."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from node.engine.port import HostCalls
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run

_AS_A_PROGRAM = """
(async () => {{
  {code}
  const answer = await main({params});
  process.stdout.write(JSON.stringify(answer === undefined ? null : answer));
}})();
"""


def node_executable() -> str:
    """Node of this environment, else of the path."""
    beside = Path(sys.executable).parent / "node"
    found = str(beside) if beside.exists() else shutil.which("node")
    assert found is not None, "these tests compare with Node: make setup installs it"
    return found


def in_node(code: str, params: Mapping[str, JsonValue] | None = None) -> JsonValue:
    """What `main` of the code answers in Node."""
    program = _AS_A_PROGRAM.format(code=code, params=json.dumps(dict(params or {})))
    done = subprocess.run(
        [node_executable(), "--no-warnings", "-"], input=program.encode(), capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()
    answer: JsonValue = json.loads(done.stdout)
    return answer


async def in_action(
    engine: ProcessEngine, code: str, params: Mapping[str, JsonValue] | None = None, host: HostCalls | None = None
) -> JsonValue:
    """What `main` of the code answers in an action."""
    outcome = await run(engine, code, params, host)
    assert outcome.error is None, outcome
    return outcome.response


async def differences(
    engine: ProcessEngine, code: str, params: Mapping[str, JsonValue] | None = None
) -> list[tuple[JsonValue, JsonValue]]:
    """Where the two lists answered by the action and by Node are not the same: (action's, Node's)."""
    ours, theirs = await in_action(engine, code, params), in_node(code, params)
    assert isinstance(ours, list)
    assert isinstance(theirs, list)
    assert ours, "nothing was compared"
    return [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
