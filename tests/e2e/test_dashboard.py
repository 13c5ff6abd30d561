"""The dashboard of a real node in a real browser, in some seconds; tests/browser has all of it (`make clients`)."""

from pathlib import Path

import pytest

from tests.browser.browser import fresh_browser
from tests.browser.chromium import running_chromium
from tests.browser.dashboard import Dashboard
from tests.e2e.account import Account
from tests.support.node import NodeProcess


@pytest.mark.exhaustive
async def test_it_signs_in_shows_the_account_and_asks_nobody_else(
    node: NodeProcess, account: Account, tmp_path: Path
) -> None:
    account.group(group_name="Signers")
    with running_chromium(tmp_path / "profile") as chromium:
        async with fresh_browser(chromium) as browser:
            dashboard = Dashboard(await browser.new_page(), node.url)
            await dashboard.open()
            await dashboard.sign_in(account.key)
            await dashboard.go("groups")
            await dashboard.page.until_shown("Signers")
            assert account.key not in await dashboard.stored()
            dashboard.assert_quiet()
