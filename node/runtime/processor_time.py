"""Processor time of the event loop: bounds on one piece of work, and on what the pieces of one client take together.

All clients are served by one thread. Work that takes milliseconds in one piece is bounded by the size of its input; shares
bound how much of the thread's time one client's pieces take together. Moving such work to another thread does not: JSON
parsers and hash functions written in C hold the interpreter lock until they return.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Hashable, Iterable, Iterator, Sequence
from types import coroutine
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from node.runtime.limits import TokenBuckets
from node.runtime.tasks import in_thread

SHARE: Final = 0.2
"""Part of the event loop's time that one client's costly pieces may take: two such clients leave others more than half."""
BURST_S: Final = 0.02
"""Processor time that a client may have used beyond its share before it waits."""
COSTLY_S: Final = 0.0005
"""Shorter pieces are not counted against the share: small actions in any number are bounded by admission."""
TURN_S: Final = 0.001
"""Taken from the share by each one that has waited, so that those who wait for the same moment go one after another."""
TRACKED_CLIENTS: Final = 10_000
"""Clients whose use is remembered."""

Value = TypeVar("Value")


class ProcessorShares(TokenBuckets):
    """Token buckets of processor time, one a client, paid after the work. `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("pieces of work", BURST_S, BURST_S / SHARE, clock, TRACKED_CLIENTS)
        self._queues: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def of(self, client: Hashable, on_spent: Callable[[float], None] | None = None) -> "ClientTime":
        """Return the processor time of one client; `on_spent` is called with the seconds of each piece of work."""
        return ClientTime(self, client, on_spent)

    async def turn(self, client: Hashable) -> None:
        """Wait until the client's share allows another piece of work; those who wait are let go in the order they came."""
        if not self.must_wait(client):
            return
        queue = self._queues.setdefault(client, asyncio.Lock())
        # One of them watches the clock: were all of a thousand to wake for each piece, that alone would fill the loop.
        async with queue:
            wait_s = self.wait_s(client, 0)
            while wait_s:
                await asyncio.sleep(wait_s)
                wait_s = self.wait_s(client, 0)
            self.spend(client, TURN_S)

    def must_wait(self, client: Hashable) -> bool:
        """Return whether the client has used its share up, or others of its pieces wait already."""
        # Nothing was counted: so it was for every piece before, and none of them waits. Asked for each message of a worker.
        if client not in self.full_at:
            return False
        queue = self._queues.get(client)
        return (queue is not None and queue.locked()) or self.wait_s(client, 0) > 0


class ClientTime:
    """Counts one client's work and delays its next piece; see `ProcessorShares.of`."""

    def __init__(
        self, shares: ProcessorShares, client: Hashable, on_spent: Callable[[float], None] | None = None
    ) -> None:
        self._shares = shares
        self._client = client
        self._on_spent = on_spent

    async def turn(self) -> None:
        """Wait until the client's share allows another piece of work."""
        await self._shares.turn(self._client)

    @property
    def must_wait(self) -> bool:
        """Return whether `turn` would wait now."""
        return self._shares.must_wait(self._client)

    def spend(self, processor_s: float) -> None:
        """Count one piece of work."""
        if processor_s >= COSTLY_S:
            self._shares.spend(self._client, processor_s)
        if self._on_spent is not None:
            self._on_spent(processor_s)

    async def in_thread(self, work: Callable[[], Value]) -> Value:
        """Do the work in a thread, and count the processor time it takes there."""
        took_s = 0.0

        # Counted inside the thread: waiting for a free one is not the client's work.
        def counted_work() -> Value:
            nonlocal took_s
            began_s = time.thread_time()
            try:
                return work()
            finally:
                took_s = time.thread_time() - began_s

        try:
            return await in_thread(counted_work)
        finally:
            self.spend(took_s)

    def counted(self, work: Coroutine[Any, Any, Value]) -> Awaitable[Value]:
        """Return the coroutine, each of its steps on the event loop counted, and not the time it waits."""
        return _counted(work, self.spend)


@coroutine
def _counted(work: Coroutine[Any, Any, Value], spend: Callable[[float], None]) -> Generator[Any, Any, Value]:
    step, value = work.send, None
    while True:
        # This thread's processor time: the wall clock would charge the client for what other processes took.
        began_s = time.thread_time()
        try:
            waited_for = step(value)
        except StopIteration as ended:
            result: Value = ended.value
            return result
        finally:
            spend(time.thread_time() - began_s)
        try:
            value, step = (yield waited_for), work.send
        except BaseException as error:  # noqa: BLE001 - cancellation too belongs to the work
            value, step = error, work.throw


_PIECE_BYTES: Final = 64 * 1024
"""Each step over a piece takes up to a millisecond in C; between the steps another thread may have the interpreter."""
_OPENINGS: Final = (b"[", b"{")
_SEPARATORS: Final = (b",", *_OPENINGS)
_NAMES: Final = (b":", *_OPENINGS)
_QUOTES_A_VALUE: Final = 4
"""Two of its name and two of its own."""


def require_few_values(body: bytes, values_max: int, names_max: int | None = None) -> None:
    """Pass when `body`, read as JSON, holds at most about `values_max` values. Raises ValueError, fit for the client.

    Ten megabytes of `[],[],…` are three million objects: hundreds of megabytes, and seconds in which nobody else is served.
    Counting separators before any parser runs costs milliseconds. Every value but the first follows a comma or opens its
    list or object; what stands in strings does not count. Of names, lists and objects, which cost most, there may be about
    `names_max`.
    """
    bounds = (values_max, values_max if names_max is None else names_max)
    signs = (_SEPARATORS, _OPENINGS if names_max is None else _NAMES)
    # Each separator is a byte: most bodies are too short to hold so many, and are not looked at.
    if len(body) < min(bounds):
        return
    # Nearly every body passes by this count, which takes the separators inside strings for values.
    if all(_count(_pieces(body), each) < bound for each, bound in zip(signs, bounds, strict=True)):
        return
    counts, quotes, escape = [0, 0], 0, b""
    for each in _pieces(body):
        piece, escape = _without_escapes(escape + each)
        parts = piece.split(b'"')
        # An even number of quotes before it: the text up to the next quote is outside of strings.
        outside = b"".join(parts[quotes % 2 :: 2])
        quotes += len(parts) - 1
        counts = [count + _count((outside,), sign) for count, sign in zip(counts, signs, strict=True)]
        if counts[0] >= bounds[0] or quotes > _QUOTES_A_VALUE * (values_max + 1):
            raise ValueError(f"The body holds more than {values_max} values.")
        if counts[1] >= bounds[1]:
            raise ValueError(f"The body holds more than {names_max} names, lists and objects.")


def _pieces(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _PIECE_BYTES] for start in range(0, len(body), _PIECE_BYTES))


def _count(texts: Iterable[bytes], signs: Sequence[bytes]) -> int:
    return sum(text.count(sign) for text in texts for sign in signs)


def _without_escapes(piece: bytes) -> tuple[bytes, bytes]:
    """Return the piece without escaped backslashes and quotes, and the backslash at its end that escapes what follows, if any."""
    if b"\\" not in piece:
        return piece, b""
    rest = piece.replace(b"\\\\", b"")
    escape = b"\\" if rest.endswith(b"\\") else b""
    return rest.removesuffix(b"\\").replace(b'\\"', b""), escape
