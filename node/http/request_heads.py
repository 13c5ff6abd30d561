"""Bounds on request heads: the request line and all headers of a request (RFC 9112 section 2.1).

aiohttp bounds the length of one header and the number of headers, and has no bound on their product. A head arrives
before anything is known of its client, so its size and the time it takes are bounded here, on every port alike.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final, Protocol, TypeAlias

from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import StreamReader

from node.http.body import ByteBudget

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


class HeadMemory:
    """Bytes that the unfinished and waiting heads of one connection take of the budget of all connections."""

    def __init__(self, budget: ByteBudget, address: str) -> None:
        self._budget = budget
        self._address = address
        self._held = 0

    def resize(self, count: int) -> bool:
        """Hold memory for `count` bytes. Returns False when the budget does not allow it."""
        if count <= HEAD_FREE_BYTES and not self._held:
            return True
        more = max(0, count - HEAD_FREE_BYTES) - self._held
        if more > 0 and not self._budget.hold(self._address, more):
            return False
        if more < 0:
            self._budget.give_back(self._address, -more)
        self._held += more
        return True


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

    def __init__(self, parser: RequestParser, memory: HeadMemory, hang_up: Callable[[], None]) -> None:
        self._parser = parser
        self._memory = memory
        self._hang_up = hang_up
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
        while not self._refused:
            piece = data[begin : begin + _PIECE_BYTES]
            begin += _PIECE_BYTES
            try:
                completed, upgraded, _ = self._feed(piece)
            except Exception:
                self._refuse()
                raise
            messages += completed
            if upgraded:
                # No other protocol is spoken here (RFC 9110, 7.8: Upgrade may be ignored). What follows is dropped, and the
                # connection closed: aiohttp would keep it until the answer has been read, outside of all these bounds.
                if completed:
                    message, body = completed[-1]
                    messages[-1] = message._replace(should_close=True), body
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
        completed, upgraded, _ = parsed = self._parser.feed_data(piece)
        if completed:
            self._complete(completed)
        elif body is None:
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
        return parsed

    def _arriving(self) -> StreamReader | None:
        """Returns the body of the latest request, unless it is complete."""
        return None if self._body is None or self._body.is_eof() else self._body

    def _complete(self, completed: Sequence[Message]) -> None:
        self._unfinished = self._without_content = 0
        self._body = completed[-1][1]
        self._waiting.extend(_head_bytes(message) for message, _ in completed)

    def _count_without_content(self, count: int) -> None:
        """Count bytes of a body that are not content: trailers, which the parser keeps like headers, and chunk extensions."""
        self._without_content += count
        if self._without_content > HEAD_MAX_BYTES:
            self._refuse()
            self._hang_up()

    def _refuse(self) -> None:
        self._refused = True
        self._unfinished = 0
        self._waiting.clear()
        self._memory.resize(0)


def _head_bytes(message: RawRequestMessage) -> int:
    headers = message.raw_headers
    content = sum(map(len, chain.from_iterable(headers)))
    return len(message.method) + len(message.path) + content + _SEPARATOR_BYTES * len(headers)
