"""The walk of the README, as a user runs it, and again after the node was killed."""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.apt import require_curl
from tests.support.instances import Instance, running_app
from tests.support.node import REPOSITORY, NodeProcess, running_node


def example(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    require_curl()
    return subprocess.run(
        ["bash", *command],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def succeeded(finished: subprocess.CompletedProcess[str]) -> str:
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def walk(node: NodeProcess, state: Path, *arguments: str) -> str:
    return succeeded(example("examples/walk.sh", *arguments, node.url, STATE=str(state)))


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_on_a_node_that_sells_credit_the_walk_says_how_to_pay_and_goes_on_with_the_paid_key(tmp_path: Path) -> None:
    with running_node(tmp_path / "data", {"SVC_DEV_STARTER_CENTS": "0"}) as node:
        refused = example("examples/walk.sh", node.url, TMPDIR=str(tmp_path))
        assert refused.returncode == 1
        assert "Traceback" not in refused.stderr
        assert "create_wallet was refused: The account has not enough credit." in refused.stderr
        assert "/billing/create_payment_intent" in refused.stderr
        assert "/billing/token_config" in refused.stderr
        found = re.search(r"WALK_API_KEY=\$\(cat (\S+)\) examples/walk.sh (\S+)", refused.stderr)
        assert found is not None, refused.stderr
        kept, url = Path(found[1]), found[2]
        assert (kept.stat().st_mode & 0o777, url) == (0o600, node.url)
        key = kept.read_text().strip()
        assert key not in refused.stdout + refused.stderr

        succeeded(example("examples/top_up.sh", node.url, node.log_value("processor"), SVC_API_KEY=key))
        for _ in range(2):
            state = str(tmp_path / "state")
            walked = succeeded(example("examples/walk.sh", node.url, WALK_API_KEY=key, STATE=state))
            assert "the signature recovers to 0x" in succeeded(
                example("examples/walk.sh", "again", node.url, STATE=state)
            )
            assert "new_account" not in walked
            assert "the signature recovers to 0x" in walked
            assert walked.endswith("== done\n")


@pytest.mark.exhaustive
def test_the_walk_explains_any_other_refusal(tmp_path: Path) -> None:
    with running_node(tmp_path) as node:
        wrong = example("examples/walk.sh", node.url, WALK_API_KEY="A" * 43 + "=")
        assert (wrong.returncode, "Traceback" in wrong.stderr) == (1, False)
        assert "billing/balance was refused: This key is unknown, removed or expired." in wrong.stderr
        assert "WALK_API_KEY=" not in wrong.stderr


@pytest.mark.exhaustive
async def test_the_walk_says_how_to_use_a_node_whose_certificate_is_its_own() -> None:
    async with running_app(Instance("a")) as app:
        walked = await asyncio.to_thread(example, "examples/walk.sh", app.origin)
    assert (walked.returncode, "Traceback" in walked.stderr) == (1, False)
    assert "`svc proxy` does" in walked.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["http://127.0.0.1:1", "http://127.0.0.1:1/\n"])
def test_the_walk_ends_without_a_traceback_where_nobody_answers(place: str) -> None:
    walked = example("examples/walk.sh", place)
    assert (walked.returncode, "Traceback" in walked.stderr, "curl: " in walked.stderr) == (1, False, True)
