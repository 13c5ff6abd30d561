"""Card payments: on a page of their own, which gets the payment's client secret and no key."""

import json

import pytest

from node.values import keccak256
from tests.browser.browser import Browser
from tests.browser.dashboard import Dashboard
from tests.browser.page import BrowserPage, waited_for
from tests.e2e.account import Account, new_account
from tests.support.client import Client
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


PAY = "[...document.querySelectorAll('button')].some((each) => each.textContent === 'Pay')"
FOREIGN = "names a payment that was not begun in this tab"


async def to_the_processor(paying: BrowserPage) -> None:
    """Pay with a card for which the processor asks the customer on a page of its own."""
    await paying.fill("Card number", "4000 0027 6000 3184")
    await paying.click("button", "Pay")
    await paying.until("location.pathname.endsWith('/authorise')")


async def test_it_says_whose_credit_is_bought_as_text(
    node: NodeProcess, dashboard: Dashboard, browser: Browser, anonymous: Client
) -> None:
    name = "<img src=x onerror=alert(1)>\u202eA"
    made = anonymous.post("new_account", {"account_name": name}).ok()
    theirs = Account(anonymous.with_key(made["api_key"]), made["api_key"], made["wallet_address"])
    paying = await begun(dashboard, browser, theirs, "75")
    shown = await paying.value("document.getElementById('pay').innerText")
    account = f"0x{keccak256(theirs.key.encode()).hex()}"
    assert f"Credit of account {account}, named <img src=x onerror=alert(1)>" in shown
    assert "\u202e" not in shown
    assert await paying.value("document.querySelector('#pay img')") is None
    assert paying.recorded.dialogs == []


async def test_nothing_but_a_payment_is_taken_from_the_command(node: NodeProcess, browser: Browser) -> None:
    """The node has no `payment.json`: its answer holds no payment."""
    page = await browser.new_page()
    await page.open(f"{node.url}/dashboard/pay.html#command")
    await page.until_shown("No payment was handed over at this address.")
    assert not await page.value(PAY)
    assert [each.url for each in page.recorded.requests if "client_secret" in each.url] == []


@pytest.mark.parametrize("is_paying", [False, True], ids=["in a new tab", "in a tab that pays another one"])
async def test_a_link_to_somebody_else_s_payment_shows_nothing_of_it(
    is_paying: bool, node: NodeProcess, dashboard: Dashboard, browser: Browser, account: Account, anonymous: Client
) -> None:
    theirs = new_account(anonymous).client.post("billing/create_payment_intent", {"amount_cents": 99_900}).ok()
    page = await begun(dashboard, browser, account, "75") if is_paying else await browser.new_page()
    if is_paying:
        await to_the_processor(page)
    secret, intent = theirs["client_secret"], theirs["payment_intent_id"]
    query = f"payment_intent={intent}&payment_intent_client_secret={secret}&redirect_status=succeeded"
    asked = len(page.recorded.requests)
    await page.open(f"{node.url}/dashboard/pay.html?{query}")
    await page.until_shown(FOREIGN)
    await page.click("button", "Try again")
    await page.element("button", "Go on")
    assert not await page.value(PAY)
    assert "999" not in await page.value("document.body.innerText")
    assert secret not in await page.value("location.href")
    processor = node.log_value("processor")
    assert not [
        each for each in page.recorded.requests[asked:] if each.url.startswith(f"{processor}/v1/payment_intents")
    ]


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("Authorise", "The payment succeeded."),
        ("Leave it under way", "The payment is being processed."),
        ("Fail", "The payment was not completed, and nothing was charged."),
    ],
)
async def test_back_from_the_processor_s_page_it_shows_the_end_and_cannot_pay(
    choice: str, says: str, dashboard: Dashboard, browser: Browser, account: Account
) -> None:
    paying = await begun(dashboard, browser, account, "75")
    await to_the_processor(paying)
    await paying.click("button", choice)
    # The page comes back: for a moment its document has no body.
    await paying.until("document.querySelector('#pay .notice')")
    await paying.until_shown(says)
    assert not await paying.value(PAY)
    assert "Credit of account 0x" in await paying.value("document.body.innerText")
    assert await paying.value("[location.search, {...sessionStorage}, {...localStorage}]") == ["", {}, {}]
    if choice == "Authorise":
        await dashboard.page.until_shown("$75.00 was added to the credit.")


async def test_without_a_payment_it_asks_for_a_code(node: NodeProcess, browser: Browser) -> None:
    page = await browser.new_page()
    await page.open(f"{node.url}/dashboard/pay.html#svc-payment-{'0' * 32}")
    await page.fill("Payment code (needed)", "<img src=x onerror=alert(1)>")
    await page.click("button", "Go on")
    await page.until_shown("A payment code begins with pi_")
    assert page.recorded.dialogs == []
    assert page.recorded.violations == []
