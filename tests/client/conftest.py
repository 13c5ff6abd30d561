"""A development node for all tests of the client, a client's arguments for it, and a proxy to it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client_arguments import ClientArguments, arguments_for
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode, verifiable_node


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as running:
        yield running


@pytest.fixture
def arguments(node: VerifiableNode) -> ClientArguments:
    return arguments_for(node)


@pytest.fixture
def profile_key() -> str:
    """The key of the proxy's profile: of no account, unless a test has another one."""
    return "A" * 43 + "="


@pytest.fixture
def program(node: VerifiableNode, profile_key: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URL and the token that `svc proxy` prints."""
    given = arguments_for(node)
    values = {**given, "api_key": profile_key}
    file = tmp_path / "default.json"
    file.touch(0o600)
    file.write_text(json.dumps(values))
    with subprocess.Popen(
        [sys.executable, "-m", "svc_client", "proxy", "--listen", "127.0.0.1:0"],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SVC_CLIENT_FOLDER": str(tmp_path), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        url, token = process.stdout.readline().strip(), process.stdout.readline().strip().partition(": ")[2]
        try:
            yield url, token
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
