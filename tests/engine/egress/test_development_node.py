"""A whole development node: its actions reach loopback where the switch is on, and its settings arrive."""

from pathlib import Path

import pytest

from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.support.node import running_node

READ_CHAIN = """async function main({ url }) {
  const provider = new ethers.providers.JsonRpcProvider(url);
  return (await provider.getNetwork()).chainId;
}"""
NOT_PUBLIC = "fetch failed: only public addresses can be reached, and this host has none"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"SVC_EGRESS_ALLOW_LOOPBACK": "1"},
        {"SVC_EGRESS_ALLOW_LOOPBACK": "1", "SVC_EGRESS_DENY_HOSTS": "127.0.0.0/8, *.org"},
    ],
    ids=["off", "on", "on-and-denied"],
)
def test_only_the_switch_opens_loopback_and_lists_narrow_it(tmp_path: Path, settings: dict[str, str]) -> None:
    with running_node(tmp_path, settings) as node:
        owner = new_account(client_of(node)).client
        caught = (
            "async function main({ url }) { try { return (await fetch(url)).status; } catch (e) { return e.message; } }"
        )
        chain = node.log_value("chain")
        answered = owner.post("svc_action", {"code": caught, "js_params": {"url": chain}}).ok()["response"]
        insecure = [line for line in node.log if line.startswith("INSECURE egress_allow_loopback")]
        if not settings:
            assert (answered, insecure) == (NOT_PUBLIC, [])
        elif "SVC_EGRESS_DENY_HOSTS" in settings:
            assert answered == "fetch failed: this deployment does not let actions reach that host"
        else:
            assert isinstance(answered, int)
            assert len(insecure) == 1
            read = owner.post("svc_action", {"code": READ_CHAIN, "js_params": {"url": chain}}).ok()
            assert read["response"] == 31337, read
