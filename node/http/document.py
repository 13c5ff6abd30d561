"""Answers that are no JSON of a model: a page, a certificate, a file as it is, with the means not to send it twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import ETag

from node.http.answers import Answer

_ANY: Final = "*"
_REVALIDATED: Final = {"Cache-Control": "no-cache"}


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes as they are sent; `etag` (without quotes) names this very content, and lets a client ask only for news."""

    body: bytes
    content_type: str
    etag: str | None = None


def document_answer(
    document: Document, known: Sequence[ETag] | None, status: int, headers: Mapping[str, str]
) -> Answer:
    """The document, or 304 when the client has it: `known` is its If-None-Match (RFC 9110, 13.1.2: weak comparison)."""
    sent = {**headers, "Content-Type": document.content_type}
    if document.etag is None:
        return Answer(status, document.body, sent)
    sent |= {**_REVALIDATED, "ETag": f'"{document.etag}"'}
    if any(tag.value in {document.etag, _ANY} for tag in known or ()):
        return Answer(304, b"", sent)
    return Answer(status, document.body, sent)
