"""Source of the prelude: the JavaScript that surrounds every action, as one script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final


@dataclass(frozen=True, slots=True)
class _LazyPart:
    """Part of the prelude that runs once, when an action first uses it. Its files become one function, `name`.

    `names` become globals of the action. `exports` are visible to the rest of the prelude.
    """

    name: str
    files: Sequence[str]
    names: Sequence[str]
    exports: Sequence[str] = ()

    def source(self, read: Callable[[str], str]) -> str:
        """Return the JavaScript of the part; `read` returns the text of a file."""
        answer = ", ".join(["__proto__: null", *self.names, *self.exports])
        exposed = (f'exposeLate("{name}", {self.name});' for name in self.names)
        return "\n".join(
            [
                f"const {self.name} = lazily(() => {{",
                *map(read, self.files),
                f"return {{ {answer} }};",
                "});",
                *exposed,
            ]
        )


_AT_ONCE: Final = ("intrinsics", "standard", "report", "console", "timers", "random", "text", "clone", "actions")
_LAZY: Final = (
    _LazyPart(
        "urlPart",
        ("url/percent", "url/host", "url/idna", "url/parser", "url/search_params", "url/url"),
        names=("URL", "URLSearchParams"),
        exports=("parseUrl", "urlText", "isParams", "paramsText"),
    ),
    _LazyPart(
        "abortPart",
        ("abort/events", "abort/signal"),
        names=("Event", "EventTarget", "AbortController", "AbortSignal"),
        exports=("isSignal", "whenAborted", "following"),
    ),
    _LazyPart(
        "fetchPart",
        ("fetch/headers", "fetch/body", "fetch/request", "fetch/response", "fetch/fetch"),
        names=("Headers", "Request", "Response"),
        exports=("fetchNow",),
    ),
    _LazyPart(
        "cryptoPart",
        ("crypto/aes", "crypto/modes", "crypto/keys", "crypto/secret_keys", "crypto/elliptic", "crypto/subtle"),
        names=("CryptoKey", "SubtleCrypto"),
        exports=("subtle",),
    ),
)
_LAST: Final = ("globals", "lockdown", "bridge")


def prelude_source() -> str:
    """Return a script whose value is the bridge function."""
    parts = [
        *map(_read, _AT_ONCE),
        *(part.source(_read) for part in _LAZY),
        *map(_read, _LAST),
    ]
    body = "\n".join([*parts, "return bridge;\n})()"])
    return f"(() => {{ 'use strict';\n{body}"


def _read(name: str) -> str:
    return (files("node.engine") / "prelude" / f"{name}.js").read_text(encoding="utf-8")
