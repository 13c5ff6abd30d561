"""The API page: what it costs to open it, and on the screen of a telephone that nothing is wider than the screen."""

import pytest_asyncio

from tests.browser.browser import Browser
from tests.browser.page import BrowserPage
from tests.support.node import NodeProcess

WIDTH, HEIGHT = 390, 844
OPERATION = ".opblock[id$='{operation}']"
WIDER = f"""
[...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > {WIDTH} && !each.closest("pre, textarea"))
  .map((each) => `${{each.tagName}} ${{each.className}} ${{Math.round(each.getBoundingClientRect().right)}}`)
"""
"""Elements that reach beyond the screen. What scrolls inside its own box does not."""

# A list, one with a body, one with a long path and a long example, one with parameters in its path.
OPERATIONS = (
    "get_list_wallets",
    "post_svc_action",
    "post_add_usage_api_key_with_signature",
    "get_evidences_set_name_name",
)


@pytest_asyncio.fixture
async def page(node: NodeProcess, browser: Browser) -> BrowserPage:
    opened = await browser.new_page()
    await opened.screen(WIDTH, HEIGHT, mobile=True)
    await opened.open(f"{node.api}/swagger-ui")
    await opened.until("document.querySelectorAll('.opblock').length")
    return opened


async def assert_fits(page: BrowserPage) -> None:
    assert await page.value(WIDER) == []
    assert await page.value("document.documentElement.scrollWidth") == WIDTH


async def test_the_page_is_sent_compressed_and_once(node: NodeProcess, browser: Browser) -> None:
    opened = await browser.new_page()
    visits = []
    for _ in range(2):
        before = opened.recorded.bytes_from(node.url)
        await opened.open(f"{node.api}/swagger-ui")
        await opened.until("document.querySelectorAll('.opblock').length")
        visits.append(opened.recorded.bytes_from(node.url) - before)
    first, second = visits
    assert 0 < first < 600_000
    assert 0 < second < 10_000
    assert opened.recorded.errors == opened.recorded.refused == opened.recorded.violations == []


async def test_the_page_fits_with_operations_open_and_an_answer_shown(page: BrowserPage) -> None:
    await assert_fits(page)
    for operation in OPERATIONS:
        block = OPERATION.format(operation=operation)
        await page.value(f"""document.querySelector("{block} .opblock-summary-control").click()""")
        await page.until(f"""document.querySelector("{block} .responses-table")""")
        await assert_fits(page)
    for operation in OPERATIONS[:2]:
        block = OPERATION.format(operation=operation)
        await page.value(f"""document.querySelector("{block} .execute").click()""")
        await page.until(f"""document.querySelector("{block} .live-responses-table .response-col_status")""")
        await assert_fits(page)


async def test_the_dialog_for_keys_fits(page: BrowserPage) -> None:
    await page.value("document.querySelector('.btn.authorize').click()")
    await page.until("document.querySelector('.modal-ux .auth-container')")
    await assert_fits(page)
