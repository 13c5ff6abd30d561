"""Answers as bytes with their headers, the one error shape, and the form that a client would rather have."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from aiohttp import ETag, web
from aiohttp.helpers import rfc822_formatted_time
from multidict import CIMultiDict
from pydantic import JsonValue

from node.http.errors import NodeError

JSON: Final = "application/json"
CSV: Final = "text/csv"
_MAX_RANGES: Final = 32

EXPOSED_HEADERS: Final = (
    "X-Request-Id, X-Total-Count, Link, Retry-After, X-Authorized-At-Block, Idempotency-Replayed, X-Correlation-Id"
)
ALLOWED_HEADERS: Final = "Content-Type, Authorization, X-Api-Key, X-Wallet-Auth, Idempotency-Key, X-Correlation-Id"
_PREFLIGHT_MAX_AGE_S: Final = 600

COMMON_HEADERS: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Server": "svc-node",
}
"""On every response. Browsers heed Strict-Transport-Security on TLS alone (RFC 6797, 7.2)."""

_JSON_HEADERS: Final = CIMultiDict(
    {
        **COMMON_HEADERS,
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Content-Type": "application/json; charset=utf-8",
    }
)


def _lines(headers: Mapping[str, str]) -> str:
    return "".join([f"{name}: {value}\r\n" for name, value in headers.items()])


_ALWAYS: Final = _lines(_JSON_HEADERS)
_NAMES_ALWAYS: Final = frozenset(name.lower() for name in _JSON_HEADERS)
_REASONS: Final = {status.value: status.phrase for status in HTTPStatus}
_BREAKS: Final = re.compile(r"[\r\n\0]")
NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
_REVALIDATED: Final = {"Cache-Control": "no-cache"}
_ANY_ETAG: Final = "*"


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer before request id and connection: status, JSON bytes, further headers.

    `wallets` are the addresses of the wallets that were used to make it. They are not sent: before the answer is shown
    again, the caller must still be allowed to use each.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    wallets: Sequence[str] = ()

    def response(self, ids: Mapping[str, str] | None = None) -> web.Response:
        """Return the answer as aiohttp sends it, with the ids of its request."""
        headers = _JSON_HEADERS.copy()
        headers.update(self.headers)
        headers.update(ids or {})
        return web.Response(status=self.status, body=self.body, headers=headers)

    def wire(self, ids: Mapping[str, str], *, keep_alive: bool) -> bytes:
        """Return the answer as HTTP/1.1 sends it (RFC 9112). Raises ValueError for a header that would break out of its line."""
        headers = self.headers
        own, always = _lines(headers) + _lines(ids), _ALWAYS
        if len(_BREAKS.findall(own)) != 2 * (len(headers) + len(ids)):
            raise ValueError("A header holds a line break.")
        if not _NAMES_ALWAYS.isdisjoint(map(str.lower, headers)):
            given = CIMultiDict(headers)
            always = _lines({name: value for name, value in _JSON_HEADERS.items() if name not in given})
        connection = "" if keep_alive else "Connection: close\r\n"
        head = (
            f"HTTP/1.1 {self.status} {_REASONS[self.status]}\r\n{always}{own}"
            f"Content-Length: {len(self.body)}\r\nDate: {rfc822_formatted_time()}\r\n{connection}\r\n"
        )
        return head.encode() + self.body


def json_bytes(value: JsonValue) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def error_answer(error: NodeError, request_id: str) -> Answer:
    """Return an error in the API's one shape; 401 names the schemes (RFC 9110, 11.6.1), 429 and 503 say when to come back, 409 where that helps."""
    body: dict[str, JsonValue] = {"error": str(error.code), "message": error.message}
    if error.fix is not None:
        body["fix"] = error.fix
    body["request_id"] = request_id
    if error.details:
        body["details"] = dict(error.details)
    return Answer(error.status, json_bytes(body), {**NO_STORE, **_error_headers(error)})


def _error_headers(error: NodeError) -> dict[str, str]:
    if error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if error.status in {429, 503} or (error.status == 409 and error.retry_after_s is not None):
        return {"Retry-After": str(error.retry_after_s if error.retry_after_s is not None else 1)}
    return {}


def preflight_response(allow: str) -> web.Response:
    """Return the answer to OPTIONS: which methods there are, and what a page of any origin may send."""
    headers = CIMultiDict(COMMON_HEADERS)
    headers.update(
        {
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(_PREFLIGHT_MAX_AGE_S),
        }
    )
    return web.Response(status=204, headers=headers)


@dataclass(frozen=True, slots=True)
class Document:
    """A page, certificate or file, sent as it is; `etag` (without quotes) names its content for revalidation."""

    body: bytes
    content_type: str
    etag: str | None = None


def document_answer(
    document: Document, known: Sequence[ETag] | None, status: int, headers: Mapping[str, str]
) -> Answer:
    """Returns the document, or 304 when `known`, its If-None-Match, names it (RFC 9110, 13.1.2: weak comparison)."""
    sent = {**headers, "Content-Type": document.content_type}
    if document.etag is None:
        return Answer(status, document.body, sent)
    sent |= {**_REVALIDATED, "ETag": f'"{document.etag}"'}
    if any(tag.value in {document.etag, _ANY_ETAG} for tag in known or ()):
        return Answer(304, b"", sent)
    return Answer(status, document.body, sent)


def prefers_csv(accept: str) -> bool:
    """Return whether an Accept header asks for CSV rather than JSON: by quality, then by being named and JSON not."""
    qualities = _qualities(accept)
    csv, json = _quality(qualities, CSV), _quality(qualities, JSON)
    return csv > json or (csv == json > 0 and CSV in qualities and JSON not in qualities)


def _quality(qualities: dict[str, float], wanted: str) -> float:
    """Return the quality of the most exact range that covers `wanted`; 0 when none does."""
    for media_range in (wanted, f"{wanted.split('/', maxsplit=1)[0]}/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0


def _qualities(accept: str) -> dict[str, float]:
    qualities: dict[str, float] = {}
    for part in accept.lower().split(",")[:_MAX_RANGES]:
        media_range, *parameters = (piece.strip() for piece in part.split(";"))
        quality = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        try:
            qualities[media_range] = min(max(float(quality), 0.0), 1.0)
        except ValueError:
            qualities[media_range] = 0.0
    return qualities
