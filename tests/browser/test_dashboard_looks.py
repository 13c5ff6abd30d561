"""Every page of the dashboard: accessible in light and dark, and no wider than the screen."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.browser.browser import Browser
from tests.browser.dashboard import DESKTOP, PAGES, PHONE, Dashboard
from tests.e2e.account import SIGNING_CODE, Account, new_account
from tests.support.client import Client
from tests.support.node import NodeProcess

PICTURES: Final = os.environ.get("SVC_TEST_PICTURES")
"""A folder for pictures of all pages, to be looked at; without it there are none."""
SCREENS = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(scope="module")
def populated(anonymous: Client) -> Account:
    """An account with some of everything."""
    account = new_account(anonymous)
    populate(account)
    return account


def populate(account: Account) -> None:
    """Make some of everything, long names among them."""
    client = account.client
    wallet = client.post("create_wallet", {"name": "Treasury", "description": "pays the suppliers"}).ok()[
        "wallet_address"
    ]
    client.post("create_wallet", {"name": "A-wallet-with-a-long-name-and-no-space-in-it-" * 3}).ok()
    cid = client.post("get_svc_action_ipfs_id", SIGNING_CODE).ok()
    client.post(
        "add_action", {"action_ipfs_cid": cid, "name": "Sign a message", "description": "signs what it gets"}
    ).ok()
    action = client.get("list_actions").ok()[0]["hashed_cid"]
    group = account.group(group_name="Signers", cid_hashes_permitted=[action], pkp_ids_permitted=[wallet])
    account.group(group_name="Anything", cid_hashes_permitted=["0"], pkp_ids_permitted=["0x" + "0" * 40])
    for number in range(30):
        account.group(group_name=f"Group {number}")
    account.usage_key(name="backend", execute_in_groups=[group], balance=500, expiration=4_000_000_000)
    account.usage_key(
        name="everything", execute_in_groups=["0"], can_create_groups=True, manage_ipfs_ids_in_groups=["0"]
    )
    run = {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}}
    for _ in range(3):
        client.post("svc_action", run).ok()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
async def test_every_page_is_accessible_and_fits(
    node: NodeProcess, browser: Browser, populated: Account, scheme: str, screen: str
) -> None:
    dashboard = Dashboard(await browser.new_page(), node.url)
    await dashboard.page.prefer(color_scheme=scheme)
    await dashboard.open(SCREENS[screen])
    faults = {"sign-in": await look(dashboard, f"{screen}-{scheme}-sign-in")}
    await dashboard.sign_in(populated.key)
    for name in PAGES:
        await dashboard.go(name)
        faults[name] = await look(dashboard, f"{screen}-{scheme}-{name}")
    assert {name: found for name, found in faults.items() if found} == {}
    dashboard.assert_quiet()


DIALOGS: Final = {
    "new key": ("keys", "New usage key", "dialog form"),
    "what a key may do": ("keys", "What may it do? backend", "dialog .matrix"),
    "removal": ("keys", "Remove backend", "dialog button"),
    "a group": ("groups", "Change Signers", "dialog form"),
    "new action": ("actions", "Register an action", "dialog form"),
    "statement": ("billing", "Show the statement", ".statement"),
    "payment": ("billing", "Continue", "main a[target]"),
    "no wallet": ("chain", "Connect a wallet", "dialog .empty"),
}
"""The page, the button and what it shows."""


@pytest.mark.parametrize(("scheme", "screen"), [("light", "desktop"), ("dark", "phone")])
async def test_what_buttons_open_is_accessible_and_fits(
    node: NodeProcess, browser: Browser, populated: Account, scheme: str, screen: str
) -> None:
    dashboard = Dashboard(await browser.new_page(), node.url)
    page = dashboard.page
    await page.prefer(color_scheme=scheme)
    await dashboard.open(SCREENS[screen])
    await dashboard.sign_in(populated.key)
    faults = {}
    for name, (route, button, shown) in DIALOGS.items():
        await dashboard.go(route)
        await page.click("button", button)
        await page.until(f"document.querySelector({shown!r})")
        faults[name] = await look(dashboard, f"{screen}-{scheme}-{name.replace(' ', '-')}")
        await page.press("Escape")
        await page.until("document.querySelector('dialog') === null")
    assert {name: found for name, found in faults.items() if found} == {}
    dashboard.assert_quiet()


async def look(dashboard: Dashboard, name: str) -> list[str]:
    """The faults of a page as it is now, with all that it folds away shown."""
    await dashboard.page.value("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    if PICTURES is not None:
        await dashboard.picture(Path(PICTURES), name)
    faults = [*await dashboard.accessibility_faults(), *(f"too wide: {each}" for each in await dashboard.too_wide())]
    if await dashboard.page.value("document.documentElement.scrollWidth > innerWidth"):
        faults.append("the page scrolls sideways")
    return faults
