"""Without limits, no new privileges and the call filter nothing runs: the engine does not start, and no node serves."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.node import REPOSITORY, running_node
from tests.support.serving import lent_platform, toml

REFUSER = Path(__file__).parent / "refuser.py"
ENGINE = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from tests.engine.hosts import LIMITS, run
async def main():
    async with ProcessEngine(LIMITS) as engine:
        print("ran", (await run(engine, "function main() { return 1; }")).response)
try:
    asyncio.run(main())
except DomainError as error:
    print("refused", type(error).__name__)
"""
TIMEOUT_S = 60


def without(
    measure: str, how: str, *command: str, environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command of this interpreter where a measure is refused, or only seems to be granted."""
    arguments: Sequence[str] = [sys.executable, str(REFUSER), measure, how, sys.executable, *command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    return subprocess.run(
        arguments, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


@pytest.mark.parametrize("how", ["refused", "not done"])
@pytest.mark.parametrize("measure", ["call filter", "no new privileges", "limits"])
def test_the_engine_does_not_start_without(measure: str, how: str) -> None:
    ended = without(measure, how, "-c", ENGINE, str(REPOSITORY))
    if measure == "no new privileges" and how == "not done":
        # It was set before, or nothing could have taken it away here: it holds, and so does the rest.
        assert ended.stdout.splitlines()[-1] == "ran 1", ended
    else:
        assert ended.stdout.splitlines()[-1] == "refused ActionProcessNotStartedError", ended


@pytest.mark.exhaustive
@pytest.mark.parametrize("measure", ["call filter", "no new privileges", "limits"])
def test_serve_refuses_to_start_without(measure: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    lent = tmp_path_factory.mktemp("p")
    with running_node(lent) as node:
        config = tmp_path / "node.toml"
        config.write_text(toml({"data_dir": str(tmp_path / "data")} | lent_platform(node, lent)))
        ended = without(measure, "refused", "-m", "node", "serve", "--config", str(config))
    printed = ended.stdout + ended.stderr
    assert ended.returncode == 2, printed
    assert "Traceback" not in printed
    # The node limits itself first of all.
    reason = "limit itself" if measure == "limits" else "could not start a process for the action"
    assert reason in printed, printed
    assert '"event": "ready"' not in printed
