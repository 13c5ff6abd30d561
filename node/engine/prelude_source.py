"""The prelude: the JavaScript every action finds around itself, as one script."""

from importlib.resources import files
from typing import Final

from node.engine.prelude_parts import LazyPart

_AT_ONCE: Final = ("intrinsics", "standard", "report", "console", "timers", "random", "text", "clone", "actions")
_WHEN_ASKED_FOR: Final = (
    LazyPart(
        "urlPart",
        ("url/percent", "url/host", "url/idna", "url/parser", "url/search_params", "url/url"),
        names=("URL", "URLSearchParams"),
        doors=("parseUrl", "urlText", "isParams", "paramsText"),
    ),
    LazyPart(
        "abortPart",
        ("abort/events", "abort/signal"),
        names=("Event", "EventTarget", "AbortController", "AbortSignal"),
        doors=("isSignal", "whenAborted", "following"),
    ),
    LazyPart(
        "fetchPart",
        ("fetch/headers", "fetch/body", "fetch/request", "fetch/response", "fetch/fetch"),
        names=("Headers", "Request", "Response"),
        doors=("fetchNow",),
    ),
    LazyPart(
        "cryptoPart",
        ("crypto/aes", "crypto/modes", "crypto/keys", "crypto/secret_keys", "crypto/elliptic", "crypto/subtle"),
        names=("CryptoKey", "SubtleCrypto"),
        doors=("subtle",),
    ),
)
_LAST: Final = ("globals", "lockdown", "bridge")


LINES_ABOVE: Final = 100_000
"""Empty lines before the prelude. QuickJS gives every script the same name, so lines tell whose a stack frame is."""


def prelude_source(longest_frame: int, longest_line: int) -> str:
    """A script that answers the bridge function; the child puts `LINES_ABOVE` empty lines before it.

    `longest_frame` and `longest_line`, of the logs, are in characters.
    """
    parts = [
        *map(_read, _AT_ONCE),
        *(part.source(_read) for part in _WHEN_ASKED_FOR),
        *map(_read, _LAST),
    ]
    body = "\n".join([*parts, "return bridge;\n})()"])
    numbers = {
        "LINES_ABOVE_PRELUDE": LINES_ABOVE,
        "LONGEST_FRAME": longest_frame,
        "LONGEST_LINE": longest_line,
    }
    constants = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    return f"(() => {{ 'use strict'; const {constants};\n{body}"


def _read(name: str) -> str:
    return (files("node.engine") / "prelude" / f"{name}.js").read_text(encoding="utf-8")
