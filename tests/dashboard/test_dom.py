"""Elements of the page are built of text and of links that run nothing."""

from pathlib import Path

from tests.support.javascript import ran_javascript

BUILT = """
const made = [];
globalThis.Node = class {};
globalThis.document = {
  createElement: (tag) => Object.assign(new Node(), {
    tag, attributes: {}, children: [],
    setAttribute(name, value) { this.attributes[name] = value; },
    addEventListener() {},
    append(child) { this.children.push(child); },
  }),
};
const { h } = await import("./dom.mjs");
const attempt = (attributes) => {
  try { return h("a", attributes, "text").attributes; } catch (error) { return `${error.name}: ${error.message}`; }
};
console.log(JSON.stringify(given.map(attempt)));
"""
LINKS = ["#/keys", "./pay.html#x", "/docs", "https://example.org/x", "blob:https://node.example/1"]
SCRIPTS = [
    "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "\tjavascript:alert(1)", "java\nscript:alert(1)",
    "\x01javascript:alert(1)", "javascript&colon;alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x",
    "view-source:javascript:alert(1)", "https:javascript:alert(1)", "file:///etc/passwd", "http://example.org", "", "x",
    "javascript:alert(1)//https://example.org/#x",
]  # fmt: skip


def test_a_link_that_could_run_a_script_is_not_built(modules: Path) -> None:
    found = ran_javascript(BUILT, [{"href": each} for each in (*LINKS, *SCRIPTS)], modules)
    assert found[: len(LINKS)] == [{"href": each} for each in LINKS]
    assert found[len(LINKS) :] == ["TypeError: a link of this scheme is not shown"] * len(SCRIPTS)


def test_a_handler_in_text_is_not_built(modules: Path) -> None:
    found = ran_javascript(BUILT, [{name: "alert(1)"} for name in ("onclick", "onClick", "ONLOAD")], modules)
    assert found == [f"TypeError: {name} takes a function" for name in ("onclick", "onClick", "ONLOAD")]


KEEPS = """
import { mayKeepKey } from "./app.mjs";
console.log(JSON.stringify(given.map((address) => { const { protocol, hostname } = new URL(address); return mayKeepKey({ protocol, hostname }); })));
"""
KEPT = {
    "https://node.example/dashboard/": True,
    "https://127.example.org/": True,
    "https://localhost.example/": True,
    "http://node.example/": False,
    "https://localhost:8443/": False,
    "https://svc.localhost/": False,
    "https://127.0.0.1/": False,
    "http://127.1.2.3:9001/": False,
    "https://[::1]:8443/": False,
}
"""Addresses of the page, and whether a tab may keep a key there. Another program can have one of loopback later."""


def test_a_key_is_kept_over_https_alone_and_never_on_loopback(modules: Path) -> None:
    assert ran_javascript(KEEPS, list(KEPT), modules) == list(KEPT.values())
