"""A node and a Chromium for all tests of this folder; each test has a browser with storage of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.browser.browser import Browser, fresh_browser
from tests.browser.chromium import running_chromium
from tests.browser.dashboard import Dashboard
from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.support.client import Client
from tests.support.node import NodeProcess, running_node

UNHURRIED = {
    "SVC_ATTESTATION_NONCES_PER_MINUTE_PER_ADDRESS": "1000000",
    "SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "100000",
    "SVC_EXPLAIN_PER_MINUTE_PER_ACCOUNT": "1000000",
    "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ACCOUNT": "1000000",
    "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ADDRESS": "1000000",
}


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("data"), UNHURRIED) as running:
        yield running


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_chromium(tmp_path_factory.mktemp("profile")) as url:
        yield url


@pytest.fixture(scope="session")
def anonymous(node: NodeProcess) -> Client:
    return client_of(node)


@pytest.fixture
def account(anonymous: Client) -> Account:
    return new_account(anonymous)


@pytest_asyncio.fixture
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with fresh_browser(chromium) as opened:
        yield opened


@pytest_asyncio.fixture
async def dashboard(node: NodeProcess, browser: Browser) -> Dashboard:
    """The dashboard on the screen of a desktop, signed out; at the end it must have asked nobody else for anything."""
    opened = Dashboard(await browser.new_page(), node.url)
    await opened.open()
    return opened
