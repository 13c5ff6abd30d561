"""A browser with storage of its own: its pages, those that pages open, and what they download."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from tests.browser.devtools import Connection, connected
from tests.browser.page import BrowserPage, waited_for


class Browser:
    """Pages of one person: they share storage with each other and with nobody else."""

    def __init__(self, connection: Connection, context: str) -> None:
        self._connection = connection
        self._context = context
        self.pages: list[BrowserPage] = []
        """In the order in which they opened, those that a page opened itself among them."""

    async def new_page(self) -> BrowserPage:
        """An empty page."""
        browser = self._connection.session()
        made = await browser.command("Target.createTarget", url="about:blank", browserContextId=self._context)
        return await self.page(lambda page: page.target_id == made["targetId"])

    async def page(self, fits: Callable[[BrowserPage], bool]) -> BrowserPage:
        """The page that fits, once it is open."""

        async def look() -> list[BrowserPage]:
            return [each for each in self.pages if fits(each)]

        return (await waited_for(look))[0]

    async def download_to(self, folder: Path) -> None:
        """Put what pages download into a folder."""
        await self._connection.session().command(
            "Browser.setDownloadBehavior",
            behavior="allow",
            browserContextId=self._context,
            downloadPath=str(folder),
            eventsEnabled=True,
        )

    def attached(self, event: dict[str, Any]) -> None:
        """A target has opened and waits: record it from its first request on."""
        info = event["targetInfo"]
        if info["type"] == "page" and info.get("browserContextId") == self._context:
            self._connection.run(self._begin(event["sessionId"], info["targetId"]))
        else:
            # The browser's own and workers: a page may wait for them.
            session = self._connection.session(event["sessionId"])
            self._connection.run(session.command("Runtime.runIfWaitingForDebugger"))

    async def _begin(self, session_id: str, target_id: str) -> None:
        page = BrowserPage(self._connection.session(session_id), target_id, self._connection)
        await page.record()
        self.pages.append(page)


@contextlib.asynccontextmanager
async def fresh_browser(url: str) -> AsyncIterator[Browser]:
    """A browser with storage of its own in the Chromium at this DevTools address."""
    async with connected(url) as connection:
        session = connection.session()
        context = (await session.command("Target.createBrowserContext"))["browserContextId"]
        browser = Browser(connection, context)
        session.on("Target.attachedToTarget", browser.attached)
        await session.command("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        try:
            yield browser
        finally:
            await session.command("Target.disposeBrowserContext", browserContextId=context)


async def downloaded(folder: Path) -> Path:
    """The one file in a folder, once it is complete."""

    async def look() -> list[Path]:
        return [each for each in folder.iterdir() if each.suffix != ".crdownload"]

    found = await waited_for(look)
    assert len(found) == 1, found
    return found[0]
