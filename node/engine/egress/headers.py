"""Headers of outbound requests: which an action may set, and which follow it to another origin."""

import re
from collections.abc import Sequence
from typing import Final

from node.engine.egress.refusal import FetchRefusedError

Headers = tuple[tuple[str, str], ...]
"""Names and values in the order they are sent."""

_HEADERS_MAX: Final = 64
"""Headers of a request: twice what browsers send."""
_HEADER_BYTES_MAX: Final = 16 * 1024
"""Names and values of a request's headers together; most servers take no more."""
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_FORBIDDEN: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
    }
)
_FORBIDDEN_PREFIXES: Final = ("proxy-", "sec-")
_WITHOUT_CREDENTIALS: Final = frozenset(
    {
        "accept",
        "accept-language",
        "cache-control",
        "content-encoding",
        "content-language",
        "content-location",
        "content-type",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "pragma",
        "range",
        "user-agent",
    }
)
_OF_A_BODY: Final = frozenset({"content-encoding", "content-language", "content-location", "content-type"})


def sendable(pairs: Sequence[tuple[str, str]]) -> Headers:
    """The headers that are sent: those that frame the message or name its host are dropped, as `fetch` does.

    Raises FetchRefusedError for what is no header, is not ASCII, or is too much.
    """
    if len(pairs) > _HEADERS_MAX:
        raise FetchRefusedError(f"a request may have at most {_HEADERS_MAX} headers")
    if sum(len(name) + len(value) for name, value in pairs) > _HEADER_BYTES_MAX:
        raise FetchRefusedError(f"a request's headers may have at most {_HEADER_BYTES_MAX} bytes")
    if not all(_NAME.fullmatch(name) and _VALUE.fullmatch(value) for name, value in pairs):
        raise FetchRefusedError("a header has a name of letters and digits, and an ASCII value in one line")
    return tuple((name, value.strip(" \t")) for name, value in pairs if not _is_forbidden(name.lower()))


def for_another_origin(headers: Headers) -> Headers:
    """What may follow a redirect to another origin: only headers that are known to hold no credential.

    The Fetch Standard drops `Authorization` alone, and would hand `Cookie` and `X-Api-Key` to whoever is redirected to.
    """
    return tuple((name, value) for name, value in headers if name.lower() in _WITHOUT_CREDENTIALS)


def without_body(headers: Headers) -> Headers:
    """The headers of a request whose body a redirect took away."""
    return tuple((name, value) for name, value in headers if name.lower() not in _OF_A_BODY)


def _is_forbidden(name: str) -> bool:
    return name in _FORBIDDEN or name.startswith(_FORBIDDEN_PREFIXES)
