"""Card payments: on a page of their own, which gets the payment's client secret and no key."""

import json

from tests.browser.browser import Browser
from tests.browser.dashboard import Dashboard
from tests.browser.page import BrowserPage, waited_for
from tests.e2e.account import Account
from tests.support.node import NodeProcess

CREDIT = "document.querySelector('.figure-value')?.textContent"


async def begun(dashboard: Dashboard, browser: Browser, account: Account, amount: str) -> BrowserPage:
    """The payment page of a new payment."""
    await dashboard.sign_in(account.key)
    await dashboard.go("billing")
    await dashboard.page.fill("Amount in US dollars (needed)", amount)
    await dashboard.page.click("button", "Continue")
    await dashboard.page.click("link", "Open the payment page")
    opened = await browser.page(lambda page: page is not dashboard.page)
    await opened.element("button", "Pay")
    return opened


async def test_a_card_pays_and_the_dashboard_shows_the_credit(
    dashboard: Dashboard, browser: Browser, account: Account
) -> None:
    before = account.client.get("billing/balance").ok()["credit_cents"]
    paying = await begun(dashboard, browser, account, "75")
    await paying.until_shown("$75.00 USD")
    await paying.click("button", "Pay")
    await paying.until_shown("The payment succeeded.")
    await dashboard.page.until_shown("$75.00 was added to the credit.")
    expected = f"${(before + 7500) / 100:,.2f}"
    await dashboard.page.until(f"{CREDIT} === {json.dumps(expected)}")
    assert account.client.get("billing/balance").ok()["credit_cents"] == before + 7500
    dashboard.assert_quiet()


async def test_the_payment_page_has_no_key_and_no_hold_on_the_dashboard(
    dashboard: Dashboard, browser: Browser, account: Account, node: NodeProcess
) -> None:
    paying = await begun(dashboard, browser, account, "75")
    processor = node.log_value("processor")
    assert paying.recorded.origins() == {node.url, processor}
    assert paying.recorded.violations == []
    sent = json.dumps([vars(each) for each in paying.recorded.requests])
    assert account.key not in sent
    assert "x-api-key" not in sent.lower()
    assert "authorization" not in sent.lower()
    assert await paying.value("[opener, name, {...sessionStorage}, {...localStorage}, document.cookie]") == [
        None,
        "",
        {},
        {},
        "",
    ]
    secret = next(
        each.url for each in paying.recorded.requests if each.url.startswith(processor) and "client_secret" in each.url
    )
    assert secret.split("client_secret=")[1].split("&")[0] not in "\n".join(paying.recorded.addresses)
    # The key's page never loads what the processor serves.
    assert dashboard.page.recorded.origins() == {node.url}
    dashboard.assert_quiet()


async def test_a_closed_payment_page_loses_nothing(dashboard: Dashboard, browser: Browser, account: Account) -> None:
    before = account.client.get("billing/balance").ok()["credit_cents"]
    paying = await begun(dashboard, browser, account, "60")
    await dashboard.page.command("Page.navigate", url="about:blank")
    await paying.click("button", "Pay")
    await paying.until_shown("The payment succeeded.")

    async def credited() -> bool:
        return bool(account.client.get("billing/balance").ok()["credit_cents"] == before + 6000)

    await waited_for(credited)


async def test_a_card_that_is_declined_is_said_and_can_be_replaced(
    dashboard: Dashboard, browser: Browser, account: Account
) -> None:
    paying = await begun(dashboard, browser, account, "75")
    await paying.fill("Card number", "4000 0000 0000 0002")
    await paying.click("button", "Pay")
    await paying.until("document.querySelector('#pay [role=alert]')")
    assert "declined" in await paying.value("document.querySelector('#pay [role=alert]').textContent")
    await paying.fill("Card number", "4242 4242 4242 4242")
    await paying.click("button", "Pay")
    await paying.until_shown("The payment succeeded.")
    await dashboard.page.until_shown("$75.00 was added to the credit.")


async def test_without_a_payment_it_asks_for_a_code(node: NodeProcess, browser: Browser) -> None:
    page = await browser.new_page()
    await page.open(f"{node.url}/dashboard/pay.html#svc-payment-{'0' * 32}")
    await page.fill("Payment code (needed)", "<img src=x onerror=alert(1)>")
    await page.click("button", "Go on")
    await page.until_shown("A payment code begins with pi_")
    assert page.recorded.dialogs == []
    assert page.recorded.violations == []
