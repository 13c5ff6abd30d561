"""Reads heads and bodies of requests within bounds on memory and time.

aiohttp bounds the length of one header and the number of headers, and has no bound on their product. A head (the request
line and all headers, RFC 9112 section 2.1) arrives before anything is known of its client, so its size and the time it
takes are bounded here, on every port alike. Bodies are bounded in number and memory by client address.
"""

import asyncio
import re
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Final, TypeAlias, cast

from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError, InvalidURLError, LineTooLong
from aiohttp.http_parser import HttpRequestParser, RawRequestMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from node.api.errors import ErrorCode, NodeError
from node.runtime.limits import Gate, Held, LimitReachedError
from node.settings.http import HttpSettings

HEAD_MAX_BYTES: Final = 32 * 1024
"""Bytes of a head, and of the heads that wait on one connection while an earlier request is in work (pipelining).
Clients of this API send less than 2 KiB."""
HEADS_TOO_LARGE: Final = "The headers are too large."
HEADER_MAX_BYTES: Final = 8190
"""Longest single header, as usual among HTTP servers."""
TARGET_MAX_BYTES: Final = 8192
"""Longest target of a request. Not the number of a header, so that aiohttp's error tells the two apart."""
HEADERS_MAX: Final = 128
"""Most headers of one request."""
_CONTINUE: Final = "100-continue"
_CHUNKED: Final = "chunked"
# Targets of requests (RFC 9112, 3.2) are judged as bytes before there is a request object. aiohttp makes a URL of each, and asks
# a URL with an authority for its host when it makes the request: names in it are then decoded (IDNA) at whatever length. What
# its parser itself does with a target, of HEADER_MAX_BYTES at most, costs a fraction of a millisecond.
_ORIGIN_FORM: Final = re.compile(rb'/[!"$-~]*')
"""Visible characters without `#`: a fragment is no part of a target."""
_ABSOLUTE_FORM: Final = re.compile(
    rb"https?://(?P<authority>[A-Za-z0-9.:_~%\[\]-]{1,255})(?P<origin>/.*)", re.IGNORECASE
)
"""255: the longest name there is (RFC 1035, 2.3.4). Without user information, which no request may have (RFC 9110, 4.2.4)."""

_HOST: Final = re.compile(
    r"(?:\[(?:[0-9A-F:.]+|v[0-9A-F]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-F]{2})*)(?::[0-9]*)?",
    re.ASCII | re.IGNORECASE,
)
"""RFC 9110, 7.2: `uri-host [":" port]` of RFC 3986. An empty one names no host, and is allowed."""
_TOO_MANY_HEADERS: Final = "Too many headers received"
_OTHER_VERSION: Final = ("Bad status line:\n  Invalid HTTP version:", "Pause on PRI/Upgrade:")
"""Beginnings of messages of aiohttp's parser that no type tells apart. The second one is about the preface of HTTP/2."""
HEAD_TIMEOUT_S: Final = 10.0
"""From the first byte of a head to its last."""
HEAD_FREE_BYTES: Final = 8 * 1024
"""Bytes of a head that no budget counts: ordinary requests pass however many slow heads there are."""
HEADS_MAX_BYTES_TOGETHER: Final = 16 * 1024 * 1024
"""Heads of all connections, and bodies that wait behind other requests, beyond the free bytes of each connection; half of
it of one address."""

PIPELINED_MAX: Final = 6
"""Requests that wait on one connection while another is in work. A body of each may have come, of two buffers' length."""
PIPELINED_ENOUGH: Final = PIPELINED_MAX - 1
"""No more is read where so many wait. One fewer, since the parser may count the request in work among them: it would stop
before its connection does, and nothing would let it go on."""
_PARSED_BYTES: Final = 8 * 1024
"""Bytes parsed at a time. A head is refused at most so far beyond its bound; a read from the socket has 256 KiB."""
_SEPARATOR_BYTES: Final = 4
"""Colon, space, CR and LF of one header."""

Message: TypeAlias = tuple[RawRequestMessage, StreamReader]
Parsed: TypeAlias = tuple[Sequence[Message], bool, bytes]
"""Requests with complete heads, whether the connection was upgraded, and the bytes after that."""

