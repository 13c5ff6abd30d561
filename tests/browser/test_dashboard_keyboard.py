"""The dashboard by keyboard alone, from signing in to a new key; the focus is always somewhere and always seen."""

from tests.browser.dashboard import IDLE, Dashboard
from tests.browser.page import BrowserPage
from tests.e2e.account import Account

TABS_MAX = 60
SEEN = """(() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== "none";
})()"""
IN_DIALOG = (
    "document.querySelector('dialog').contains(document.activeElement) || document.activeElement === document.body"
)


async def tab_to(page: BrowserPage, what: str) -> None:
    """Press Tab until this has the focus, which must be seen at every step."""
    passed = []
    for _ in range(TABS_MAX):
        await page.press("Tab")
        focused = await page.focused()
        passed.append(focused)
        if focused.startswith(("RootWebArea", "none", "dialog")):
            continue
        assert await page.value(SEEN), f"the focus is not seen on {focused}"
        if focused == what:
            return
    raise AssertionError(f"Tab never reaches {what!r}; it passed {passed}")


async def test_from_signing_in_to_a_new_key(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    group = account.group(group_name="Signers")
    await tab_to(page, "textbox Account key or usage key (needed)")
    await page.type(account.key)
    await page.press("Enter")
    await page.element("button", "Sign out")
    await page.until(IDLE)
    await tab_to(page, "link Usage keys")
    await page.press("Enter")
    await page.until("location.hash === '#/keys' && document.activeElement.tagName === 'H1'")
    assert await page.focused() == "heading Usage keys"
    await page.until(IDLE)
    await tab_to(page, "button New usage key")
    await page.press("Enter")
    await page.until("document.querySelector('dialog form')")
    await page.press("Escape")
    await page.until("document.querySelector('dialog') === null")
    assert await page.focused() == "button New usage key", "the focus returns to where it was"
    await page.press("Enter")
    await page.until("document.querySelector('dialog form')")
    await tab_to(page, "textbox Name (needed)")
    await page.type("by keyboard")
    await tab_to(page, "checkbox Signers")
    await page.press("Space")
    await tab_to(page, "button Create key")
    await page.press("Enter")
    await page.until("document.querySelector('dialog .secret code')")
    secret = await page.value("document.querySelector('dialog .secret code').textContent")
    await tab_to(page, "textbox Paste it again from where you kept it (needed)")
    for _ in range(12):
        await page.press("Tab")
        assert await page.value(IN_DIALOG), "the focus leaves the dialog"
    await tab_to(page, "textbox Paste it again from where you kept it (needed)")
    await page.type(secret)
    await page.press("Enter")
    await page.until("document.querySelector('dialog') === null")
    [key] = account.client.get("list_api_keys").ok()
    assert (key["name"], key["can_execute_in_groups"]) == ("by keyboard", [group])
    account.client.with_key(secret).get("list_groups").ok()
    dashboard.assert_quiet()


async def test_motion_is_reduced_when_asked(dashboard: Dashboard, account: Account) -> None:
    await dashboard.page.prefer(reduced_motion="reduce")
    await dashboard.sign_in(account.key)
    for name in ("keys", "runner"):
        await dashboard.go(name)
        moving = await dashboard.page.value(
            "[...document.querySelectorAll('*')].filter((each) => { const style = getComputedStyle(each);"
            " return parseFloat(style.transitionDuration) > 0.01 || parseFloat(style.animationDuration) > 0.01 })"
            ".map((each) => each.outerHTML.slice(0, 80))"
        )
        assert moving == []
