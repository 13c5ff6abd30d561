"""Requests of an action, hostile until checked here, their answers, and the requests that follow a redirect."""

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
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
_FORBIDDEN_METHODS: Final = frozenset({"CONNECT", "TRACE", "TRACK"})
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_POST_BECOMES_GET: Final = frozenset({301, 302})
_SEE_OTHER: Final = 303


class Redirect(StrEnum):
    """Treatment of an answer that redirects; `manual` hands it over unchanged."""

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
    """An answer, its body whole, decompressed and in base64; `url` is its source."""

    url: str
    status: int
    status_text: str
    headers: Headers
    body: PlainText
    redirected: bool


def parse_request(message: Mapping[str, JsonValue], body_bytes_max: int) -> FetchRequest:
    """Read `{url, method, headers, body, redirect}`; `body` is base64 or null. Raises FetchRefusedError."""
    match message:
        case {
            "url": str() as url,
            "method": str() as method,
            "headers": list() as headers,
            "body": (str() | None) as body,
            "redirect": ("follow" | "error" | "manual") as redirect,
        }:
            # Fetch Standard, "forbidden method": CONNECT opens a tunnel, TRACE returns what a proxy
            # added.
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
    """Return `{url, status, statusText, headers, body, redirected}`; `body` is base64."""
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
    # Four characters of base64 are three bytes, less one for each sign of padding.
    # Before decoding: the decoded copy of an oversized body is never made.
    if len(text) // 4 * 3 - text[-2:].count("=") > bytes_max:
        raise FetchRefusedError(f"a request's body may have at most {bytes_max} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FetchRefusedError("the request is not one that fetch makes") from None


def sendable(pairs: Sequence[tuple[str, str]]) -> Headers:
    """Return the headers that are sent, without those that frame the message or name its host, as `fetch` does.

    Raises FetchRefusedError for what is no header, is not ASCII, or is too much.
    """
    if len(pairs) > _HEADERS_MAX:
        raise FetchRefusedError(f"a request may have at most {_HEADERS_MAX} headers")
    if sum(len(name) + len(value) for name, value in pairs) > _HEADER_BYTES_MAX:
        raise FetchRefusedError(f"a request's headers may have at most {_HEADER_BYTES_MAX} bytes")
    if not all(_NAME.fullmatch(name) and _VALUE.fullmatch(value) for name, value in pairs):
        raise FetchRefusedError("a header has a name of letters and digits, and an ASCII value in one line")
    # A length or coding of the action's own would let it smuggle a second request into the connection (RFC 9112 §11.2).
    return tuple((name, value.strip(" \t")) for name, value in pairs if not _is_forbidden(name.lower()))


def for_another_origin(headers: Headers) -> Headers:
    """Return the headers that may follow a redirect to another origin: those that are known to hold no credential.

    The Fetch Standard drops `Authorization` alone, and would hand `Cookie` and `X-Api-Key` to any origin redirected to.
    """
    return tuple((name, value) for name, value in headers if name.lower() in _WITHOUT_CREDENTIALS)


def without_body(headers: Headers) -> Headers:
    """Return the headers of a request whose body a redirect took away."""
    return tuple((name, value) for name, value in headers if name.lower() not in _OF_A_BODY)


def _is_forbidden(name: str) -> bool:
    return name in _FORBIDDEN or name.startswith(_FORBIDDEN_PREFIXES)


def redirected(request: FetchRequest, status: int, location: str) -> FetchRequest:
    """Return the request to make instead of `request` (Fetch Standard, "HTTP-redirect fetch").

    Raises FetchRefusedError where `location` leads nowhere. The target is only parsed: like that of any request, it is
    checked before it is connected to.
    """
    target = join_target(request.target, location)
    following = replace(request, target=target)
    if _becomes_get(request.method, status):
        following = replace(following, method="GET", body=None, headers=without_body(following.headers))
    # The origin includes the scheme: credentials of https must not follow to http.
    if target.origin != request.target.origin:
        following = replace(following, headers=for_another_origin(following.headers))
    return following


def _becomes_get(method: str, status: int) -> bool:
    if status in _POST_BECOMES_GET:
        return method == "POST"
    return status == _SEE_OTHER and method not in {"GET", "HEAD"}
