"""Reads heads and bodies of requests within bounds on memory and time.

aiohttp bounds the length of a header and the number of headers, but not their product. A request
head (request line and headers, RFC 9112 section 2.1) arrives before its client is known. So its
size and duration are bounded here, on every port. Arriving bodies are bounded by client address.
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
"""Most bytes of a head, and of all heads that wait on one connection behind the request in work
(pipelining). Clients of this API send less than 2 KiB."""
HEADS_TOO_LARGE: Final = "The headers are too large."
HEADER_MAX_BYTES: Final = 8190
"""Most bytes of a single header; HTTP servers usually have this limit."""
TARGET_MAX_BYTES: Final = 8192
"""Most bytes of a request target. Unlike HEADER_MAX_BYTES, so that aiohttp's error tells which."""
HEADERS_MAX: Final = 128
"""Most headers of one request."""
_CONTINUE: Final = "100-continue"
_CHUNKED: Final = "chunked"
# Request targets (RFC 9112, 3.2) are checked as bytes before a request object exists. aiohttp
# makes a URL of each target and decodes (IDNA) the host of an absolute one, however long it is.
# Its parser spends a fraction of a millisecond on a target, since the length is bounded.
_ORIGIN_FORM: Final = re.compile(rb'/[!"$-~]*')
"""Visible ASCII without `#`, since a target contains no fragment."""
_ABSOLUTE_FORM: Final = re.compile(
    rb"https?://(?P<authority>[A-Za-z0-9.:_~%\[\]-]{1,255})(?P<origin>/.*)", re.IGNORECASE
)
"""At most 255 characters of authority (RFC 1035, 2.3.4), without userinfo (RFC 9110, 4.2.4)."""

_HOST: Final = re.compile(
    r"(?:\[(?:[0-9A-F:.]+|v[0-9A-F]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-F]{2})*)(?::[0-9]*)?",
    re.ASCII | re.IGNORECASE,
)
"""`uri-host [":" port]` of RFC 9110, 7.2. An empty Host names no host, and is allowed."""
_TOO_MANY_HEADERS: Final = "Too many headers received"
_OTHER_VERSION: Final = ("Bad status line:\n  Invalid HTTP version:", "Pause on PRI/Upgrade:")
"""Starts of aiohttp's messages that share an error type. The second is for HTTP/2's preface."""
HEAD_TIMEOUT_S: Final = 10.0
"""Longest time from the first byte of a head to its last."""
HEAD_FREE_BYTES: Final = 8 * 1024
"""Bytes of a head that count against no budget, so that slow heads cannot block usual requests."""
HEADS_MAX_BYTES_TOGETHER: Final = 16 * 1024 * 1024
"""Most bytes of the heads, and of the bodies that wait behind other requests, of all connections
beyond the free bytes of each. One address may use half of it."""

PIPELINED_MAX: Final = 6
"""Most requests that wait on one connection. Each may have two buffers of its body in memory."""
PIPELINED_ENOUGH: Final = PIPELINED_MAX - 1
"""Waiting requests at which a connection stops reading. One fewer than PIPELINED_MAX, since the
parser may count the request in work too: it would stop first, and nothing would resume it."""
_PARSED_BYTES: Final = 8 * 1024
"""Bytes parsed at a time; a head exceeds its bound by at most this. A socket read has 256 KiB."""
_SEPARATOR_BYTES: Final = 4
"""Bytes of the colon, space, CR and LF of one header."""

Message: TypeAlias = tuple[RawRequestMessage, StreamReader]
Parsed: TypeAlias = tuple[Sequence[Message], bool, bytes]
"""Requests with complete heads, whether the connection was upgraded, and the bytes after that."""

_ASKED_FOR: Final = web.RequestKey("ASKED_FOR", bool)
"""Set on a request whose client was sent `100 Continue`."""
ARRIVING_BODIES_PER_ADDRESS_MAX: Final = 256
"""Most bodies that one address sends at a time (then 429). Browsers open six, proxies dozens."""
BODY_TIMEOUT_S: Final = 60.0
"""Longest time in which a body must arrive. 10 MiB need 1.4 Mbit/s."""
_LARGEST_BODIES_AT_ONCE: Final = 32
"""Number of bodies of the largest size that fit into memory together: 320 MiB by default."""
_FREE_BYTES: Final = 64 * 1024
"""Bytes of a body that count against no budget, like HEAD_FREE_BYTES of a head."""
_ADDRESSES_AT_LEAST: Final = 2
"""Least number of addresses that share a budget: one address gets at most half of it."""


