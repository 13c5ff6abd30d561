"""A fetch as the action asks for it, hostile until checked here, and as it is answered."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from node.engine.answers import PlainText
from node.engine.egress.headers import Headers, sendable
from node.engine.egress.refusal import FetchRefusedError
from node.engine.egress.targets import Target, parse_target

_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}")
_FORBIDDEN_METHODS: Final = frozenset({"CONNECT", "TRACE", "TRACK"})
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})


class Redirect(StrEnum):
    """What to do with an answer that redirects; `manual` hands it over as it is."""

    FOLLOW = "follow"
    ERROR = "error"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One request, checked. `method` is in upper case."""

    target: Target
    method: str
    headers: Headers
    body: bytes | None
    redirect: Redirect


@dataclass(frozen=True, slots=True)
class FetchAnswer:
    """One answer, its body whole, decompressed and in base64; `url` is where it came from."""

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
            method = _method(method)
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
    """`{url, status, statusText, headers, body, redirected}`; `body` is base64."""
    headers: list[JsonValue] = [[name, value] for name, value in answer.headers]
    return {
        "url": answer.url,
        "status": answer.status,
        "statusText": answer.status_text,
        "headers": headers,
        "body": answer.body,
        "redirected": answer.redirected,
    }


def _method(text: str) -> str:
    if not _METHOD.fullmatch(text) or text.upper() in _FORBIDDEN_METHODS:
        raise FetchRefusedError("the method is not one that can be used")
    return text.upper()


def _pair(header: JsonValue) -> tuple[str, str]:
    match header:
        case [str() as name, str() as value]:
            return name, value
        case _:
            raise FetchRefusedError("a header is a name and a value")


def _body(text: str, bytes_max: int) -> bytes:
    # Four characters of base64 are three bytes, less one for each sign of padding.
    if len(text) // 4 * 3 - text[-2:].count("=") > bytes_max:
        raise FetchRefusedError(f"a request's body may have at most {bytes_max} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FetchRefusedError("the request is not one that fetch makes") from None
