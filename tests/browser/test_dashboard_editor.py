"""The editor of the runner by keyboard, a run that is stopped, and a draft that outlives a look at another page."""

from typing import Final

from tests.browser.dashboard import Dashboard
from tests.browser.test_dashboard_runner import CODE, PARAMETERS
from tests.e2e.account import Account

TEXT: Final = "document.querySelector('main textarea').value"
NUMBERS: Final = "document.querySelector('main .editor-numbers').textContent"


async def test_tab_indents_and_escape_and_tab_leave(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    await dashboard.sign_in(account.key)
    await dashboard.go("runner")
    await page.fill(CODE, "")
    await page.press("Tab")
    await page.type("a")
    await page.press("Enter")
    await page.type("b")
    assert await page.value(TEXT) == "  a\n  b"
    assert await page.value(NUMBERS) == "1\n2"
    await page.value("document.activeElement.select()")
    await page.press("Tab")
    assert await page.value(TEXT) == "    a\n    b"
    editor = await page.focused()
    await page.press("Escape")
    await page.press("Tab")
    assert await page.focused() != editor
    assert await page.value(TEXT) == "    a\n    b"
    await page.fill(PARAMETERS, '{"a":')
    editor = await page.focused()
    await page.press("Tab", "Shift")
    assert await page.focused() != editor
    assert await page.value("document.querySelectorAll('main textarea')[1].value") == '{"a":'
    dashboard.assert_quiet()


async def test_a_run_can_be_left_and_the_draft_stays_in_memory_alone(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    await dashboard.sign_in(account.key)
    await dashboard.go("runner")
    await page.fill("Longest time in seconds", "2", "spinbutton")
    await page.fill(CODE, "async function main() { for (;;) await new Promise((done) => setTimeout(done, 50)); }")
    await page.press("Enter", "Control")
    await page.click("button", "Stop waiting")
    await page.until_shown("You stopped waiting.")
    await dashboard.go("wallets")
    await dashboard.go("runner")
    assert "setTimeout(done, 50)" in await page.value(TEXT)
    assert "setTimeout" not in await dashboard.stored()
    await page.click("button", "Sign out")
    await page.until("document.querySelector('main h1').textContent === 'Sign in'")
    await dashboard.sign_in(account.key)
    await dashboard.go("runner")
    assert await page.value(TEXT) == ""
    dashboard.assert_quiet()
