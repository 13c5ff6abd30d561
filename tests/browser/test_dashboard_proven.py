"""The dashboard through `svc dashboard`: proven, the same as the node's own, and of use to no other page."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.browser import Browser
from tests.browser.dashboard import DESKTOP, PAGES, Dashboard
from tests.e2e.account import Account
from tests.support.node import REPOSITORY, NodeProcess
from tests.support.verifying import VerifiableNode

TIMEOUT_S = 120


@pytest.fixture(scope="module")
def proven(node: NodeProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `svc dashboard` in front of the node."""
    environment = {**os.environ, "SVC_CLIENT_FOLDER": str(tmp_path_factory.mktemp("profiles"))}
    verified = VerifiableNode(node)
    svc = [sys.executable, "-m", "svc_client"]
    login = [*svc, "login", verified.address.origin, *verified.arguments(), "--no-key"]
    subprocess.run(login, cwd=REPOSITORY, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
    command = [*svc, "dashboard", "--listen", "127.0.0.1:0", "--no-open", "--json"]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["url"].removesuffix("/dashboard/")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0
        process.stdout.close()


async def test_every_page_works_and_says_that_it_is_proven(proven: str, browser: Browser, account: Account) -> None:
    dashboard = Dashboard(await browser.new_page(), proven)
    await dashboard.open(DESKTOP)
    await dashboard.sign_in(account.key)
    await dashboard.page.until_shown("and every file of this page.")
    shown = await dashboard.page.value("document.body.innerText")
    assert "This is not the attested origin" not in shown
    assert "not proven" not in shown
    for name in PAGES:
        await dashboard.go(name)
    dashboard.assert_quiet()


async def test_a_page_of_another_port_gets_nothing_of_it(
    proven: str, node: NodeProcess, browser: Browser, account: Account, tmp_path: Path
) -> None:
    page = await browser.new_page()
    await page.open(f"{node.url}/dashboard/")
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("/dashboard/", {}),
        ("/dashboard/verified.json", {}),
        ("/health", {}),
        ("/core/v1/list_wallets", {"headers": {"X-Api-Key": account.key}}),
        ("/core/v1/new_account", {"method": "POST", "mode": "no-cors", "body": '{"account_name": "theirs"}'}),
    )
    # Past the policy of the page that asks: the stranger has none.
    await page.command("Page.setBypassCSP", enabled=True)
    await page.open(f"{node.url}/health")
    for path, options in asked:
        answer = await page.value(
            f"fetch('{proven}{path}', {json.dumps(options)}).then((each) => each.text(), () => 'refused')"
        )
        assert answer in {"refused", ""}, (path, answer)
    await page.value(f"location.href = '{proven}/dashboard/', undefined")
    await page.until_shown("a link from another page is refused")
