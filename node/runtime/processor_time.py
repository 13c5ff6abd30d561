"""Processor time of the event loop, bounded for each piece of work and for each client.

All clients share one thread. A piece of work that takes milliseconds is bounded by the size of
its input; shares bound the thread's time that one client's pieces take together. Other threads
would not help: JSON parsers and hash functions in C hold the interpreter lock.
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
"""Share of the event loop's time for one client's costly work. Two leave others over half."""
BURST_S: Final = 0.02
"""Processor time that a client may use beyond its share before it waits."""
COSTLY_S: Final = 0.0005
"""Minimum time of a piece that counts against the share. Admission bounds the shorter ones."""
TURN_S: Final = 0.001
"""Seconds charged to each piece that has waited, which spaces those that wait together."""
TRACKED_CLIENTS: Final = 10_000
"""Maximum clients whose use is remembered."""

Value = TypeVar("Value")


class ProcessorShares(TokenBuckets):
    """Token bucket of processor time for each client, charged after the work. Monotonic `clock`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("pieces of work", BURST_S, BURST_S / SHARE, clock, TRACKED_CLIENTS)
        self._queues: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def of(self, client: Hashable, on_spent: Callable[[float], None] | None = None) -> "ClientTime":
        """Returns one client's processor time. `on_spent` gets the seconds of each piece."""
        return ClientTime(self, client, on_spent)

    async def turn(self, client: Hashable) -> None:
        """Waits, in order of arrival, until the client's share allows another piece of work."""
        if not self.must_wait(client):
            return
        queue = self._queues.setdefault(client, asyncio.Lock())
        # Only one waiter watches the clock. A thousand that wake for each piece fill the loop.
        async with queue:
            wait_s = self.wait_s(client, 0)
            while wait_s:
                await asyncio.sleep(wait_s)
                wait_s = self.wait_s(client, 0)
            self.spend(client, TURN_S)

    def must_wait(self, client: Hashable) -> bool:
        """Returns whether the client has used up its share, or another of its pieces is waiting."""
        # Fast path for each message of a worker: without a bucket, no piece was counted or waits.
        if client not in self.full_at:
            return False
        queue = self._queues.get(client)
        return (queue is not None and queue.locked()) or self.wait_s(client, 0) > 0


class ClientTime:
    """Counts one client's work and delays its next piece. See `ProcessorShares.of`."""

    def __init__(
        self, shares: ProcessorShares, client: Hashable, on_spent: Callable[[float], None] | None = None
    ) -> None:
        self._shares = shares
        self._client = client
        self._on_spent = on_spent

    async def turn(self) -> None:
        """Waits until the client's share allows another piece of work."""
        await self._shares.turn(self._client)

    @property
    def must_wait(self) -> bool:
        """Returns whether `turn` would wait now."""
        return self._shares.must_wait(self._client)

    def spend(self, processor_s: float) -> None:
        """Counts one piece of work."""
        if processor_s >= COSTLY_S:
            self._shares.spend(self._client, processor_s)
        if self._on_spent is not None:
            self._on_spent(processor_s)

    async def in_thread(self, work: Callable[[], Value]) -> Value:
        """Runs the work in a thread, and counts its processor time there."""
        took_s = 0.0

        # Counted inside the thread, since waiting for a free one is not the client's work.
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
        """Returns the coroutine with each of its steps counted, but not the time it waits."""
        return _counted(work, self.spend)


@coroutine
def _counted(work: Coroutine[Any, Any, Value], spend: Callable[[float], None]) -> Generator[Any, Any, Value]:
    step, value = work.send, None
    while True:
        # This thread's processor time. The wall clock would charge the time of other processes.
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
"""Bytes scanned in one C call, up to a millisecond. Other threads may run between the calls."""
_OPENINGS: Final = (b"[", b"{")
_SEPARATORS: Final = (b",", *_OPENINGS)
_NAMES: Final = (b":", *_OPENINGS)
_QUOTES_A_VALUE: Final = 4
"""Quotes of a value that is a string with a name."""


def require_few_values(body: bytes, values_max: int, names_max: int | None = None) -> None:
    """Checks that `body`, read as JSON, has about `values_max` values at most. Raises ValueError.

    Ten megabytes of `[],[],…` are three million objects: hundreds of megabytes, and seconds of the
    event loop. Counting separators before parsing takes milliseconds. Every value but the first
    follows a comma or opens its list or object. Separators inside strings do not count. `names_max`
    bounds names, lists and objects, which cost most. The error's message is for the client.
    """
    bounds = (values_max, values_max if names_max is None else names_max)
    signs = (_SEPARATORS, _OPENINGS if names_max is None else _NAMES)
    # Each separator is a byte, so most bodies are too short to exceed a bound.
    if len(body) < min(bounds):
        return
    # Nearly every body passes this count, which includes separators inside strings.
    if all(_count(_pieces(body), each) < bound for each, bound in zip(signs, bounds, strict=True)):
        return
    counts, quotes, escape = [0, 0], 0, b""
    for each in _pieces(body):
        piece, escape = _without_escapes(escape + each)
        parts = piece.split(b'"')
        # After an even number of quotes, the text up to the next quote is outside of strings.
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
    """Returns the piece without escaped characters, and the backslash that escapes the next one."""
    if b"\\" not in piece:
        return piece, b""
    rest = piece.replace(b"\\\\", b"")
    escape = b"\\" if rest.endswith(b"\\") else b""
    return rest.removesuffix(b"\\").replace(b'\\"', b""), escape
