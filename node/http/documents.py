"""Documents in HTTP: If-None-Match, gzip, and the headers of pages and their files."""

import re
from collections.abc import Mapping
from typing import Final

from aiohttp import web
from multidict import CIMultiDict

from node.api.calls import Document
from node.http.answers import COMMON_HEADERS, Answer, Handler

_ANY_ETAG: Final = "*"
_GZIP: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?=,|$)", re.IGNORECASE)
"""Matches gzip in Accept-Encoding with a quality that is not 0 (RFC 9110, 12.5.3)."""

REVALIDATED: Final[Mapping[str, str]] = {"Cache-Control": "no-cache"}
"""Header of a document that may change. A client asks each time, and gets 304 if it has it."""
KEPT: Final[Mapping[str, str]] = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Header of a file whose name identifies its content."""

CLOSED_POLICY: Final = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
OFF_PERMISSIONS: Final = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    "midi=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"
)
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    f"{CLOSED_POLICY}"
)
PAGE_HEADERS: Final[Mapping[str, str]] = {
    # Without the API's CORS headers, since no other origin needs these files.
    **{name: COMMON_HEADERS[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Server")},
    "Content-Security-Policy": f"{PAGE_POLICY}; require-trusted-types-for 'script'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": f"{OFF_PERMISSIONS}, payment=()",
    # For browsers that do not know frame-ancestors.
    "X-Frame-Options": "DENY",
}
"""Headers of a page that takes keys, and of its files."""


def document_answer(document: Document, request: web.Request, status: int, headers: Mapping[str, str]) -> Answer:
    """Returns the document as the API sends it: revalidated each time if it has an ETag."""
    revalidated = {} if document.etag is None else REVALIDATED
    status, body, own = _selected(document, request, status)
    return Answer(status, body, {**headers, **revalidated, **own})


def serving(document: Document, headers: Mapping[str, str]) -> Handler:
    """Returns the handler of a page or its file. `headers` are PAGE_HEADERS with Cache-Control."""

    async def show(request: web.Request) -> web.Response:
        status, body, own = _selected(document, request, 200)
        return web.Response(status=status, body=body, headers=CIMultiDict({**headers, **own}))

    return show


def _selected(document: Document, request: web.Request, status: int) -> tuple[int, bytes, dict[str, str]]:
    """Returns status, body and headers of the response to this client.

    304 if If-None-Match has the document's ETag (RFC 9110, 13.1.2); gzip if the client accepts it.
    """
    headers = {"Content-Type": document.content_type}
    if document.compressed is not None:
        headers["Vary"] = "Accept-Encoding"
    if document.etag is not None:
        # Weak where one ETag names two sequences of bytes (RFC 9110, 8.8.1).
        headers["ETag"] = f'"{document.etag}"' if document.compressed is None else f'W/"{document.etag}"'
        if any(tag.value in {document.etag, _ANY_ETAG} for tag in request.if_none_match or ()):
            return 304, b"", headers
    if document.compressed is None or _GZIP.search(request.headers.get("Accept-Encoding", "")) is None:
        return status, document.body, headers
    return status, document.compressed, {**headers, "Content-Encoding": "gzip"}
