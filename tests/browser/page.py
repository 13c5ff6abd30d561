"""Page of a browser as a person uses it: found by role and name, clicked, typed into; and all that it asked for."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.browser.devtools import CommandError, Connection, Session

T = TypeVar("T")
WAIT_TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.05
KEYS: Final[dict[str, tuple[str, int, str]]] = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Space": ("Space", 32, " "),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
}
"""Code, virtual key code and text of the keys that tests press."""
MODIFIERS: Final = {"": 0, "Control": 2, "Shift": 8}
CHANGE: Final = """function (value) {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), "value");
  own.set.call(this, value);
  this.dispatchEvent(new Event("input", { bubbles: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
}"""
"""Set what cannot be typed: a date, an option."""


ENABLED: Final = """function () {
  return this.disabled !== true && this.getAttribute("aria-disabled") !== "true";
}"""


@dataclass(frozen=True)
class Asked:
    """A request of the page."""

    method: str
    url: str
    headers: dict[str, str]
    body: str
    request_id: str = ""


@dataclass
class Recorded:
    """All that a page asked for and complained of since it was opened."""

    requests: list[Asked] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)
    """The ids of requests that the browser never sent, because a policy forbids them."""
    received: dict[str, int] = field(default_factory=dict)
    """Bytes on the wire, headers among them, by request id."""
    addresses: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    """Reports of the Content-Security-Policy, trusted types among them."""
    errors: list[str] = field(default_factory=list)
    """Exceptions that nothing caught, and errors and warnings on the console."""
    refused: list[str] = field(default_factory=list)
    """Lines that the browser wrote on its console for responses of status 400 and above."""

    def bytes_from(self, url: str) -> int:
        """The bytes on the wire, headers among them, of what was asked for below an address."""
        return sum(self.received.get(each.request_id, 0) for each in self.requests if each.url.startswith(url))

    def origins(self) -> set[str]:
        """The origins of all requests over the network."""
        return {
            "/".join(each.url.split("/")[:3]) for each in self.requests if not each.url.startswith(("data:", "blob:"))
        }


async def waited_for(look: Callable[[], Awaitable[T]], timeout_s: float = WAIT_TIMEOUT_S) -> T:
    """Returns what this finds, once it is anything. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not (found := await look()):  # noqa: ASYNC110 - pages, processes and folders tell nobody
            await asyncio.sleep(POLL_S)
    return found


class BrowserPage:
    """A page: what it shows is asked for in JavaScript, what a person does is done by role and name."""

    def __init__(self, session: Session, target_id: str, connection: Connection) -> None:
        self.session = session
        self.target_id = target_id
        self.recorded = Recorded()
        self.connection = connection

    async def command(self, method: str, **parameters: object) -> Any:
        """The result of a DevTools command."""
        return await self.session.command(method, **parameters)

    async def record(self) -> None:
        """Record from now on, and let a page run that waits for it."""
        session, recorded = self.session, self.recorded
        session.on("Network.requestWillBeSent", self._asked)
        session.on(
            "Network.webSocketCreated", lambda event: recorded.requests.append(Asked("WS", event["url"], {}, ""))
        )
        session.on("Network.loadingFinished", self._received)
        session.on("Network.loadingFailed", self._failed)
        session.on("Page.frameNavigated", lambda event: recorded.addresses.append(_address(event["frame"])))
        session.on("Page.navigatedWithinDocument", lambda event: recorded.addresses.append(event["url"]))
        session.on("Page.javascriptDialogOpening", self._dialog)
        session.on("Audits.issueAdded", self._issue)
        session.on("Runtime.exceptionThrown", lambda event: recorded.errors.append(json.dumps(event)))
        session.on("Runtime.consoleAPICalled", self._console)
        session.on("Log.entryAdded", self._log)
        domains = ("Network", "Page", "Runtime", "Log", "Audits", "DOM", "Accessibility")
        # Together: a page that waits to be run answers some of them only then.
        commands = (*(f"{domain}.enable" for domain in domains), "Runtime.runIfWaitingForDebugger")
        await asyncio.gather(*(self.command(method) for method in commands))

    def _asked(self, event: dict[str, Any]) -> None:
        request = event["request"]
        self.recorded.requests.append(
            Asked(
                request["method"], request["url"], request["headers"], request.get("postData", ""), event["requestId"]
            )
        )

    def _failed(self, event: dict[str, Any]) -> None:
        if event.get("blockedReason") == "csp":
            self.recorded.blocked.add(event["requestId"])

    def _received(self, event: dict[str, Any]) -> None:
        self.recorded.received[event["requestId"]] = int(event["encodedDataLength"])

    def _dialog(self, event: dict[str, Any]) -> None:
        self.recorded.dialogs.append(event["message"])
        self.connection.run(self.command("Page.handleJavaScriptDialog", accept=True))

    def _issue(self, event: dict[str, Any]) -> None:
        if event["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.recorded.violations.append(json.dumps(event["issue"]["details"]))

    def _console(self, event: dict[str, Any]) -> None:
        if event["type"] in {"error", "warning", "assert"}:
            self.recorded.errors.append(json.dumps(event["args"]))

    def _log(self, event: dict[str, Any]) -> None:
        entry = event["entry"]
        # A refused call is said in the page and not on its console; the browser writes every 4xx there by itself.
        if entry["level"] in {"error", "warning"}:
            found = self.recorded.refused if entry["source"] == "network" else self.recorded.errors
            found.append(json.dumps(entry))

    async def value(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        found = await self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str, timeout_s: float = WAIT_TIMEOUT_S) -> None:
        """Wait until an expression is true."""
        try:
            await waited_for(lambda: self.value(f"Boolean({expression})"), timeout_s)
        except TimeoutError:
            shown = await self.value("document.body.innerText")
            raise AssertionError(f"never true: {expression}\nshown:\n{shown}\n{self.recorded.errors}") from None

    async def until_shown(self, text: str, timeout_s: float = WAIT_TIMEOUT_S) -> None:
        """Wait until the page shows a text."""
        await self.until(f"document.body?.innerText.includes({json.dumps(text)})", timeout_s)

    async def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""
        loaded = asyncio.get_running_loop().create_future()
        self.session.on("Page.loadEventFired", lambda _: None if loaded.done() else loaded.set_result(None))
        await self.command("Page.navigate", url=url)
        async with asyncio.timeout(WAIT_TIMEOUT_S):
            await loaded

    async def screen(self, width: int, height: int, *, mobile: bool) -> None:
        """Take the size of a screen."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        await self.command("Emulation.setDeviceMetricsOverride", **screen)

    async def prefer(self, **features: str) -> None:
        """Prefer what media queries ask for: `color_scheme="dark"`, `reduced_motion="reduce"`."""
        named = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        await self.command("Emulation.setEmulatedMedia", features=named)

    async def cut_network(self, *, cut: bool = True) -> None:
        """Cut the page off the network, or connect it again."""
        rates = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        await self.command("Network.emulateNetworkConditions", offline=cut, **rates)

    async def find(self, role: str, name: str, within: int | None = None) -> int | None:
        """The element of this role and accessible name that is shown, in the document or in an element; the last of several."""
        if within is None:
            root = (await self.command("Runtime.evaluate", expression="document"))["result"]
        else:
            root = (await self.command("DOM.resolveNode", backendNodeId=within))["object"]
        tree = await self.command(
            "Accessibility.queryAXTree", objectId=root["objectId"], accessibleName=name, role=role
        )
        nodes = [node["backendDOMNodeId"] for node in tree["nodes"] if not node["ignored"]]
        return int(nodes[-1]) if nodes else None

    async def element(self, role: str, name: str, within: str | None = None) -> int:
        """The element of this role and accessible name, once it is shown; in the fieldset with the title `within`."""
        # A tab behind another one has no tree to search, and takes no clicks.
        await self.command("Page.bringToFront")
        group = None if within is None else await self.element("group", within)
        try:
            found = await waited_for(lambda: self.find(role, name, group))
        except TimeoutError:
            raise AssertionError(f"no {role} {name!r} in:\n{await self.value('document.body.innerText')}") from None
        assert found is not None
        return found

    async def of_element(self, element: int, function: str, *arguments: object) -> Any:
        """The result of a JavaScript function whose `this` is the element."""
        resolved = await self.command("DOM.resolveNode", backendNodeId=element)
        called = await self.command(
            "Runtime.callFunctionOn",
            objectId=resolved["object"]["objectId"],
            functionDeclaration=function,
            arguments=[{"value": each} for each in arguments],
            returnByValue=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in called, called
        return called["result"].get("value")

    async def click(self, role: str, name: str, within: str | None = None) -> None:
        """Click it with the mouse: nothing may lie above it, and it must be enabled."""
        try:
            await self._click(role, name, within)
        except CommandError:
            # The page was drawn again between looking and clicking.
            await self._click(role, name, within)

    async def _click(self, role: str, name: str, within: str | None) -> None:
        element = await self.element(role, name, within)
        try:
            await waited_for(lambda: self.of_element(element, ENABLED))
        except TimeoutError:
            raise AssertionError(f"{role} {name!r} is never enabled") from None
        await self.click_element(element)

    async def click_element(self, element: int) -> None:
        """Click an element in its middle."""
        await self.command("DOM.scrollIntoViewIfNeeded", backendNodeId=element)
        quads = (await self.command("DOM.getContentQuads", backendNodeId=element))["quads"]
        x, y = sum(quads[0][0::2]) / 4, sum(quads[0][1::2]) / 4
        above = await self.of_element(
            element,
            """function (x, y) {
              const hit = document.elementFromPoint(x, y);
              return hit === this || this.contains(hit) || [...(this.labels ?? [])].some((each) => each.contains(hit))
                ? "" : hit === null ? "nothing" : hit.outerHTML.slice(0, 200);
            }""",
            x,
            y,
        )
        assert above == "", f"something lies above it: {above}"
        for kind in ("mousePressed", "mouseReleased"):
            await self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def fill(self, name: str, text: str, role: str = "textbox") -> None:
        """Replace the text of a field by its label."""
        element = await self.element(role, name)
        await self.command("DOM.focus", backendNodeId=element)
        await self.of_element(element, "function () { this.select() }")
        await self.command("Input.insertText", text=text) if text else await self.press("Backspace")

    async def change(self, role: str, name: str, value: str) -> None:
        """Set the value of a field that nobody types: a date, an option of a list."""
        await self.of_element(await self.element(role, name), CHANGE, value)

    async def press(self, key: str, modifier: str = "") -> None:
        """Press and release a key."""
        code, number, text = KEYS.get(key, (key, 0, ""))
        common = {"key": " " if key == "Space" else key, "code": code, "windowsVirtualKeyCode": number}
        common |= {"modifiers": MODIFIERS[modifier]}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        await self.command("Input.dispatchKeyEvent", **down, **common)
        await self.command("Input.dispatchKeyEvent", type="keyUp", **common)

    async def type(self, text: str) -> None:
        """Type into what has the focus."""
        await self.command("Input.insertText", text=text)

    async def focused(self) -> str:
        """Role and name of what has the focus, as a screen reader says it."""
        found = await self.command("Runtime.evaluate", expression="document.activeElement")
        tree = await self.command(
            "Accessibility.getPartialAXTree", objectId=found["result"]["objectId"], fetchRelatives=False
        )
        node = tree["nodes"][0]
        return f"{node.get('role', {}).get('value', '')} {node.get('name', {}).get('value', '')}".strip()

    async def expose(self, name: str, handler: Callable[[str], Coroutine[Any, Any, None]]) -> None:
        """Give every script of the page a function that calls this with a text."""

        def called(event: dict[str, Any]) -> None:
            if event["name"] == name:
                self.connection.run(handler(event["payload"]))

        self.session.on("Runtime.bindingCalled", called)
        await self.command("Runtime.addBinding", name=name)

    async def before_scripts(self, source: str) -> None:
        """Run this in every document before its own scripts."""
        await self.command("Page.addScriptToEvaluateOnNewDocument", source=source)

    async def isolated(self, source: str, expression: str) -> Any:
        """The value of an expression in a world of its own, which sees the document and none of its scripts or policies."""
        frame = (await self.command("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        world = (await self.command("Page.createIsolatedWorld", frameId=frame, worldName="tests"))["executionContextId"]
        for text in (source, expression):
            found = await self.command(
                "Runtime.evaluate", expression=text, contextId=world, returnByValue=True, awaitPromise=True
            )
            assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def screenshot(self, path: Path) -> None:
        """Write a picture of the whole page."""
        size = (await self.command("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        picture = await self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(picture["data"]))


def _address(frame: dict[str, Any]) -> str:
    return f"{frame['url']}{frame.get('urlFragment', '')}"