_ASKED_FOR: Final = web.RequestKey("ASKED_FOR", bool)
"""Of a request whose client was sent an interim response."""
ARRIVING_BODIES_PER_ADDRESS_MAX: Final = 256
"""Bodies that one client address sends at a time; more are 429. A browser opens six connections, a busy proxy dozens."""
BODY_TIMEOUT_S: Final = 60.0
"""A body that takes longer to arrive is refused. 10 MiB pass at 1.4 Mbit/s."""
_LARGEST_BODIES_AT_ONCE: Final = 32
"""Bodies of the largest size that are in memory together: 320 MiB by default."""
_FREE_BYTES: Final = 64 * 1024
"""Bytes of a body that no budget counts, as HEAD_FREE_BYTES of a head."""
_ADDRESSES_AT_LEAST: Final = 2
"""Addresses that share a budget at least: one address takes half at most, so never everything."""


class ArrivingBodies:
    """Bounds on arriving bodies, so that clients that stall keep nobody else out.

    Each address has so many bodies arriving at a time, and of the memory of all large ones half.
    """

    def __init__(self, limits: HttpSettings) -> None:
        memory = _LARGEST_BODIES_AT_ONCE * limits.http_max_body_bytes
        self._memory = shared_among_addresses("This node is reading as many large bodies as it can.", memory)
        self._arriving = Gate(
            "As many bodies of this address arrive, or wait to be read, as may be.",
            most_of_one=ARRIVING_BODIES_PER_ADDRESS_MAX,
        )

    def arriving(self, address: str) -> Held:
        """Take one of the address's places, while a body is waited for, or waits to be read. Raises LimitReachedError."""
        return self._arriving.place(address)

    def memory(self, address: str) -> Held:
        """Return the memory of one request's body, empty yet. Its `add` raises LimitReachedError when there is no more."""
        return Held(self._memory, address, _FREE_BYTES)


