"""The dashboard among strangers: other origins, frames, openers, messages and addresses have no hold on it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.browser.browser import Browser
from tests.browser.dashboard import IDLE, Dashboard
from tests.browser.hostile import PAYLOADS, Witness
from tests.browser.page import BrowserPage
from tests.e2e.account import Account
from tests.support.node import NodeProcess

READ = """fetch("{url}").then((answer) => answer.text(), () => "refused")"""
SINKS = {
    "inline script": "(() => { const made = document.createElement('script'); made.textContent = \"testRan('ran')\"; document.body.append(made) })()",
    "script of a blob": "(() => { const made = document.createElement('script'); made.src = URL.createObjectURL(new Blob([\"testRan('ran')\"])); document.body.append(made) })()",
    "markup": "document.body.innerHTML = \"<img src=x onerror=testRan('ran')>\"",
    "adjacent markup": "document.body.insertAdjacentHTML('beforeend', \"<img src=x onerror=testRan('ran')>\")",
    "written document": "document.write(\"<script>testRan('ran')</script>\")",
    "parsed fragment": "document.createRange().createContextualFragment(\"<img src=x onerror=testRan('ran')>\")",
    "handler in text": "document.body.setAttribute('onclick', \"testRan('ran')\"), document.body.click()",
    "timer of text": "setTimeout(\"testRan('ran')\", 0)",
    "link that is a script": "(() => { const made = document.createElement('a'); made.href = \"javascript:testRan('ran')\"; document.body.append(made); made.click() })()",
    "frame": "(() => { const made = document.createElement('iframe'); made.src = 'data:text/html,1'; document.body.append(made) })()",
    "inline style": "(() => { const made = document.createElement('style'); made.textContent = 'body { display: none }'; document.head.append(made) })()",
    "worker": "new Worker(URL.createObjectURL(new Blob([''])))",
    "another origin": "fetch('http://evil.example/').catch(() => undefined)",
    "picture of another origin": "new Image().src = 'http://evil.example/'",
    "form": "(() => { const made = document.createElement('form'); made.action = 'http://evil.example/'; document.body.append(made); made.submit() })()",
    "base": "(() => { const made = document.createElement('base'); made.href = 'http://evil.example/'; document.head.append(made) })()",
}
"""Ways by which injected content would run or reach out, if a fault of the page ever let it in."""


@pytest_asyncio.fixture
async def stranger() -> AsyncIterator[TestServer]:
    """A server of another origin on loopback, with an empty page."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="<!doctype html><title>stranger</title>", content_type="text/html")

    application = web.Application()
    application.router.add_get("/", answer)
    server = TestServer(application)
    async with server:
        yield server


@pytest_asyncio.fixture
async def foreign(stranger: TestServer, browser: Browser) -> BrowserPage:
    """A page of the other origin."""
    page = await browser.new_page()
    await page.open(str(stranger.make_url("/")))
    return page


async def test_no_other_page_frames_it(node: NodeProcess, foreign: BrowserPage) -> None:
    frame = f"Object.assign(document.createElement('iframe'), {{ src: '{node.url}/dashboard/' }})"
    await foreign.value(
        f"new Promise((done) => {{ const made = {frame}; made.onload = done; document.body.append(made) }})"
    )
    frames = (await foreign.command("Page.getFrameTree"))["frameTree"]["childFrames"]
    assert [each["frame"]["url"] for each in frames] == ["chrome-error://chromewebdata/"]


@pytest.mark.parametrize("path", ["/dashboard/", "/dashboard/manifest.json"])
async def test_no_other_page_reads_its_files(node: NodeProcess, foreign: BrowserPage, path: str) -> None:
    assert await foreign.value(READ.format(url=node.url + path)) == "refused"


async def test_an_opener_and_the_dashboard_have_no_hold_on_each_other(
    node: NodeProcess, foreign: BrowserPage, browser: Browser
) -> None:
    await foreign.value(f"globalThis.opened = open('{node.url}/dashboard/'), undefined")
    opened = await browser.page(lambda page: page != foreign)
    await opened.until(IDLE)
    assert await opened.value("[opener, name]") == [None, ""]
    assert await foreign.value("opened.closed"), "the opener still holds the window"