class ArrivingBodies:
    """Bounds on arriving bodies, so that stalled clients cannot block other clients.

    They limit the bodies that arrive from an address, and its part (half) of the memory for bodies.
    """

    def __init__(self, limits: HttpSettings) -> None:
        memory = _LARGEST_BODIES_AT_ONCE * limits.http_max_body_bytes
        self._memory = shared_among_addresses("This node is reading as many large bodies as it can.", memory)
        self._arriving = Gate(
            "As many bodies of this address arrive, or wait to be read, as may be.",
            most_of_one=ARRIVING_BODIES_PER_ADDRESS_MAX,
        )

    def arriving(self, address: str) -> Held:
        """Take a place of the address for an incoming or waiting body. Raises LimitReachedError."""
        return self._arriving.place(address)

    def memory(self, address: str) -> Held:
        """Return the empty memory of a request's body. Its `add` may raise LimitReachedError."""
        return Held(self._memory, address, _FREE_BYTES)


def shared_among_addresses(refusal: str, most_bytes: int) -> Gate:
    """Return a gate of bytes of which one client address can hold at most half."""
    return Gate(refusal, most_bytes, most_bytes // _ADDRESSES_AT_LEAST)


def check_content_length(request: web.Request, max_body_bytes: int) -> None:
    """Refuse a body whose announced length is over the limit. Raises NodeError 413."""
    length = request.content_length
    # The announced length alone decides, and no byte of the body is read.
    if length is not None and length > max_body_bytes:
        raise _too_large(max_body_bytes)


def awaits_continue(request: web.BaseRequest) -> bool:
    """Return whether the client waits for `100 Continue`. A client of HTTP/1.0 never does."""
    if request.content.is_eof() or request.version < HttpVersion11 or request.get(_ASKED_FOR):
        return False
    # Raw headers, since `_without_expectation` removed Expect from the parsed ones.
    return any(name.lower() == b"expect" and value.lower() == _CONTINUE.encode() for name, value in request.raw_headers)


def read_arrived(request: web.Request, max_body_bytes: int) -> bytes | None:
    """Return a body that has arrived and needs no counted memory; None if `read_body` must read."""
    content = request.content
    # `total_bytes` counts what arrived; the announced length is only the client's claim.
    if not content.is_eof() or content.total_bytes > min(_FREE_BYTES, max_body_bytes):
        return None
    # `read_body` alone reads the reason why a body broke off, and reports it.
    if content.exception() is not None:
        return None
    return content.read_nowait() if content.total_bytes else b""


async def read_body(request: web.Request, max_body_bytes: int, take: Callable[[int], None]) -> bytes:
    """Return the whole body. `take` is called with each amount of memory it needs, and may refuse.

    Raises NodeError `payload_too_large` when the body is over the limit, and `bad_request` when it
    is late or breaks off.
    """
    if not request.body_exists:
        return b""
    # Sent only now, when the body is needed (RFC 9110, 10.1.1).
    if awaits_continue(request):
        request[_ASKED_FOR] = True
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The interim response is not part of the final one, whose headers may still be sent.
        request.writer.output_size = 0
    body = bytearray()

    def add(chunk: bytes) -> None:
        nonlocal body
        # Called before the copy, since a refusal must come before the memory is used.
        take(len(chunk))
        body += chunk
        if len(body) > max_body_bytes:
            raise _too_large(max_body_bytes)

    try:
        if request.content.is_eof():  # the whole body has arrived
            add(request.content.read_nowait())
            return _whole(body)
        # One deadline for the whole body: a slow client (slowloris) never misses one per read.
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while chunk := await request.content.readany():
                add(chunk)
    except TimeoutError:
        message = f"The body did not arrive within {BODY_TIMEOUT_S:g} s."
        raise NodeError(ErrorCode.BAD_REQUEST, message, fix="Send the whole body at once.") from None
    except (web.RequestPayloadError, ConnectionError):
        # A partial body is never served, since it may still be valid JSON.
        message = "The body broke off, or its transfer encoding is wrong."
        raise NodeError(
            ErrorCode.BAD_REQUEST, message, fix="Send the whole body, as its headers announce it."
        ) from None
    return _whole(body)


def _whole(body: bytearray) -> bytes:
    """Return the body. A large one is not copied, since copying 10 MB takes milliseconds."""
    return bytes(body) if len(body) <= _FREE_BYTES else cast("bytes", body)


def _too_large(max_body_bytes: int) -> NodeError:
    return NodeError(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"The body is larger than {max_body_bytes} bytes.",
        details={"max_body_bytes": max_body_bytes},
    )


class RefusedRequestError(HttpProcessingError):
    """Refusal before a request has its handler; aiohttp's connection takes only this error type."""

    def __init__(self, code: ErrorCode, message: str, fix: str, retry_after_s: int | None = None) -> None:
        super().__init__(message=message)
        self.refusal = NodeError(code, message, fix=fix, retry_after_s=retry_after_s)


def told_apart(error: HttpProcessingError) -> HttpProcessingError:
    """Return the parser's error, replaced where RFC 9110 or RFC 6585 has a status of its own."""
    if error.message.startswith(_OTHER_VERSION):
        return _other_version()
    if isinstance(error, LineTooLong) and error.args[1] == TARGET_MAX_BYTES:
        message = f"The target of the request is longer than {TARGET_MAX_BYTES} bytes."
        return RefusedRequestError(ErrorCode.URI_TOO_LONG, message, "Send a shorter path or query.")
    if isinstance(error, LineTooLong) or error.message.startswith(_TOO_MANY_HEADERS):
        return headers_too_large()
    return error


def headers_too_large() -> RefusedRequestError:
    """Return the refusal of a head that exceeds one of its bounds."""
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
    """Return the request as it is served. Raises HttpProcessingError when it is refused."""
    if message.version not in {HttpVersion10, HttpVersion11}:
        raise _other_version()
    # The parser has already refused a request with no Host, or with two.
    if not _HOST.fullmatch(message.headers.get("Host", "")):
        raise BadHttpMessage("The Host names no host.")
    _check_transfer_codings(message)
    message = _without_expectation(_with_origin_form(message))
    # A request with Upgrade ends its connection, since the parser drops the bytes behind it.
    return message._replace(should_close=True) if message.upgrade else message


def _check_transfer_codings(message: RawRequestMessage) -> None:
    """Raises HttpProcessingError for any coding but `chunked`; in HTTP/1.0 for every coding.

    A proxy before the node could find another end of such a body (RFC 9112, 6.1).
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
    """Return the request with its target in origin-form, or `*` for OPTIONS.

    An absolute-form is rewritten (RFC 9112, 3.2.2). If its authority differs from Host, Host is
    removed, since a proxy may have used the other one. Raises InvalidURLError for other targets.
    """
    target = message.path.encode("utf-8", "surrogateescape")
    # The usual form is tried first. CONNECT has its own form and is not supported.
    if message.method != "CONNECT" and _ORIGIN_FORM.fullmatch(target):
        return message
    if message.method == "OPTIONS" and target == b"*":
        return message
    absolute = _ABSOLUTE_FORM.fullmatch(target)
    if message.method == "CONNECT" or absolute is None or not _ORIGIN_FORM.fullmatch(absolute["origin"]):
        # The message leaves the target out, since error messages are logged.
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
    """Return the request without `Expect`, or aiohttp would ask for the body on unknown paths."""
    if message.headers.get("Expect", "").lower() != _CONTINUE:
        return message
    headers = CIMultiDict(message.headers)
    headers.popall("Expect")
    return message._replace(headers=CIMultiDictProxy(headers))


class BoundedParser:
    """Bounds what aiohttp's `parser` of one connection keeps of heads and trailers.

    The parser reports complete heads only, so it gets the bytes in small pieces. If a piece
    completes nothing and no body arrives, it belongs to an unfinished head. If a piece ends a body
    and begins a head, that head is counted from the next piece on.
    """

    def __init__(self, parser: HttpRequestParser, memory: Held, hang_up: Callable[[], None]) -> None:
        self._parser = parser
        self._memory = memory
        self._hang_up = hang_up
        self.completed = 0
        """Number of heads that have arrived completely."""
        self._unfinished = 0
        self._waiting: deque[tuple[int, StreamReader]] = deque()
        """Bytes of the head, and the body, of each waiting request."""
        self._body: StreamReader | None = None
        self._without_content = 0
        self._refused = False
        self._rest = b""

    @property
    def is_unfinished(self) -> bool:
        """Whether a head has begun to arrive and is not complete."""
        return self._unfinished > 0

    def feed_data(self, data: bytes) -> Parsed:
        """Parse more bytes; none after a refusal. Raises HttpProcessingError, also for large heads.

        When enough requests wait, the rest is kept for the next call and reading stops.
        """
        messages: list[Message] = []
        begin = 0
        if self._rest:
            data, self._rest = self._rest + data, b""
        # If a message's length is doubtful, another may hide behind it (RFC 9112, 11.2).
        while not self._refused:
            try:
                if len(self._waiting) >= PIPELINED_ENOUGH:
                    self._rest = data[begin:]
                    self._hold()
                    break
                completed, upgraded, _ = self._feed(data[begin : begin + _PARSED_BYTES])
            except Exception:
                # The connection closes after the 400, so earlier requests in these bytes are lost.
                # The request whose body is malformed must not wait for the rest of it.
                if (body := self._arriving()) is not None:
                    body.set_exception(web.RequestPayloadError())
                self._refuse()
                raise
            begin += _PARSED_BYTES
            messages += completed
            if upgraded:
                # Upgrade may be ignored (RFC 9110, 7.8), and is. The rest is dropped and the
                # connection closed: aiohttp would keep it, unbounded, until the response is read.
                self._refuse()
                break
            if begin >= len(data):
                break
        return messages, False, b""

    def message_consumed(self) -> None:
        """Note that a complete request is now in work."""
        self._parser.message_consumed()
        if self._waiting:
            self._waiting.popleft()
            self._memory.resize(self._heads() + self._behind())

    def pause_reading(self) -> None:
        """Pauses aiohttp's parser."""
        self._parser.pause_reading()

    def feed_eof(self) -> RawRequestMessage | None:
        """Returns what aiohttp's parser returns at the end of input."""
        return self._parser.feed_eof()

    def set_upgraded(self, val: bool) -> None:
        """Passes the flag to aiohttp's parser."""
        self._parser.set_upgraded(val)

    def close(self) -> None:
        """Free the memory of a closed connection."""
        self._refuse()

    def _feed(self, piece: bytes) -> Parsed:
        body = self._arriving()
        # Read before the parser runs, since the difference shows whether the piece had content.
        content_bytes = 0 if body is None else body.total_bytes
        try:
            parsed, upgraded, rest = self._parser.feed_data(piece)
        except HttpProcessingError as error:
            raise told_apart(error) from None
        completed = [(judged(message), content) for message, content in parsed]
        if completed:
            self._complete(completed)
        elif body is None:
            # Every byte counts, also blank lines before a request line (RFC 9112, 2.2).
            self._unfinished += len(piece)
        elif body.total_bytes == content_bytes:
            # The piece holds chunk extensions, or trailers, which the parser keeps like headers.
            self._without_content += len(piece)
            if self._without_content > HEAD_MAX_BYTES:
                # No 400 is sent: the request is in work, and its response may have begun.
                self._refuse()
                self._hang_up()
        else:
            self._without_content = 0
        if upgraded:
            self._unfinished = 0
        self._hold()
        return completed, upgraded, rest

    def _hold(self) -> None:
        """Count the bytes kept for requests. Raises RefusedRequestError when there are too many."""
        heads, behind = self._heads(), self._behind()
        if heads > HEAD_MAX_BYTES:
            raise headers_too_large()
        try:
            self._memory.resize(heads + behind)
        except LimitReachedError:
            raise too_many_waiting() if behind else headers_too_large() from None

    def _heads(self) -> int:
        # Waiting heads count too, since aiohttp keeps pipelined requests until it serves them.
        return self._unfinished + sum(head for head, _ in self._waiting)

    def _behind(self) -> int:
        """Return the bytes of waiting bodies and of what is not parsed yet.

        The first waiting request does not count: usually it starts soon, with bounds of its own.
        """
        if len(self._waiting) < 2:  # the usual case
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
