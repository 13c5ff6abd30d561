"""Banners of the dashboard: what a reader must know before relying on the page."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.browser import Browser
from tests.browser.dashboard import Dashboard
from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.support.node import NodeProcess, running_node

BANNER_MAX_S = 35.0
NO_CREDIT = {"SVC_DEV_STARTER_CENTS": "0"}
BANNERS = "document.querySelector('.banners').innerText"


@pytest.fixture(scope="module")
def poor_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """A node without starter credit, whose chain the tests stop."""
    with running_node(tmp_path_factory.mktemp("poor"), NO_CREDIT) as running:
        yield running


async def test_insecure_stand_ins_and_missing_credit_are_said(poor_node: NodeProcess, browser: Browser) -> None:
    dashboard = Dashboard(await browser.new_page(), poor_node.url)
    await dashboard.open()
    await dashboard.page.until_shown("This node is for development only.")
    assert "TEE simulator" in await dashboard.page.value(BANNERS)
    assert "No credit" not in await dashboard.page.value(BANNERS)
    await dashboard.sign_in(new_account(client_of(poor_node)).key)
    await dashboard.page.until(f"{BANNERS}.includes('No credit.')")
    await dashboard.page.click("button", "Sign out")
    await dashboard.page.until(f"!{BANNERS}.includes('No credit.')")


async def test_a_listener_that_stands_still_and_a_node_that_is_gone_are_said_in_time(
    poor_node: NodeProcess, browser: Browser
) -> None:
    dashboard = Dashboard(await browser.new_page(), poor_node.url)
    await dashboard.open()
    await dashboard.page.until_shown("This node is for development only.")
    assert "behind the chain" not in await dashboard.page.value(BANNERS)
    chain = chain_process(poor_node)
    stopped_at = time.monotonic()
    os.kill(chain, signal.SIGSTOP)
    try:
        await dashboard.page.until(f"/is \\d+ seconds behind the chain/.test({BANNERS})", BANNER_MAX_S + 30)
        assert time.monotonic() - stopped_at <= BANNER_MAX_S
    finally:
        os.kill(chain, signal.SIGCONT)
    await dashboard.page.until(f"!{BANNERS}.includes('behind the chain')")
    await dashboard.page.cut_network()
    await dashboard.page.until(f"{BANNERS}.includes('is not known')", BANNER_MAX_S)


def chain_process(node: NodeProcess) -> int:
    """The process of the node's local chain."""
    children = Path(f"/proc/{node.process.pid}/task/{node.process.pid}/children").read_text().split()
    return next(int(each) for each in children if Path(f"/proc/{each}/comm").read_text().strip() == "anvil")