def shared_among_addresses(refusal: str, most_bytes: int) -> Gate:
    """Return a gate of bytes of which one client address holds half at most, so never everything."""
    return Gate(refusal, most_bytes, most_bytes // _ADDRESSES_AT_LEAST)


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


async def read_body(request: web.Request, max_body_bytes: int, take: Callable[[int], None]) -> bytes:
    """Return the whole body, announced or chunked; `take` is told of the memory it needs, and may refuse.

    Raises NodeError `payload_too_large` as soon as it is over the limit, and `bad_request` when it does not
    arrive in time or breaks off.
    """
    if not request.body_exists:
        return b""
    # Answered only now, when the body is really wanted (RFC 9110, 10.1.1).
    if awaits_continue(request):
        request[_ASKED_FOR] = True
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim answer is no part of the final one, whose headers may still be sent.
        request.writer.output_size = 0
    body = bytearray()

    def add(chunk: bytes) -> None:
        nonlocal body
        # Before the copy: a refusal must come before the memory is used.
        take(len(chunk))
        body += chunk
        if len(body) > max_body_bytes:
            raise _too_large(max_body_bytes)

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


def _too_large(max_body_bytes: int) -> NodeError:
    return NodeError(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"The body is larger than {max_body_bytes} bytes.",
        details={"max_body_bytes": max_body_bytes},
    )


class RefusedRequestError(HttpProcessingError):
    """Refusal of a request that has no handler yet. aiohttp's connection takes errors of this type alone."""

    def __init__(self, code: ErrorCode, message: str, fix: str, retry_after_s: int | None = None) -> None:
        super().__init__(message=message)
        self.refusal = NodeError(code, message, fix=fix, retry_after_s=retry_after_s)


def told_apart(error: HttpProcessingError) -> HttpProcessingError:
    """Return the parser's refusal, with a status of its own where RFC 9110 or RFC 6585 has one."""
    if error.message.startswith(_OTHER_VERSION):
        return _other_version()
    if isinstance(error, LineTooLong) and error.args[1] == TARGET_MAX_BYTES:
        message = f"The target of the request is longer than {TARGET_MAX_BYTES} bytes."
        return RefusedRequestError(ErrorCode.URI_TOO_LONG, message, "Send a shorter path or query.")
    if isinstance(error, LineTooLong) or error.message.startswith(_TOO_MANY_HEADERS):
        return headers_too_large()
    return error


def headers_too_large() -> RefusedRequestError:
    """Return the refusal of a head that is over one of its bounds."""
    return RefusedRequestError(
        ErrorCode.HEADERS_TOO_LARGE,
        "The headers of the request are too large, or too many.",
        f"Send at most {HEADERS_MAX} headers of {HEADER_MAX_BYTES} bytes each, and {HEAD_MAX_BYTES} bytes in all.",
    )


def too_many_waiting() -> RefusedRequestError:
    """Return the refusal of pipelined requests for which there is no memory."""
    return RefusedRequestError(
        ErrorCode.TOO_MANY_REQUESTS,
        "Too much waits behind other requests on connections of this address.",
        "Send a request when the one before it on its connection is answered.",
        retry_after_s=1,
    )


def _other_version() -> RefusedRequestError:
    message = "The request is of another version of HTTP than 1.1 and 1.0."
    return RefusedRequestError(ErrorCode.HTTP_VERSION_NOT_SUPPORTED, message, "Send HTTP/1.1.")


def judged(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request as it is served. Raises HttpProcessingError for one that is refused."""
    if message.version not in {HttpVersion10, HttpVersion11}:
        raise _other_version()
    # The parser has refused a request without Host, or with two of them, already.
    if not _HOST.fullmatch(message.headers.get("Host", "")):
        raise BadHttpMessage("The Host names no host.")
    _check_transfer_codings(message)
    message = _without_expectation(_with_origin_form(message))
    # A request for another protocol is the last of its connection: the parser drops what follows it in the same bytes.
    return message._replace(should_close=True) if message.upgrade else message


def _check_transfer_codings(message: RawRequestMessage) -> None:
    """Raises HttpProcessingError for any coding but `chunked`, and for any at all in HTTP/1.0 (RFC 9112, 6.1).

    A proxy before the node could see the end of such a body elsewhere.
    """
    named = message.headers.getall("Transfer-Encoding", ())
    if not named:
        return
    *before, last = [coding.strip().lower() for value in named for coding in value.split(",")]
    if message.version < HttpVersion11 or last != _CHUNKED or _CHUNKED in before:
        raise BadHttpMessage("The transfer encoding is none that a request may have.")
    if before:
        raise RefusedRequestError(
            ErrorCode.NOT_IMPLEMENTED,
            "The request has a transfer coding that is not implemented here.",
            "Send the body as it is, with Content-Length or Transfer-Encoding: chunked.",
        )


def _with_origin_form(message: RawRequestMessage) -> RawRequestMessage:
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


def _without_expectation(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request without `Expect: 100-continue`: aiohttp would ask for the body on every path it does not know."""
    if message.headers.get("Expect", "").lower() != _CONTINUE:
        return message
    headers = CIMultiDict(message.headers)
    headers.popall("Expect")
    return message._replace(headers=CIMultiDictProxy(headers))


class BoundedParser:
    """aiohttp's `parser` of one connection, with bounds on what it must keep of heads, and of a body's trailers.

    The parser reports complete heads alone. So bytes are given to it in small pieces; a piece that completes nothing,
    while no body arrives, belongs to an unfinished head. A head that begins in the same piece in which a body ends is
    counted from the next piece on.
    """

    def __init__(self, parser: HttpRequestParser, memory: Held, hang_up: Callable[[], None]) -> None:
        self._parser = parser
        self._memory = memory
        self._hang_up = hang_up
        self.completed = 0
        """Heads that have arrived whole."""
        self._unfinished = 0
        self._waiting: deque[tuple[int, StreamReader]] = deque()
        """Bytes of the head, and the body, of each request that waits."""
        self._body: StreamReader | None = None
        self._without_content = 0
        self._refused = False
        self._rest = b""

    @property
    def is_unfinished(self) -> bool:
        """Whether a head has begun to arrive and is not complete."""
        return self._unfinished > 0

    def feed_data(self, data: bytes) -> Parsed:
        """Parse more bytes, none of those after a refusal. Raises HttpProcessingError, also for a head that is too large.

        Where enough requests wait the rest is kept for the next call, and the connection reads no more.
        """
        messages: list[Message] = []
        begin = 0
        if self._rest:
            data, self._rest = self._rest + data, b""
        # After a refusal nothing is parsed: where a message of doubtful length ends, a hidden one may begin (RFC 9112, 11.2).
        while not self._refused:
            try:
                if len(self._waiting) >= PIPELINED_ENOUGH:
                    self._rest = data[begin:]
                    self._hold()
                    break
                completed, upgraded, _ = self._feed(data[begin : begin + _PARSED_BYTES])
            except Exception:
                # Requests before this one in the same bytes are lost with it: the connection is closed after the 400.
                # Of a body whose chunks or trailers are malformed no more comes: its request is not to wait for it.
                if (body := self._arriving()) is not None:
                    body.set_exception(web.RequestPayloadError())
                self._refuse()
                raise
            begin += _PARSED_BYTES
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
            self._memory.resize(self._heads() + self._behind())

    def pause_reading(self) -> None:
        """Pass on to the parser."""
        self._parser.pause_reading()

    def feed_eof(self) -> RawRequestMessage | None:
        """Pass on to the parser."""
        return self._parser.feed_eof()

    def set_upgraded(self, val: bool) -> None:
        """Pass on to the parser."""
        self._parser.set_upgraded(val)

    def close(self) -> None:
        """Free the memory of a closed connection."""
        self._refuse()

    def _feed(self, piece: bytes) -> Parsed:
        body = self._arriving()
        # Read before the parser runs: the difference tells whether the piece held content.
        content_bytes = 0 if body is None else body.total_bytes
        try:
            parsed, upgraded, rest = self._parser.feed_data(piece)
        except HttpProcessingError as error:
            raise told_apart(error) from None
        completed = [(judged(message), content) for message, content in parsed]
        if completed:
            self._complete(completed)
        elif body is None:
            # Every byte counts, the blank lines before a request line (RFC 9112, 2.2) included.
            self._unfinished += len(piece)
        elif body.total_bytes == content_bytes:
            # Trailers, which the parser keeps like headers, or chunk extensions.
            self._without_content += len(piece)
            if self._without_content > HEAD_MAX_BYTES:
                # No 400: the request is in work, and its answer may have begun.
                self._refuse()
                self._hang_up()
        else:
            self._without_content = 0
        if upgraded:
            self._unfinished = 0
        self._hold()
        return completed, upgraded, rest

    def _hold(self) -> None:
        """Count what is kept of requests. Raises RefusedRequestError when it is too much."""
        heads, behind = self._heads(), self._behind()
        if heads > HEAD_MAX_BYTES:
            raise headers_too_large()
        try:
            self._memory.resize(heads + behind)
        except LimitReachedError:
            raise too_many_waiting() if behind else headers_too_large() from None

    def _heads(self) -> int:
        # Heads that wait count too: pipelined requests are kept by aiohttp until their turn.
        return self._unfinished + sum(head for head, _ in self._waiting)

    def _behind(self) -> int:
        """Return the bytes of bodies that wait, and of what is not parsed yet.

        Of the first request that waits none: usually it is about to be in work, with bounds of its own.
        """
        if len(self._waiting) < 2:  # as nearly always
            return len(self._rest)
        return len(self._rest) + sum(body.total_bytes for _, body in islice(self._waiting, 1, None))

    def _arriving(self) -> StreamReader | None:
        """Returns the body of the latest request, unless it is complete."""
        return None if self._body is None or self._body.is_eof() else self._body

    def _complete(self, completed: Sequence[Message]) -> None:
        self._unfinished = self._without_content = 0
        self.completed += len(completed)
        self._body = completed[-1][1]
        self._waiting.extend((_head_bytes(message), body) for message, body in completed)

    def _refuse(self) -> None:
        self._refused = True
        self._rest = b""
        self._unfinished = 0
        self._waiting.clear()
        self._memory.resize(0)


def _head_bytes(message: RawRequestMessage) -> int:
    headers = message.raw_headers
    content = sum(map(len, chain.from_iterable(headers)))
    return len(message.method) + len(message.path) + content + _SEPARATOR_BYTES * len(headers)
