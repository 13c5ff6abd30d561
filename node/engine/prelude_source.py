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


def prelude_source() -> str:
    """A script that answers the bridge function."""
    parts = [
        *map(_read, _AT_ONCE),
        *(part.source(_read) for part in _WHEN_ASKED_FOR),
        *map(_read, _LAST),
    ]
    body = "\n".join([*parts, "return bridge;\n})()"])
    return f"(() => {{ 'use strict';\n{body}"


def _read(name: str) -> str:
    return (files("node.engine") / "prelude" / f"{name}.js").read_text(encoding="utf-8")
