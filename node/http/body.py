"""Reading of request bodies: the memory that they may take, and checks of what they claim to be."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, cast

from aiohttp import web

from node.http.errors import ErrorCode, NodeError
from node.settings.http import HttpSettings

ARRIVING_BODIES_PER_ADDRESS_MAX: Final = 256
"""Bodies that one client address sends at a time; more are 429. A browser opens six connections, a busy proxy dozens."""
BODY_TIMEOUT_S: Final = 60.0
"""A body that takes longer to arrive is refused. 10 MiB pass at 1.4 Mbit/s."""
_JSON_CHARSETS: Final = frozenset({"utf-8", "utf8"})
_JSON: Final = "application/json"
_LARGEST_BODIES_AT_ONCE: Final = 32
_FREE_BYTES: Final = 64 * 1024
_ADDRESSES_AT_LEAST: Final = 2
"""One address holds at most half, so that one client alone never takes everything."""


class ByteBudget:
    """Bounds the bytes held for all addresses to `max_bytes`, and for one (of `rate_limit_client`) to half of that."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._of_all = 0
        self._held: Counter[str] = Counter()

    @property
    def held_bytes(self) -> int:
        """Return the bytes held for all addresses."""
        return self._of_all

    def hold(self, address: str, count: int) -> bool:
        """Hold `count` bytes more; False, and nothing held, when all together or this address may not."""
        of_all, own = self._of_all + count, self._held[address] + count
        # Checked before anything is counted: a refused body leaves no trace.
        if of_all > self._max_bytes or own > self._max_bytes // _ADDRESSES_AT_LEAST:
            return False
        self._of_all, self._held[address] = of_all, own
        return True

    def give_back(self, address: str, count: int) -> None:
        """Hold `count` bytes less."""
        self._of_all -= count
        take_off(self._held, address, count)


def take_off(counter: "Counter[str]", name: str, count: int) -> None:
    """Subtract from a count; an empty count is removed, so that the counter stays small."""
    counter[name] -= count
    if not counter[name]:
        del counter[name]


class ArrivingBodies:
    """Bounds on arriving bodies, so that clients that stall keep nobody else out.

    Each address has so many bodies arriving at a time, and of the memory of all large ones half.
    """

    def __init__(self, limits: HttpSettings) -> None:
        self._budget = ByteBudget(_LARGEST_BODIES_AT_ONCE * limits.http_max_body_bytes)
        self._arriving: Counter[str] = Counter()

    @contextmanager
    def arriving(self, address: str) -> Iterator[None]:
        """While one body is waited for, or waits to be read.

        Raises NodeError `too_many_requests` when the address has too many of those.
        """
        if self._arriving[address] >= ARRIVING_BODIES_PER_ADDRESS_MAX:
            raise _too_many("As many bodies of this address arrive, or wait to be read, as may be.")
        self._arriving[address] += 1
        try:
            yield
        finally:
            take_off(self._arriving, address, 1)

    def memory(self, address: str) -> "BodyMemory":
        """Return the memory account of one request of this address."""
        return BodyMemory(self, address)

    def hold(self, address: str, count: int) -> None:
        """Hold so many bytes more. Raises NodeError `too_many_requests` when the node, or this address, may not."""
        if not self._budget.hold(address, count):
            raise _too_many("This node is reading as many large bodies as it can.")

    def give_back(self, address: str, count: int) -> None:
        """Hold so many bytes less."""
        self._budget.give_back(address, count)


class BodyMemory:
    """Memory that one request's body takes; entered by `with`, it is a function that takes so many bytes more.

    The first bytes of each body are free, so that small requests pass whatever the large ones do. What it took is
    given back at the end. It raises as `ArrivingBodies.hold` does.
    """

    def __init__(self, bodies: ArrivingBodies, address: str) -> None:
        self._bodies = bodies
        self._address = address
        self._received = 0
        self._held = 0

    def __enter__(self) -> Callable[[int], None]:
        return self._take

    def __exit__(self, *_: object) -> None:
        if self._held:
            self._bodies.give_back(self._address, self._held)

    def _take(self, count: int) -> None:
        self._received += count
        # Only what is beyond the free bytes and not counted yet.
        counted = max(0, self._received - _FREE_BYTES) - self._held
        if counted > 0:
            self._bodies.hold(self._address, counted)
            self._held += counted


