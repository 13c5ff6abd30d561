"""Checks requests of an action and of redirects, and converts their responses."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from node.engine.egress.targets import FetchRefusedError, Target, join_target, parse_target
from node.engine.frames import PlainText

Headers = tuple[tuple[str, str], ...]
"""Names and values in the order they are sent."""

_HEADERS_MAX: Final = 64
"""Maximum headers of a request, twice what browsers send."""
_HEADER_BYTES_MAX: Final = 16 * 1024
"""Maximum bytes of a request's headers together, which most servers have too."""
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
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
_FORBIDDEN_METHODS: Final = frozenset({"CONNECT", "TRACE", "TRACK"})
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_POST_BECOMES_GET: Final = frozenset({301, 302})
_SEE_OTHER: Final = 303


class Redirect(StrEnum):
    """Treatment of a redirect; `manual` returns it unchanged."""

    FOLLOW = "follow"
    ERROR = "error"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """A checked request. `method` is in upper case."""

    target: Target
    method: str
    headers: Headers
    body: bytes | None
    redirect: Redirect


@dataclass(frozen=True, slots=True)
class FetchAnswer:
    """A response with its whole body, decompressed and in base64; `url` is its source."""

    url: str
    status: int
    status_text: str
    headers: Headers
    body: PlainText
    redirected: bool


def parse_request(message: Mapping[str, JsonValue], body_bytes_max: int) -> FetchRequest:
    """Reads `{url, method, headers, body, redirect}` (base64). Raises FetchRefusedError."""
    match message:
        case {
            "url": str() as url,
            "method": str() as method,
            "headers": list() as headers,
            "body": (str() | None) as body,
            "redirect": ("follow" | "error" | "manual") as redirect,
        }:
            # Fetch Standard, "forbidden method": CONNECT opens a tunnel, and TRACE returns what a
            # proxy added.
            if not _METHOD.fullmatch(method) or method.upper() in _FORBIDDEN_METHODS:
                raise FetchRefusedError("the method is not one that can be used")
            method = method.upper()
            if body is not None and method in _WITHOUT_BODY:
                raise FetchRefusedError(f"a {method} request has no body")
            return FetchRequest(
                target=parse_target(url),
                method=method,
                headers=sendable([_pair(header) for header in headers]),
                body=None if body is None else _body(body, body_bytes_max),
                redirect=Redirect(redirect),
            )
        case _:
            raise FetchRefusedError("the request is not one that fetch makes")


def answer_message(answer: FetchAnswer) -> JsonValue:
    """Returns `{url, status, statusText, headers, body, redirected}`; `body` is base64."""
    headers: list[JsonValue] = [[name, value] for name, value in answer.headers]
    return {
        "url": answer.url,
        "status": answer.status,
        "statusText": answer.status_text,
        "headers": headers,
        "body": answer.body,
        "redirected": answer.redirected,
    }


def _pair(header: JsonValue) -> tuple[str, str]:
    match header:
        case [str() as name, str() as value]:
            return name, value
        case _:
            raise FetchRefusedError("a header is a name and a value")


def _body(text: str, bytes_max: int) -> bytes:
    # Four characters of base64 are three bytes, minus one for each padding sign. Check before
    # decoding, so that an oversized body is never copied.
    if len(text) // 4 * 3 - text[-2:].count("=") > bytes_max:
        raise FetchRefusedError(f"a request's body may have at most {bytes_max} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FetchRefusedError("the request is not one that fetch makes") from None


def sendable(pairs: Sequence[tuple[str, str]]) -> Headers:
    """Returns the headers to send, without those that frame the message or name its host.

    Raises FetchRefusedError for an invalid header, non-ASCII text, or too much.
    """
    if len(pairs) > _HEADERS_MAX:
        raise FetchRefusedError(f"a request may have at most {_HEADERS_MAX} headers")
    if sum(len(name) + len(value) for name, value in pairs) > _HEADER_BYTES_MAX:
        raise FetchRefusedError(f"a request's headers may have at most {_HEADER_BYTES_MAX} bytes")
    if not all(_NAME.fullmatch(name) and _VALUE.fullmatch(value) for name, value in pairs):
        raise FetchRefusedError("a header has a name of letters and digits, and an ASCII value in one line")
    # An own length or coding could smuggle a second request (RFC 9112 §11.2).
    return tuple(
        (name, value.strip(" \t"))
        for name, value in pairs
        if name.lower() not in _FORBIDDEN and not name.lower().startswith(_FORBIDDEN_PREFIXES)
    )


def for_another_origin(headers: Headers) -> Headers:
    """Returns the headers for a redirect to another origin, which are free of credentials.

    The Fetch Standard drops only `Authorization`, and would send `Cookie` and `X-Api-Key` there.
    """
    return tuple((name, value) for name, value in headers if name.lower() in _WITHOUT_CREDENTIALS)


def without_body(headers: Headers) -> Headers:
    """Returns the headers of a request whose body a redirect removed."""
    return tuple((name, value) for name, value in headers if name.lower() not in _OF_A_BODY)


def redirected(request: FetchRequest, status: int, location: str) -> FetchRequest:
    """Returns the request to make instead of `request` (Fetch Standard, "HTTP-redirect fetch").

    Raises FetchRefusedError for an invalid `location`. The target is only parsed; it is checked
    before the connection, like that of any request.
    """
    target = join_target(request.target, location)
    following = replace(request, target=target)
    if _becomes_get(request.method, status):
        following = replace(following, method="GET", body=None, headers=without_body(following.headers))
    # The origin includes the scheme, so credentials of https do not follow to http.
    if target.origin != request.target.origin:
        following = replace(following, headers=for_another_origin(following.headers))
    return following


def _becomes_get(method: str, status: int) -> bool:
    if status in _POST_BECOMES_GET:
        return method == "POST"
    return status == _SEE_OTHER and method not in {"GET", "HEAD"}
