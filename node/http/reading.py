"""Reads heads and bodies of requests within bounds on memory and time.

aiohttp bounds the length of one header and the number of headers, and has no bound on their product. A head (the request
line and all headers, RFC 9112 section 2.1) arrives before anything is known of its client, so its size and the time it
takes are bounded here, on every port alike. Bodies are bounded in number and memory by client address.
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final, Protocol, TypeAlias, cast

from aiohttp import HttpVersion11, web
from aiohttp.http_exceptions import BadHttpMessage, InvalidURLError
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from node.http.errors import ErrorCode, NodeError
from node.http.rate import take_off
from node.settings.http import HttpSettings

HEAD_MAX_BYTES: Final = 32 * 1024
"""Bytes of a head, and of the heads that wait on one connection while an earlier request is in work (pipelining).
Clients of this API send less than 2 KiB."""
HEAD_TIMEOUT_S: Final = 10.0
"""From the first byte of a head to its last."""
HEAD_FREE_BYTES: Final = 8 * 1024
"""Bytes of a head that no budget counts: ordinary requests pass however many slow heads there are."""
HEADS_MAX_BYTES_TOGETHER: Final = 16 * 1024 * 1024
"""Heads of all connections, beyond the free bytes of each; half of it of one address."""
_PIECE_BYTES: Final = 8 * 1024
"""Bytes parsed at a time. A head is refused at most so far beyond its bound; a read from the socket has 256 KiB."""
_SEPARATOR_BYTES: Final = 4
"""Colon, space, CR and LF of one header."""

Message: TypeAlias = tuple[RawRequestMessage, StreamReader]
Parsed: TypeAlias = tuple[Sequence[Message], bool, bytes]
"""Requests with complete heads, whether the connection was upgraded, and the bytes after that."""
_ASKED_FOR: Final = web.RequestKey("ASKED_FOR", bool)
"""Of a request whose client was sent an interim response."""
_CONTINUE: Final = "100-continue"
ARRIVING_BODIES_PER_ADDRESS_MAX: Final = 256
"""Bodies that one client address sends at a time; more are 429. A browser opens six connections, a busy proxy dozens."""
BODY_TIMEOUT_S: Final = 60.0
"""A body that takes longer to arrive is refused. 10 MiB pass at 1.4 Mbit/s."""
_JSON: Final = "application/json"
_CONTENT_TYPE_MAX_CHARACTERS: Final = 128
"""A media type with a charset and a parameter or two. Whoever reads parameters reads them at any length."""
_JSON_IN_UTF8: Final = re.compile(
    r"""application/json(?:[ \t]*;[ \t]*(?:charset="?utf-?8"?|(?!charset\b)[\w.+-]+=(?:[\w.+:/-]+|"[^"\\]*")))*[ \t]*;?""",
    re.IGNORECASE | re.ASCII,
)
"""Parameters other than the charset mean nothing for JSON (RFC 8259, 11), and some clients send them."""
_LARGEST_BODIES_AT_ONCE: Final = 32
"""Bodies of the largest size that are in memory together: 320 MiB by default."""
_FREE_BYTES: Final = 64 * 1024
"""Bytes of a body that no budget counts, as HEAD_FREE_BYTES of a head."""
_ADDRESSES_AT_LEAST: Final = 2
"""Addresses that share a budget at least: one address takes half at most, so never everything."""
# Targets of requests (RFC 9112, 3.2) are judged as bytes before there is a request object. aiohttp makes a URL of each, and asks
# a URL with an authority for its host when it makes the request: names in it are then decoded (IDNA) at whatever length. What
# its parser itself does with a target, of HEADER_MAX_BYTES at most, costs a fraction of a millisecond.
_ORIGIN_FORM: Final = re.compile(rb'/[!"$-~]*')
"""Visible characters without `#`: a fragment is no part of a target."""
_ABSOLUTE_FORM: Final = re.compile(
    rb"https?://(?P<authority>[A-Za-z0-9.:_~%\[\]-]{1,255})(?P<origin>/.*)", re.IGNORECASE
)
"""255: the longest name there is (RFC 1035, 2.3.4). Without user information, which no request may have (RFC 9110, 4.2.4)."""


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


class MemoryShare:
    """Bytes that the heads of one connection, or the body of one request, take of the budget of all.

    The first `free_bytes` count for nobody, so that small requests pass whatever the large ones do.
    """

    def __init__(self, budget: ByteBudget, address: str, free_bytes: int) -> None:
        self._budget = budget
        self._address = address
        self._free_bytes = free_bytes
        self._held = 0

    def resize(self, count: int) -> bool:
        """Hold memory for `count` bytes in all. Returns False, and holds what it held, when the budget does not allow it."""
        if count <= self._free_bytes and not self._held:
            return True
        more = max(0, count - self._free_bytes) - self._held
        if more > 0 and not self._budget.hold(self._address, more):
            return False
        if more < 0:
            self._budget.give_back(self._address, -more)
        self._held += more
        return True


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
            take_off(self._arriving, address)

    @contextmanager
    def memory(self, address: str) -> Iterator[Callable[[int], None]]:
        """Yields a function that takes so many bytes more for one request's body; the end of the context gives them back.

        The function raises NodeError `too_many_requests` when the node, or this address, may hold no more.
        """
        share, received = MemoryShare(self._budget, address, _FREE_BYTES), 0

        def take(count: int) -> None:
            nonlocal received
            received += count
            if not share.resize(received):
                raise _too_many("This node is reading as many large bodies as it can.")

        try:
            yield take
        finally:
            share.resize(0)


def _too_many(message: str) -> NodeError:
    return NodeError(ErrorCode.TOO_MANY_REQUESTS, message, fix="Send the request again in a moment.", retry_after_s=1)


def check_content_length(request: web.Request, max_body_bytes: int) -> None:
    """Refuse a body whose announced length is over the limit, before it is read. Raises NodeError 413."""
    length = request.content_length
    # An announced length alone decides: not a byte of the body is read.
    if length is not None and length > max_body_bytes:
        raise _too_large(max_body_bytes)


def awaits_continue(request: web.BaseRequest) -> bool:
    """Return whether the client waits for an interim response before it sends the body. In HTTP/1.0 no client does."""
    if request.content.is_eof() or request.version < HttpVersion11 or request.get(_ASKED_FOR):
        return False
    # As it was sent: `_without_expectation` has left it out of the headers that aiohttp looks at.
    return any(name.lower() == b"expect" and value.lower() == _CONTINUE.encode() for name, value in request.raw_headers)


def read_arrived(request: web.Request, max_body_bytes: int) -> bytes | None:
    """Return a body that is all there and takes no memory that is counted; None when it must be read otherwise."""
    content = request.content
    # `total_bytes` is what arrived: an announced length is the client's word.
    if not content.is_eof() or content.total_bytes > min(_FREE_BYTES, max_body_bytes):
        return None
    # The reason for which a body broke off is read, and answered, in one place: `read_body`.
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
        # One deadline for the whole body: a client that sends a byte now and then (slowloris) would never miss one per read.
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while chunk := await request.content.readany():
                add(chunk)
    except TimeoutError:
        message = f"The body did not arrive within {BODY_TIMEOUT_S:g} s."
        raise NodeError(ErrorCode.BAD_REQUEST, message, fix="Send the whole body at once.") from None
    except (web.RequestPayloadError, ConnectionError):
        # Never served in part: a body cut short may still be valid JSON.
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
    if awaits_continue(request):
        request[_ASKED_FOR] = True
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim answer is no part of the final one, whose headers may still be sent.
        request.writer.output_size = 0


def check_content_type(request: web.Request) -> None:
    """Refuse a body that is not JSON in UTF-8, or is compressed. Raises NodeError 415."""
    # Never by aiohttp's `charset`, for which the email package takes seconds over 8 kB of semicolons.
    given = request.headers.get("Content-Type", "")
    if given != _JSON and (len(given) > _CONTENT_TYPE_MAX_CHARACTERS or not _JSON_IN_UTF8.fullmatch(given)):
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


def with_origin_form(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request with its target in origin-form, or `*` of OPTIONS. Raises InvalidURLError for another target.

    An absolute-form is rewritten (RFC 9112, 3.2.2). Where its authority is not that of Host, Host is left out: a proxy may
    go by the one, the node by the other, so what they disagree on names no host.
    """
    target = message.path.encode("utf-8", "surrogateescape")
    # The usual form first; CONNECT has a form of its own, and nothing to connect to here.
    if message.method != "CONNECT" and _ORIGIN_FORM.fullmatch(target):
        return message
    if message.method == "OPTIONS" and target == b"*":
        return message
    absolute = _ABSOLUTE_FORM.fullmatch(target)
    if message.method == "CONNECT" or absolute is None or not _ORIGIN_FORM.fullmatch(absolute["origin"]):
        # Not with the target itself: messages of errors are logged.
        raise InvalidURLError("The target is in no form that is taken here.")
    origin = absolute["origin"].decode()
    path, _, query = origin.partition("?")
    headers = CIMultiDict(message.headers)
    if headers.get("Host", "").lower() != absolute["authority"].decode().lower():
        headers.popall("Host", None)
    return message._replace(
        path=origin,
        url=URL.build(path=path, query_string=query, encoded=True),
        headers=CIMultiDictProxy(headers),
    )


class RequestParser(Protocol):
    """The part of aiohttp's request parser that its connection handling uses."""

    def feed_data(self, data: bytes) -> Parsed:
        """Parse more bytes. Raises HttpProcessingError when they are no HTTP."""
        ...

    def message_consumed(self) -> None:
        """Note that a complete request is no longer waiting."""
        ...

    def pause_reading(self) -> None:
        """Stop reading: the arriving body is not consumed fast enough."""
        ...

    def feed_eof(self) -> RawRequestMessage | None:
        """Note that the client sends no more."""
        ...

    def set_upgraded(self, val: bool) -> None:
        """Set whether the following bytes are no HTTP."""
        ...


class BoundedParser:
    """aiohttp's `parser` of one connection, with bounds on what it must keep of heads, and of a body's trailers.

    The parser reports complete heads alone. So bytes are given to it in small pieces; a piece that completes nothing,
    while no body arrives, belongs to an unfinished head. A head that begins in the same piece in which a body ends is
    counted from the next piece on.
    """

    def __init__(self, parser: RequestParser, memory: MemoryShare, hang_up: Callable[[], None]) -> None:
        self._parser = parser
        self._memory = memory
        self._hang_up = hang_up
        self.completed = 0
        """Heads that have arrived whole."""
        self._unfinished = 0
        self._waiting: deque[int] = deque()
        self._body: StreamReader | None = None
        self._without_content = 0
        self._refused = False

    @property
    def is_unfinished(self) -> bool:
        """Whether a head has begun to arrive and is not complete."""
        return self._unfinished > 0

    def feed_data(self, data: bytes) -> Parsed:
        """Parse more bytes, none of those after a refusal. Raises HttpProcessingError, also for a head that is too large."""
        messages: list[Message] = []
        begin = 0
        # After a refusal nothing is parsed: where a message of doubtful length ends, a hidden one may begin (RFC 9112, 11.2).
        while not self._refused:
            piece = data[begin : begin + _PIECE_BYTES]
            begin += _PIECE_BYTES
            try:
                completed, upgraded, _ = self._feed(piece)
            except Exception:
                # Requests before this one in the same bytes are lost with it: the connection is closed after the 400.
                self._refuse()
                raise
            messages += completed
            if upgraded:
                # No other protocol is spoken here (RFC 9110, 7.8: Upgrade may be ignored). What follows is dropped, and the
                # connection closed: aiohttp would keep it until the answer has been read, outside of all these bounds.
                self._refuse()
                break
            if begin >= len(data):
                break
        return messages, False, b""

    def message_consumed(self) -> None:
        """Note that a complete request is in work now."""
        self._parser.message_consumed()
        if self._waiting:
            self._waiting.popleft()
            self._memory.resize(self._unfinished + sum(self._waiting))

    def pause_reading(self) -> None:
        """See RequestParser."""
        self._parser.pause_reading()

    def feed_eof(self) -> RawRequestMessage | None:
        """See RequestParser."""
        return self._parser.feed_eof()

    def set_upgraded(self, val: bool) -> None:
        """See RequestParser."""
        self._parser.set_upgraded(val)

    def close(self) -> None:
        """Free the memory of a closed connection."""
        self._refuse()

    def _feed(self, piece: bytes) -> Parsed:
        body = self._arriving()
        # Read before the parser runs: the difference tells whether the piece held content.
        content_bytes = 0 if body is None else body.total_bytes
        parsed, upgraded, rest = self._parser.feed_data(piece)
        completed = [
            (_without_expectation(_with_known_end(with_origin_form(message))), content) for message, content in parsed
        ]
        if completed:
            self._complete(completed)
        elif body is None:
            # Every byte counts, the blank lines before a request line (RFC 9112, 2.2) included.
            self._unfinished += len(piece)
        elif body.total_bytes == content_bytes:
            self._count_without_content(len(piece))
        else:
            self._without_content = 0
        if upgraded:
            self._unfinished = 0
        kept = self._unfinished + sum(self._waiting)
        # Heads that wait count too: pipelined requests are kept by aiohttp until their turn.
        if kept > HEAD_MAX_BYTES or not self._memory.resize(kept):
            raise BadHttpMessage("The headers are too large.")
        return completed, upgraded, rest

    def _arriving(self) -> StreamReader | None:
        """Returns the body of the latest request, unless it is complete."""
        return None if self._body is None or self._body.is_eof() else self._body

    def _complete(self, completed: Sequence[Message]) -> None:
        self._unfinished = self._without_content = 0
        self.completed += len(completed)
        self._body = completed[-1][1]
        self._waiting.extend(_head_bytes(message) for message, _ in completed)

    def _count_without_content(self, count: int) -> None:
        """Count bytes of a body that are not content: trailers, which the parser keeps like headers, and chunk extensions."""
        self._without_content += count
        if self._without_content > HEAD_MAX_BYTES:
            # No 400: the request is in work, and its answer may have begun.
            self._refuse()
            self._hang_up()

    def _refuse(self) -> None:
        self._refused = True
        self._unfinished = 0
        self._waiting.clear()
        self._memory.resize(0)


def _with_known_end(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request; one that asks for another protocol is the last of its connection.

    Raises BadHttpMessage for a Transfer-Encoding that a proxy before the node may read otherwise (RFC 9112, 6.1): any but
    `chunked`, and any at all in HTTP/1.0.
    """
    codings = message.headers.getall("Transfer-Encoding", ())
    if codings and (message.version < HttpVersion11 or [each.lower() for each in codings] != ["chunked"]):
        raise BadHttpMessage("The transfer encoding is none that is taken here.")
    # The parser drops what follows such a request in the same bytes, whichever protocol it names.
    return message._replace(should_close=True) if message.upgrade else message


def _without_expectation(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request without `Expect: 100-continue`: aiohttp would ask for the body on every path it does not know."""
    if message.headers.get("Expect", "").lower() != _CONTINUE:
        return message
    headers = CIMultiDict(message.headers)
    headers.popall("Expect")
    return message._replace(headers=CIMultiDictProxy(headers))


def _head_bytes(message: RawRequestMessage) -> int:
    headers = message.raw_headers
    content = sum(map(len, chain.from_iterable(headers)))
    return len(message.method) + len(message.path) + content + _SEPARATOR_BYTES * len(headers)
