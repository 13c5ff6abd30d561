"""Keys in the dashboard: in memory alone, in this tab's storage only when asked, and in no address."""

import json
from pathlib import Path

import pytest

from tests.browser.browser import Browser, downloaded
from tests.browser.chromium import ELSEWHERE
from tests.browser.dashboard import PAGES, Dashboard
from tests.e2e.account import Account
from tests.support.node import NodeProcess
from tests.support.verifying import VerifiableNode

NOT_SIGNED_IN = "document.querySelector('main h1')?.textContent === 'Sign in'"
STORED_NOWHERE: list[object] = [{}, {}, "", None]


async def stored(dashboard: Dashboard) -> list[object]:
    """Local storage, session storage, cookies and the state of the history."""
    text = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])"
    found: list[object] = json.loads(await dashboard.page.value(text))
    return found


def addresses(dashboard: Dashboard) -> str:
    """All addresses that the tab had, those of requests among them."""
    recorded = dashboard.page.recorded
    return "\n".join([*recorded.addresses, *(each.url for each in recorded.requests)])


async def test_a_key_is_in_memory_alone(dashboard: Dashboard, account: Account) -> None:
    await dashboard.sign_in(account.key)
    for name in PAGES:
        await dashboard.go(name)
    assert await stored(dashboard) == STORED_NOWHERE
    assert account.key not in addresses(dashboard)
    stores = "Promise.all([indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations()])"
    assert await dashboard.page.value(f"{stores}.then((found) => found.flat().length)") == 0
    assert account.key not in await dashboard.page.value("document.documentElement.outerHTML")
    await dashboard.open()
    assert await dashboard.page.value(NOT_SIGNED_IN), "a reload must forget the key"
    dashboard.assert_quiet()


async def elsewhere(browser: Browser, node: NodeProcess) -> Dashboard:
    """The dashboard over HTTPS at a name that is not of loopback, where a tab may keep a key."""
    page = await browser.new_page()
    await page.command("Security.setIgnoreCertificateErrors", ignore=True)
    port = VerifiableNode(node).address.origin.rpartition(":")[2]
    opened = Dashboard(page, f"https://{ELSEWHERE}:{port}")
    await opened.open()
    return opened


async def test_nothing_is_kept_on_loopback(dashboard: Dashboard, account: Account) -> None:
    """Another user of the machine can serve the same origin, once the program behind it has ended."""
    assert await dashboard.page.value("document.querySelector('main input[type=checkbox]')") is None
    module = "import('/dashboard/' + document.querySelector('script[type=module]').getAttribute('src').replace('main.mjs', 'app.mjs'))"
    # Also where it is asked for by other ways than the form.
    await dashboard.page.value(
        f"{module}.then(({{ App }}) => new App(location.origin, {{ live: document.body, health: null, show: () => null }})"
        f".signIn({json.dumps(account.key)}, {{ remember: true }}))"
    )
    assert await stored(dashboard) == STORED_NOWHERE
    await dashboard.page.value(f"sessionStorage.setItem('svc.dashboard.key', {json.dumps(account.key)})")
    await dashboard.open()
    assert await dashboard.page.value(NOT_SIGNED_IN), "a key that stands there was used"


async def test_a_key_is_kept_for_the_tab_only_when_asked_and_forgotten_by_signing_out(
    node: NodeProcess, account: Account, browser: Browser
) -> None:
    dashboard = await elsewhere(browser, node)
    await dashboard.sign_in(account.key, keep=True)
    local, session, *rest = await stored(dashboard)
    assert (local, list(session.values()), rest) == ({}, [account.key], ["", None])  # type: ignore[attr-defined]
    await dashboard.open()
    await dashboard.page.element("button", "Sign out")
    other = await elsewhere(browser, node)
    assert await other.page.value(NOT_SIGNED_IN), "another tab must not have the key"
    await dashboard.page.click("button", "Sign out")
    await dashboard.page.until(NOT_SIGNED_IN)
    assert await stored(dashboard) == STORED_NOWHERE
    assert account.key not in addresses(dashboard)
    dashboard.assert_quiet()


async def test_nothing_that_is_not_there_is_asked_for(dashboard: Dashboard, account: Account) -> None:
    await dashboard.page.until_shown("not proven")
    await dashboard.sign_in(account.key)
    for name in PAGES:
        await dashboard.go(name)
    assert dashboard.page.recorded.refused == []
    dashboard.assert_quiet()


@pytest.mark.parametrize(
    ("key", "says"),
    [("not a key", "A key is 44 characters"), ("A" * 43 + "=", "unknown")],
    ids=["no key", "a key of nobody"],
)
async def test_a_wrong_key_is_refused_in_words_and_kept_nowhere(
    node: NodeProcess, browser: Browser, key: str, says: str
) -> None:
    dashboard = await elsewhere(browser, node)
    await dashboard.page.fill("Account key or usage key (needed)", key)
    await dashboard.page.click("checkbox", "Keep it until this tab is closed")
    await dashboard.page.click("button", "Sign in")
    await dashboard.page.until("document.querySelector('main form [role=alert]')")
    shown = await dashboard.page.value("document.querySelector('main form [role=alert]').textContent")
    assert says.lower() in shown.lower()
    assert key not in shown
    assert await stored(dashboard) == STORED_NOWHERE


async def test_a_new_accounts_key_is_shown_once_until_it_was_kept(
    dashboard: Dashboard, browser: Browser, tmp_path: Path
) -> None:
    await browser.download_to(tmp_path)
    page = dashboard.page
    await page.click("button", "Make an account")
    await page.fill("Name (needed)", "made in a browser")
    await page.click("button", "Make it")
    await page.until_shown("Your account key")
    key = await page.value("document.querySelector('dialog .secret code').textContent")
    await page.click("button", "Download")
    assert (await downloaded(tmp_path)).read_text().strip() == key
    await page.press("Escape")
    await page.press("Escape")
    await page.until_shown("Your account key")
    await page.fill("Paste it again from where you kept it (needed)", "something else")
    await page.click("button", "I have kept it")
    await page.until_shown("another text")
    await page.fill("Paste it again from where you kept it (needed)", key)
    await page.click("button", "I have kept it")
    await page.element("button", "Sign out")
    assert key not in await page.value("document.documentElement.outerHTML")
    assert await stored(dashboard) == STORED_NOWHERE
    assert key not in addresses(dashboard)
    dashboard.assert_quiet()
