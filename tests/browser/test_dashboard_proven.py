"""The dashboard through `svc dashboard`: proven, the same as the node's own, and of use to no other page."""

import asyncio
import contextlib
import ipaddress
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from tests.browser.browser import Browser
from tests.browser.dashboard import DESKTOP, PAGES, Dashboard
from tests.browser.page import waited_for
from tests.e2e.account import Account
from tests.support.node import REPOSITORY, NodeProcess
from tests.support.verifying import VerifiableNode

TIMEOUT_S = 120
SVC = [sys.executable, "-m", "svc_client"]
WAITS = "async function main() { await new Promise((done) => setTimeout(done, 20_000)); }"
ALIVE_LATER = """const before = globalThis.fetch;
const allowed = new Promise((resolve) => (globalThis.answerAlive = resolve));
globalThis.fetch = async (input, init) => {
  if (String(input).endsWith("/alive")) await allowed;
  return before(input, init);
};"""
STORES = """Promise.all([indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations()])
  .then((found) => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, found.flat().length]))"""


@pytest.fixture(scope="module")
def profiles(node: NodeProcess, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user who has a profile of the node."""
    environment = {**os.environ, "SVC_CLIENT_FOLDER": str(tmp_path_factory.mktemp("profiles"))}
    verified = VerifiableNode(node)
    login = [*SVC, "login", verified.address.origin, *verified.arguments(), "--no-key"]
    subprocess.run(login, cwd=REPOSITORY, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
    return environment


@contextlib.contextmanager
def dashboards(profiles: dict[str, str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`svc dashboard` in front of the node: its origin and its process."""
    command = [*SVC, "dashboard", "--no-open", "--json"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=profiles, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"].removesuffix("/dashboard/"), process
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(TIMEOUT_S) in {0, -signal.SIGKILL}


@pytest.fixture(scope="module")
def proven(profiles: dict[str, str]) -> Iterator[str]:
    """The address of `svc dashboard` in front of the node."""
    with dashboards(profiles) as (origin, _):
        yield origin


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


async def test_each_run_has_an_origin_of_its_own(proven: str, profiles: dict[str, str]) -> None:
    with dashboards(profiles) as (origin, _):
        hosts = {urlsplit(each).hostname for each in (proven, origin)}
        assert len(hosts) == 2
        assert all(ipaddress.ip_address(str(each)).is_loopback for each in hosts)


@contextlib.asynccontextmanager
async def taking(origin: str) -> AsyncIterator[list[str]]:
    """Another user of the machine takes the address as soon as it is free, and answers whatever is asked; what that was."""
    asked: list[str] = []

    async def take(request: web.BaseRequest) -> web.Response:
        asked.append(f"{request.method} {request.raw_path} {dict(request.headers)} {await request.text()}")
        return web.Response(text="<!doctype html><title>theirs</title>", content_type="text/html")

    runner = web.ServerRunner(web.Server(take, access_log=None))
    await runner.setup()

    async def listen() -> bool:
        address = urlsplit(origin)
        try:
            await web.TCPSite(runner, str(address.hostname), address.port or 0, reuse_address=True).start()
        except OSError:
            return False
        asked.append("listening")
        return True

    listening = asyncio.create_task(waited_for(listen))
    try:
        yield asked
        await listening
    finally:
        listening.cancel()
        await runner.cleanup()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
async def test_who_listens_there_afterwards_gets_no_key(
    end: signal.Signals, profiles: dict[str, str], browser: Browser, account: Account
) -> None:
    """Another user of the machine takes the address, and answers whatever the page still asks."""
    with dashboards(profiles) as (origin, process):
        dashboard = Dashboard(await browser.new_page(), origin)
        await dashboard.open(DESKTOP)
        await dashboard.sign_in(account.key)
        await dashboard.page.until_shown("and every file of this page.")
        process.send_signal(end)
        process.wait(TIMEOUT_S)
        async with taking(origin) as asked:
            await dashboard.page.until_shown("svc dashboard has ended")
            # Everything that a page may do by itself at such events.
            await dashboard.page.value("dispatchEvent(new Event('online')), location.hash = '#/billing', undefined")
            assert account.key not in await dashboard.page.value("document.documentElement.outerHTML")
            await dashboard.page.open(f"{origin}/dashboard/")
            assert await dashboard.page.value("document.title") == "theirs"
            assert json.loads(await dashboard.page.value(STORES)) == [{}, {}, "", 0]
            for path in ("main.mjs", "app.mjs"):
                found = await dashboard.page.value(f"fetch('{_asset(dashboard, path)}').then((each) => each.text())")
                assert "theirs" in found, "a file of the run before was kept"
    assert len(asked) > 1
    assert account.key not in "".join(asked)


async def test_a_call_that_waits_for_its_answer_is_not_sent_again_to_who_listens_there(
    profiles: dict[str, str], browser: Browser, account: Account
) -> None:
    with dashboards(profiles) as (origin, process):
        dashboard = Dashboard(await browser.new_page(), origin)
        await dashboard.open(DESKTOP)
        await dashboard.sign_in(account.key)
        await dashboard.go("runner")
        await dashboard.page.fill("Code (needed)", WAITS)
        async with taking(origin) as asked:
            await dashboard.page.click("button", "Run")
            await dashboard.page.until_shown("Running")
            await waited_for(lambda: _asked_for(dashboard, "/svc_action"))
            process.send_signal(signal.SIGINT)
            await dashboard.page.until_shown("svc dashboard has ended")
            # Once the connections have closed too.
            await asyncio.to_thread(process.wait, TIMEOUT_S)
            await waited_for(lambda: _is_in("listening", asked))
            await dashboard.page.value("fetch('/mark', {method: 'POST'}).then(() => 0, () => 0)")
            await waited_for(lambda: _is_in("/mark", asked))
    assert account.key not in "".join(asked)


async def test_every_tab_forgets_the_key_however_many_there_are(
    profiles: dict[str, str], browser: Browser, account: Account
) -> None:
    """A browser opens six connections to an address: eight tabs, and one of them when the two that watch are closed."""
    with dashboards(profiles) as (origin, process):
        tabs = [Dashboard(await browser.new_page(), origin) for _ in range(8)]
        for tab in tabs:
            # The proof is not what the watch begins with.
            await tab.page.command("Network.setBlockedURLs", urls=["*/verified.json"])
            await tab.open(DESKTOP)
        last = tabs.pop()
        await last.sign_in(account.key)
        for tab in tabs[:3]:
            await tab.page.open("about:blank")
        await last.go("billing")
        process.send_signal(signal.SIGINT)
        await asyncio.to_thread(process.wait, TIMEOUT_S)
        for tab in (last, *tabs[3:]):
            await tab.page.until_shown("svc dashboard has ended")
        assert "Billing" not in await last.page.value("document.body.innerText")


async def test_no_key_is_asked_for_before_its_end_would_be_noticed(proven: str, browser: Browser) -> None:
    page = await browser.new_page()
    await page.before_scripts(ALIVE_LATER)
    dashboard = Dashboard(page, proven)
    await page.screen(*DESKTOP, mobile=False)
    await page.open(dashboard.address)
    await page.until_shown("Waiting for the server of this page")
    assert await page.value("document.querySelector('input')") is None
    await page.value("answerAlive(), undefined")
    await page.element("textbox", "Account key or usage key (needed)")


async def _asked_for(dashboard: Dashboard, path: str) -> bool:
    return any(each.url.endswith(path) for each in dashboard.page.recorded.requests)


async def _is_in(text: str, asked: list[str]) -> bool:
    return any(text in each for each in asked)


def _asset(dashboard: Dashboard, name: str) -> str:
    """The address from which the page had a file."""
    return next(each.url for each in dashboard.page.recorded.requests if each.url.endswith(f"/{name}"))
