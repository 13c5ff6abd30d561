"""Texts that strangers choose, each of which would run, load or lead elsewhere if a page took it for more than text."""

import re
from collections.abc import Sequence
from typing import Final

from tests.browser.page import BrowserPage

RAN: Final = "testRan"
"""The function that every payload tries to call."""
PAYLOADS: Final = (
    "<script>testRan('01')</script>",
    "<img src=x onerror=testRan('02')>",
    "<svg onload=testRan('03')>",
    "\"><img src=x onerror=testRan('04')>",
    "'><svg/onload=testRan(`05`)>",
    "javascript:testRan('06')",
    "</textarea><script>testRan('07')</script>",
    "</title><script>testRan('08')</script>",
    "</script><script>testRan('09')</script>",
    "<iframe srcdoc=\"<script>parent.testRan('10')</script>\"></iframe>",
    "<a href=\"javascript:testRan('11')\">11</a>",
    "<details open ontoggle=testRan('12')>",
    "<style>@import 'http://evil.example/13';</style>",
    "<link rel=stylesheet href=//evil.example/14>",
    "<meta http-equiv=refresh content='0;url=//evil.example/15'>",
    "<base href=//evil.example/16/>",
    "<form action=//evil.example/17><button autofocus>17",
    "<math><mtext><mglyph><style></math><img src onerror=testRan('18')>",
    "{{constructor.constructor(\"testRan('19')\")()}}",
    "${testRan('20')}",
    "`+testRan('21')+`",
    "__proto__",
    "constructor",
    "&lt;img src=x onerror=testRan('24')&gt;",
    "\\u003cimg src=x onerror=testRan('25')\\u003e",
    "%3Cscript%3EtestRan('26')%3C/script%3E",
    "<img src=\"data:image/svg+xml,<svg onload=testRan('27')>\">",
    "\" autofocus onfocus=testRan('28') x=\"",
    "data:text/html,<script>testRan('29')</script>",
    "<!--<img src=\"--><img src=x onerror=testRan('30')//\">",
    '=HYPERLINK("http://evil.example/31";"31")',
    "<noscript><p title=\"</noscript><img src=x onerror=testRan('32')>\">",
    "<object data=//evil.example/33></object><embed src=//evil.example/33>",
    "<video><source onerror=testRan('34')></video>",
    "\u202egpj.35\u2066<b>35</b>\u2069",
    "toString\u200b\u2028valueOf",
)
ORDER: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ELEMENTS: Final = """[...document.querySelectorAll("script, iframe, object, embed, base, style, link, meta, video, math, noscript, "
    + "[onerror], [onload], [onfocus], [ontoggle], [srcdoc], [style]:not(.editor-band), a[href^='javascript' i], a[href*='evil'], form[action], body b")]
  .filter((each) => each.closest("head") === null)
  .map((each) => each.outerHTML.slice(0, 300))"""
HEAD: Final = """[...document.head.children]
  .filter((each) => each.tagName !== "TITLE").map((each) => each.outerHTML).join("\\n")"""


class Witness:
    """Sees whether any text ran as a script, or became an element, in one page."""

    def __init__(self, page: BrowserPage) -> None:
        self._page = page
        self._head = ""
        self.ran: list[str] = []

    async def watch(self) -> None:
        """Watch from now on."""

        async def ran(payload: str) -> None:
            self.ran.append(payload)

        await self._page.expose(RAN, ran)
        self._head = await self._page.value(HEAD)

    async def assert_text_alone(self) -> None:
        """Nothing ran, nothing became an element, and the head is as it was."""
        assert self.ran == []
        assert await self._page.value(ELEMENTS) == []
        assert await self._page.value(HEAD) == self._head
        assert await self._page.value("Object.keys(Object.prototype).length") == 0
        assert self._page.recorded.dialogs == []
        assert not ORDER.search(await self._page.value("document.body.textContent"))

    async def missing(self, texts: Sequence[str] = PAYLOADS) -> list[str]:
        """Texts that the page does not show (see `missing_in`)."""
        shown = await self._page.value(
            "document.body.textContent + [...document.querySelectorAll('input, textarea')].map((each) => each.value).join(' ')"
        )
        return missing_in(shown, texts)


def missing_in(shown: str, texts: Sequence[str] = PAYLOADS) -> list[str]:
    """Texts that are not shown as they are, but for the characters that change the order of others."""
    return [text for text in texts if text not in shown and ORDER.sub("\ufffd", text) not in shown]
