"""A machine that measured what `svc-compose` wrote, from the approval to its end, as a verifier of it sees them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from devkit.tee import DIRECTORY
from tests.compose.conftest import CHAIN_ID, OWNER_KEY, RUN_S, Run
from tests.support.measured_files import IMAGE, OTHER_IMAGE, SETTINGS
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode, verifiable_node


def verified(node: VerifiableNode, code: int) -> dict[str, dict[str, object]]:
    """Every check of `svc-verify` by its name."""
    ran = subprocess.run(
        [sys.executable, "-m", "svc_verifier", node.address.origin, *node.arguments("--json")],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return {check["id"]: check for check in json.loads(ran.stdout)["checks"]}


@pytest.fixture
def files(run: Run, tmp_path: Path) -> tuple[Path, Path]:
    """The file that runs, and the one of its upgrade."""
    (tmp_path / "settings.toml").write_text(SETTINGS)
    for name, image in (("now.json", IMAGE), ("next.json", OTHER_IMAGE)):
        ran = run("render", "--image", image, "--settings", "settings.toml", "--out", name)
        assert ran.code == 0, ran.err
    return tmp_path / "now.json", tmp_path / "next.json"


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_what_was_rendered_is_measured_and_its_approvals_are_seen(
    run: Run, files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    now, following = files
    hashes = [run("hash", path.name).out.strip() for path in files]
    directory = tmp_path_factory.mktemp("machine")
    (directory / DIRECTORY).mkdir(mode=0o700)
    (directory / DIRECTORY / "app-compose.json").write_bytes(now.read_bytes())
    with verifiable_node(directory) as node:
        at = ["--app-id", f"0x{node.app_id.hex()}", "--chain-id", str(CHAIN_ID), "--rpc-url", node.chain, "--json"]
        checks = verified(node, 0)
        assert checks["governance.compose-allowed"]["evidence"]["compose_hash"] == hashes[0]  # type: ignore[index]
        assert {name: checks[name]["status"] for name in checks if name.startswith("code.")} == dict.fromkeys(
            [name for name in checks if name.startswith("code.")], "passed"
        )

        announced = run("approve", following.name, *at, "--key-file", "-", stdin=OWNER_KEY)
        assert announced.code == 0, announced.err
        assert json.loads(announced.out)["function"] == "scheduleComposeHash"
        seen = verified(node, 0)["governance.pending"]
        assert seen["status"] == "unknown"
        assert hashes[1] in str(seen["why"])
        shown = json.loads(run("pending", *at, "--known", now.name, "--known", following.name).out)
        assert [entry["file"] for entry in shown["pending"]] == [following.name]
        assert [entry["file"] for entry in shown["allowed"]] == [now.name]
        assert run("revoke", following.name, *at, "--key-file", "-", stdin=OWNER_KEY).code == 0
        assert verified(node, 0)["governance.pending"]["status"] == "passed"

        revoked = json.loads(run("revoke", now.name, *at, "--key-file", "-", stdin=OWNER_KEY).out)
        assert (revoked["function"], revoked["allowed"]) == ("removeComposeHash", False)
        assert verified(node, 10)["governance.compose-allowed"]["status"] == "failed"
