"""The runner of the dashboard, against a node that really runs: results, errors at their line, keys, and hostile output."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Final

from yarl import URL

from tests.browser.browser import Browser
from tests.browser.dashboard import DESKTOP, Dashboard
from tests.browser.hostile import PAYLOADS, Witness, missing_in
from tests.e2e.account import SIGNING_CODE, Account
from tests.support.node import NodeProcess

CODE: Final = "Code (needed)"
PARAMETERS: Final = "Parameters (JSON)"
DONE: Final = "document.querySelector('main .badge.good, main .badge.bad') !== null"
EXAMPLES: Final = ("Sign a message", "Encrypt a text", "Decrypt it", "Sign a transaction with ethers")
"""Examples that need no other server."""
FAILING: Final = """async function main() {
  console.log("before");
  throw new Error("on purpose");
}
"""
PROTOTYPES: Final = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "toString": 1, "then": 1, "length": -1}'


async def run(dashboard: Dashboard, code: str, parameters: str = "{}") -> str:
    """Text that the page shows of a run."""
    page = dashboard.page
    await dashboard.go("runner")
    await page.fill(CODE, code)
    await page.fill(PARAMETERS, parameters)
    return await again(dashboard)


async def again(dashboard: Dashboard) -> str:
    """Runs what is in the editor, and returns what the page shows of it."""
    await dashboard.page.click("button", "Run")
    await dashboard.page.until(DONE)
    shown: str = await dashboard.page.value("document.querySelector('main').innerText")
    return shown


async def test_the_examples_run_as_they_are(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    account.wallet()
    await dashboard.sign_in(account.key)
    await dashboard.go("runner")
    for name in EXAMPLES:
        before = await page.value("document.querySelector('main textarea').value")
        await page.change("combobox", "Start from an example", name)
        await page.until(f"document.querySelector('main textarea').value !== {json.dumps(before)}")
        shown = await again(dashboard)
        assert "done" in shown, (name, shown)
        assert "$0.01" in shown
    assert "Not registered." in shown
    dashboard.assert_quiet()


async def test_an_error_is_shown_at_its_line(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    await dashboard.sign_in(account.key)
    shown = await run(dashboard, FAILING)
    assert "on purpose" in shown
    assert "before" in shown
    assert await page.value("document.querySelector('.editor-band').hidden") is False
    await page.click("button", "Go to line 3")
    at = "document.activeElement.value.slice(0, document.activeElement.selectionStart).split('\\n').length"
    assert await page.value(at) == 3
    await page.fill(CODE, "function main( {")
    assert "SyntaxError" in await again(dashboard)
    await page.fill(PARAMETERS, '{\n  "a": 1,\n  "b" 2\n}')
    await page.click("button", "Run")
    await page.until_shown("Line 3, column 7")
    dashboard.assert_quiet()


@contextlib.asynccontextmanager
async def cutting(node: NodeProcess) -> AsyncIterator[tuple[str, list[bytes]]]:
    """An address of the node behind something that closes the connection of the first run without an answer; the runs that it saw."""
    target, runs = URL(node.url), list[bytes]()
    kept: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept[asyncio.current_task()] = writer
        node_reader, node_writer = await asyncio.open_connection(target.host, target.port)
        with contextlib.closing(writer), contextlib.closing(node_writer):
            while head := await received(reader):
                node_writer.write(head)
                is_run = b"/svc_action " in head.partition(b"\r\n")[0]
                runs.extend([head] * is_run)
                answer = await received(node_reader)
                if is_run and len(runs) == 1:
                    return
                writer.write(answer)

    server = await asyncio.start_server(passed, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", runs
    finally:
        server.close()
        for writer in kept.values():
            writer.close()
        await asyncio.gather(*filter(None, kept))


async def received(reader: asyncio.StreamReader) -> bytes:
    """A whole message of HTTP; nothing at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
    return head + await reader.readexactly(int(length[1]) if length else 0)


async def test_a_run_that_the_browser_repeats_by_itself_is_paid_once(
    node: NodeProcess, browser: Browser, account: Account
) -> None:
    async with cutting(node) as (address, runs):
        dashboard = Dashboard(await browser.new_page(), address)
        await dashboard.open(DESKTOP)
        await dashboard.sign_in(account.key)
        before = account.client.get("billing/balance").ok()["credit_cents"]
        assert "done" in await run(dashboard, "function main() { return Math.random(); }")
        assert len(runs) == 2
        assert account.client.get("billing/balance").ok()["credit_cents"] == before - 1


async def test_another_key_runs_what_it_may_and_is_kept_nowhere(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    _, action = account.action(SIGNING_CODE)
    wallet = account.wallet()
    group = account.group(cid_hashes_permitted=[action], pkp_ids_permitted=[wallet])
    key = account.usage_key(execute_in_groups=[group]).key
    assert key is not None
    await dashboard.sign_in(account.key)
    await dashboard.go("runner")
    await page.change("combobox", "Run as", "other")
    await page.fill("Key", key)
    assert "done" in await run(dashboard, SIGNING_CODE, json.dumps({"wallet": wallet, "text": "hello"}))
    assert "Registered as action." in await page.value("document.querySelector('main').innerText")
    refused = await run(dashboard, SIGNING_CODE + "\n", json.dumps({"wallet": wallet, "text": "hello"}))
    assert "execute_in_groups" in refused
    sent = [each for each in page.recorded.requests if each.url.endswith("/svc_action")]
    assert {each.headers.get("X-Api-Key") for each in sent} == {key}
    assert key not in await dashboard.stored()
    assert key not in "\n".join([*page.recorded.addresses, *(each.url for each in page.recorded.requests)])
    await page.click("button", "Sign out")
    await page.until("document.querySelector('main h1').textContent === 'Sign in'")
    assert key not in await page.value("document.documentElement.outerHTML")
    dashboard.assert_quiet()


async def test_whatever_an_action_answers_is_text(dashboard: Dashboard, account: Account) -> None:
    page, witness = dashboard.page, Witness(dashboard.page)
    await witness.watch()
    await dashboard.sign_in(account.key)
    texts = json.dumps(PAYLOADS)
    for code in (
        f"const texts = {texts};\nfunction main() {{ for (const each of texts) console.log(each); return texts; }}",
        (
            f"const texts = {texts};\nfunction main() {{ console.log(texts.join('\\n')); const error = new Error(texts.join('\\n'));"
            " error.name = texts[1]; throw error; }"
        ),
        f"function main() {{ return {texts}.join('\\n'); }}",
    ):
        await run(dashboard, code)
        logs = await page.value(
            "[...document.querySelectorAll('main .output pre')].map((each) => each.textContent).join('\\n')"
        )
        shown = logs.replace('\\"', '"').replace("\\\\", "\\")
        assert missing_in(shown) == []
        await witness.assert_text_alone()
    for response in (PROTOTYPES, "[" * 200 + "]" * 200, "null", "false", '"\\u0000\\ud800"'):
        await run(dashboard, f"function main() {{ return JSON.parse({json.dumps(response)}) }}")
        await witness.assert_text_alone()
    assert "50,000 more characters" in await run(dashboard, "function main() { return 'x'.repeat(150_000) }")
    dashboard.assert_quiet()
