"""The dashboard in a browser: signing in, going to pages, and what must hold whatever was done."""

import json
from pathlib import Path
from typing import Any, Final

from tests.browser.page import BrowserPage
from tests.support.node import REPOSITORY

DESKTOP: Final = (1280, 900)
PHONE: Final = (390, 844)
PAGES: Final = {
    "overview": "Overview",
    "keys": "Usage keys",
    "groups": "Groups",
    "actions": "Actions",
    "wallets": "Wallets",
    "runner": "Runner",
    "billing": "Billing",
    "chain": "ChainSecured",
}
"""Route and name of every page in the navigation."""
AXE: Final = REPOSITORY / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS: Final = """axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  found.violations.map((rule) => `${rule.id}: ${rule.help}: ${rule.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`))"""
IDLE: Final = """document.querySelector("main h1") !== null
  && document.querySelector("main [aria-busy=true], main .loading, dialog [aria-busy=true]") === null"""
"""A page is shown and waits for nothing."""
WIDER: Final = """[...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && each.getBoundingClientRect().width > 1)
  .filter((each) => ![...ancestors(each)].some((box) => ["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)))
  .map((each) => `${each.tagName}.${each.className} ${Math.round(each.getBoundingClientRect().right)}`)"""
ANCESTORS: Final = """function* ancestors(each) { for (let box = each.parentElement; box !== null && box !== document.body; box = box.parentElement) yield box }"""
"""Elements that reach beyond the screen. What scrolls inside its own box does not."""


class Dashboard:
    """A tab with the dashboard of a node."""

    def __init__(self, page: BrowserPage, url: str) -> None:
        self.page = page
        self.url = url

    @property
    def address(self) -> str:
        """Path of the dashboard."""
        return f"{self.url}/dashboard/"

    async def open(self, screen: tuple[int, int] = DESKTOP, fragment: str = "") -> None:
        """Open it on a screen of this size."""
        await self.page.screen(*screen, mobile=screen == PHONE)
        await self.page.open(self.address + fragment)
        await self.page.until(IDLE)

    async def sign_in(self, key: str, *, keep: bool = False) -> None:
        """Sign in with a key."""
        await self.page.fill("Account key or usage key (needed)", key)
        if keep:
            await self.page.click("checkbox", "Keep it until this tab is closed")
        await self.page.click("button", "Sign in")
        await self.page.element("button", "Sign out")
        await self.page.until(IDLE)

    async def go(self, name: str) -> None:
        """Go to a page by its link."""
        if await self.page.value("getComputedStyle(document.querySelector('nav')).display") == "none":
            await self.page.click("button", "Menu")
        await self.page.click("link", PAGES[name])
        # The page before stays in sight until the next one is there.
        await self.page.until(f"document.querySelector('main h1')?.textContent === {json.dumps(PAGES[name])}")
        await self.page.until(IDLE)

    async def accessibility_faults(self) -> Any:
        """The rules of axe-core that the page as it is now breaks."""
        return await self.page.isolated(AXE.read_text(), VIOLATIONS)

    async def too_wide(self) -> Any:
        """The elements that are wider than the screen."""
        return await self.page.value(f"(() => {{ {ANCESTORS}; return {WIDER} }})()")

    def assert_quiet(self, *errors: str) -> None:
        """Nobody else was asked for anything, no policy was violated and nothing was thrown."""
        recorded = self.page.recorded
        assert recorded.origins() <= {self.url}, recorded.origins()
        assert recorded.violations == []
        assert recorded.errors == list(errors)
        assert recorded.dialogs == []

    async def stored(self) -> Any:
        """All that the page keeps in the browser, and its history's addresses."""
        return await self.page.value(
            "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, history.state])"
        )

    async def picture(self, folder: Path, name: str) -> None:
        """Write a picture of the page when everything on it is there."""
        await self.page.until("document.querySelector('main .loading') === null")
        folder.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(folder / f"{name}.png")