async def test_it_listens_to_no_messages(dashboard: Dashboard, account: Account) -> None:
    await dashboard.sign_in(account.key)
    found = await dashboard.page.command(
        "Runtime.evaluate",
        expression="Object.keys(getEventListeners(window))",
        includeCommandLineAPI=True,
        returnByValue=True,
    )
    listened = set(found["result"]["value"])
    assert "hashchange" in listened
    assert not listened & {"message", "storage", "messageerror", "beforeunload"}


async def test_the_policy_stops_what_a_fault_would_let_in(dashboard: Dashboard) -> None:
    page, witness = dashboard.page, Witness(dashboard.page)
    await witness.watch()
    not_stopped = []
    for name, script in SINKS.items():
        await dashboard.open()
        page.recorded.violations.clear()
        page.recorded.requests.clear()
        await page.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        await page.value("new Promise((done) => setTimeout(done, 100))")
        own = (f"{dashboard.url}/", "blob:", "data:")
        sent = [each for each in page.recorded.requests if each.request_id not in page.recorded.blocked]
        reached = [each.url for each in sent if not each.url.startswith(own)]
        if witness.ran or reached or not page.recorded.violations:
            not_stopped.append((name, list(witness.ran), reached))
        witness.ran.clear()
    assert not_stopped == []


async def test_an_address_chooses_a_page_and_nothing_else(dashboard: Dashboard, account: Account) -> None:
    page, witness = dashboard.page, Witness(dashboard.page)
    await witness.watch()
    addresses = (*PAYLOADS, "../../evil", "//evil.example/", "keys/../../x", "x" * 10_000, "%", "%E0%A4%A")
    for form in ("#/{}", "#{}", "#/keys/{}"):
        for payload in addresses:
            await page.value(f"location.hash = {json.dumps(form.format(payload))}, undefined")
    await dashboard.sign_in(account.key)
    for payload in addresses:
        await page.value(f"location.hash = {json.dumps(f'#/chain/{payload}')}, undefined")
    await page.until("document.querySelector('main h1').textContent === 'ChainSecured'")
    await page.until(IDLE)
    await witness.assert_text_alone()
    dashboard.assert_quiet()


def stated(provider: str, **info: Any) -> str:
    """A script that announces a wallet."""
    detail = f"{{ info: {json.dumps(info)}, provider: {provider} }}"
    return f"addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {{ detail: {detail} }})))"


REJECTING = "{ request: () => Promise.reject(Object.assign(new Error(\"<img src=x onerror=testRan('message')>\"), { code: 4001 })) }"
ICONS = (
    "javascript:testRan('icon')",
    "http://evil.example/icon.png",
    "//evil.example/icon.png",
    "data:text/html,<script>testRan('icon')</script>",
    (
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='testRan(1)'><script>testRan(2)</script>"
        "<image href='http://evil.example/x.png'/></svg>"
    ),
    "x" * 1_000_000,
)
"""Icons that would run or load something; the pictures of the specification are `data:` URIs (EIP-6963)."""


async def test_a_hostile_wallet_is_a_name_and_a_picture(node: NodeProcess, browser: Browser) -> None:
    page = await browser.new_page()
    dashboard, witness = Dashboard(page, node.url), Witness(page)
    for number, icon in enumerate(ICONS):
        await page.before_scripts(stated(REJECTING, uuid=f"icon-{number}", name=f"icon {number}", icon=icon, rdns="x"))
    for number, name in enumerate(PAYLOADS[:12]):
        await page.before_scripts(stated(REJECTING, uuid=f"name-{number}", name=name, icon="", rdns=name))
    for detail in (
        "null",
        "{ info: null, provider: null }",
        "{ info: { uuid: 1, name: {} }, provider: { request: 1 } }",
    ):
        await page.before_scripts(
            f"addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {{ detail: {detail} }})))"
        )
    await dashboard.open()
    await witness.watch()
    await page.click("button", "Connect a wallet")
    await page.until_shown("icon 5")
    shown = await page.value("document.querySelector('dialog').textContent")
    assert [name for name in PAYLOADS[:12] if name[:64] not in shown] == []
    await page.click("button", PAYLOADS[1])
    await page.until("document.querySelector('.toast')?.textContent.includes('declined in the wallet')")
    await witness.assert_text_alone()
    dashboard.assert_quiet()
