"""Bounds on what aiohttp's parser keeps of a connection: heads, trailers, and requests that wait."""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Final, TypeAlias

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.http_parser import HttpRequestParser, RawRequestMessage
from aiohttp.streams import StreamReader

from node.http import reading
from node.runtime.limits import Held, LimitReachedError

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
            raise reading.told_apart(error) from None
        completed = [(reading.judged(message), content) for message, content in parsed]
        if completed:
            self._complete(completed)
        elif body is None:
            # Every byte counts, the blank lines before a request line (RFC 9112, 2.2) included.
            self._unfinished += len(piece)
        elif body.total_bytes == content_bytes:
            # Trailers, which the parser keeps like headers, or chunk extensions.
            self._without_content += len(piece)
            if self._without_content > reading.HEAD_MAX_BYTES:
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
        if heads > reading.HEAD_MAX_BYTES:
            raise reading.headers_too_large()
        try:
            self._memory.resize(heads + behind)
        except LimitReachedError:
            raise reading.too_many_waiting() if behind else reading.headers_too_large() from None

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
