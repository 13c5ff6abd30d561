"""`svc-node serve` whose guest agent hangs, then is back: what needs the platform is 503, everything else goes on."""

import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.account import SIGNING_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.node import NodeProcess, running_node
from tests.support.serving import lent_platform, serving, unchecked

RECOVERS_WITHIN_S = 60.0
TIMEOUTS = {
    "attest.guest_agent.CALL_TIMEOUT_S": 3.0,
    "attest.guest_agent.QUOTE_TIMEOUT_S": 3.0,
    "node.status.health.PROBE_MAX_AGE_S": 0.0,
}


@contextmanager
def standing_still(node: NodeProcess) -> Iterator[None]:
    """The development node, which is the guest agent here, takes connections and answers nothing; its chain goes on."""
    os.kill(node.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(node.process.pid, signal.SIGCONT)


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            status, retry_after, body = error.code, error.headers["Retry-After"], error.read()
    if status == 503:
        assert int(retry_after) >= 1
        assert b'"tee_unavailable"' in body
    return status


@pytest.mark.exhaustive
def test_actions_run_on_while_the_guest_agent_hangs(tmp_path: Path) -> None:
    data, own = tmp_path / "d", tmp_path / "o"
    own.mkdir()
    with running_node(data) as node:
        account = new_account(client_of(node))
        body = {"code": SIGNING_CODE, "js_params": {"wallet": account.wallet(), "text": "hello"}}
        settings = lent_platform(node, data) | {"domain": "localhost"}
        with serving(own, settings, constants=TIMEOUTS) as url:
            here = unchecked(url, account.key)
            fresh = f"{url}/attestation?nonce={'ab' * 32}"
            before = here.post("svc_action", body).ok()["response"]
            assert (status_of(fresh), status_of(f"{url}/evidences/")) == (200, 404)
            with standing_still(node):
                assert status_of(fresh) == 503
                assert here.post("svc_action", body).ok()["response"] == before
                health = here.get("health").ok()
                assert (health["status"], health["tee"]) == ("degraded", "down")
                assert health["attestation"]["tee"] == "simulator", "it says so itself, also where its key is pinned"
            deadline = time.monotonic() + RECOVERS_WITHIN_S
            while status_of(fresh) != 200:
                assert time.monotonic() < deadline
            assert here.get("health").ok()["tee"] == "ok"