def _too_many(message: str) -> NodeError:
    return NodeError(ErrorCode.TOO_MANY_REQUESTS, message, fix="Send the request again in a moment.", retry_after_s=1)


def check_content_length(request: web.Request, max_body_bytes: int) -> None:
    """Refuse a body whose announced length is over the limit, before it is read. Raises NodeError 413."""
    length = request.content_length
    # An announced length alone decides: not a byte of the body is read.
    if length is not None and length > max_body_bytes:
        raise _too_large(max_body_bytes)


def read_arrived(request: web.Request, max_body_bytes: int) -> bytes | None:
    """Return a body that is all there and takes no memory that is counted; None when it must be read otherwise."""
    content = request.content
    # A client with Expect waits for the interim answer, which `read_body` sends.
    if not content.is_eof() or content.total_bytes > min(_FREE_BYTES, max_body_bytes) or "Expect" in request.headers:
        return None
    if content.exception() is not None:
        return None
    return content.read_nowait() if content.total_bytes else b""


async def read_body(request: web.Request, limits: HttpSettings, take: Callable[[int], None]) -> bytes:
    """Return the whole body, announced or chunked; `take` is told of the memory it needs, and may refuse.

    Raises NodeError `payload_too_large` as soon as it is over the limit, and `bad_request` when it does not
    arrive in time or breaks off.
    """
    if not request.body_exists:
        return b""
    await _send_continue(request)
    body = bytearray()

    def add(chunk: bytes) -> None:
        nonlocal body
        # Before the copy: a refusal must come before the memory is used.
        take(len(chunk))
        body += chunk
        if len(body) > limits.http_max_body_bytes:
            raise _too_large(limits.http_max_body_bytes)

    try:
        if request.content.is_eof():  # all there: nothing to wait for
            add(request.content.read_nowait())
            return _whole(body)
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while chunk := await request.content.readany():
                add(chunk)
    except TimeoutError:
        message = f"The body did not arrive within {BODY_TIMEOUT_S:g} s."
        raise NodeError(ErrorCode.BAD_REQUEST, message, fix="Send the whole body at once.") from None
    except (web.RequestPayloadError, ConnectionError):
        message = "The body broke off, or its transfer encoding is wrong."
        raise NodeError(
            ErrorCode.BAD_REQUEST, message, fix="Send the whole body, as its headers announce it."
        ) from None
    return _whole(body)


def _whole(body: bytearray) -> bytes:
    """Return the body; a large one as it was gathered, since a copy of ten megabytes takes milliseconds."""
    return bytes(body) if len(body) <= _FREE_BYTES else cast("bytes", body)


async def _send_continue(request: web.Request) -> None:
    """Answer `Expect: 100-continue` only now, when the body is really wanted (RFC 9110, 10.1.1)."""
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim answer is no part of the final one, whose headers may still be sent.
        request.writer.output_size = 0


def check_content_type(request: web.Request) -> None:
    """Refuse a body that is not JSON in UTF-8, or is compressed. Raises NodeError 415."""
    # The usual value, without parsing its parameters.
    if request.headers.get("Content-Type") == _JSON:
        check_content_encoding(request)
        return
    charset = request.charset
    if request.content_type != _JSON or (charset is not None and charset.lower() not in _JSON_CHARSETS):
        raise NodeError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "The body must be JSON in UTF-8.",
            fix="Send the header Content-Type: application/json.",
        )
    check_content_encoding(request)


def check_content_encoding(request: web.Request) -> None:
    """Refuse a compressed body: it could grow without bound. Raises NodeError 415."""
    encoding = request.headers.get("Content-Encoding")
    if encoding is not None and encoding.lower() != "identity":
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
