"""The walk of the README, as a user runs it, and again after the node was killed."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.world.node import REPOSITORY, NodeProcess, running_node


def walk(node: NodeProcess, state: Path, *arguments: str) -> str:
    finished = subprocess.run(
        ["bash", "examples/walk.sh", *arguments, node.url],
        cwd=REPOSITORY,
        env=os.environ | {"STATE": str(state)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.parametrize("power_cut", [False, True], ids=["node killed", "node and chain killed"])
def test_the_walk_and_once_more_after_a_kill(tmp_path: Path, power_cut: bool) -> None:
    data, state = tmp_path / "data", tmp_path / "keys"
    with running_node(data) as node:
        printed = walk(node, state)
        assert "the signature recovers to 0x" in printed
        assert "answered 403" in printed
        assert "answered 401" in printed
        if power_cut:
            node.kill_with_chain()
        else:
            node.kill()
    with running_node(data) as node:
        assert "the signature recovers to 0x" in walk(node, state, "again")
    with running_node(data) as node:
        assert "the signature recovers to 0x" in walk(node, state, "again")
