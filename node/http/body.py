"""Reading a request's body and checking what it claims to be."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from aiohttp import web

from node.errors import ErrorCode, NodeError
from node.http.limits import HttpLimits

_JSON_CHARSETS: Final = frozenset({"utf-8", "utf8"})
_LARGEST_BODIES_AT_ONCE: Final = 32


class BodyMemory:
    """The bytes of all bodies in memory: at most what 32 of the largest need, however many requests there are."""

    def __init__(self, max_body_bytes: int) -> None:
        self._max_bytes = _LARGEST_BODIES_AT_ONCE * max_body_bytes
        self._held = 0

    @contextmanager
    def account(self) -> Iterator[Callable[[int], None]]:
        """For one request: a function that takes so many bytes more; at the end they are all given back.

        It raises NodeError `too_many_requests` when the node holds as much as it may.
        """
        taken = 0

        def take(count: int) -> None:
            nonlocal taken
            if self._held + count > self._max_bytes:
                raise NodeError(
                    ErrorCode.TOO_MANY_REQUESTS,
                    "This node is reading as many large bodies as it can.",
                    fix="Send the request again in a moment.",
                    retry_after_s=1,
                )
            taken += count
            self._held += count

        try:
            yield take
        finally:
            self._held -= taken


def check_content_length(request: web.Request, max_body_bytes: int) -> None:
    """Refuse a body whose announced length is over the limit, before it is read. Raises NodeError 413."""
    length = request.content_length
    if length is not None and length > max_body_bytes:
        raise _too_large(max_body_bytes)


async def read_body(request: web.Request, limits: HttpLimits, take: Callable[[int], None]) -> bytes:
    """The whole body, announced or chunked; `take` is told of the memory it needs, and may refuse.

    Raises NodeError `payload_too_large` as soon as it is over the limit, and `bad_request` when it does not
    arrive in time or breaks off.
    """
    if not request.body_exists:
        return b""
    await _send_continue(request)
    body = bytearray()
    try:
        async with asyncio.timeout(limits.body_timeout_s):
            while chunk := await request.content.readany():
                take(len(chunk))
                body += chunk
                if len(body) > limits.max_body_bytes:
                    raise _too_large(limits.max_body_bytes)
    except TimeoutError:
        raise NodeError(ErrorCode.BAD_REQUEST, f"The body did not arrive within {limits.body_timeout_s:g} s.") from None
    except (web.RequestPayloadError, ConnectionError):
        raise NodeError(ErrorCode.BAD_REQUEST, "The body broke off, or its transfer encoding is wrong.") from None
    return bytes(body)


async def _send_continue(request: web.Request) -> None:
    """Answer `Expect: 100-continue` only now, when the body is really wanted (RFC 9110, 10.1.1)."""
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim answer is no part of the final one, whose headers may still be sent.
        request.writer.output_size = 0


def check_content_type(request: web.Request) -> None:
    """Refuse a body that is not JSON in UTF-8, or is compressed. Raises NodeError 415."""
    charset = request.charset
    if request.content_type != "application/json" or (charset is not None and charset.lower() not in _JSON_CHARSETS):
        raise NodeError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "The body must be JSON in UTF-8.",
            fix="Send the header Content-Type: application/json.",
        )
    check_content_encoding(request)


def check_content_encoding(request: web.Request) -> None:
    """Refuse a compressed body: it could grow without bound. Raises NodeError 415."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise NodeError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "A compressed body is not accepted.",
            fix="Send the body without Content-Encoding.",
        )


def _too_large(max_body_bytes: int) -> NodeError:
    return NodeError(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"The body is larger than {max_body_bytes} bytes.",
        details={"max_body_bytes": max_body_bytes},
    )
