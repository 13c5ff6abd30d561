"""An action in a worker, with its instance, its inbox and its stream of frames."""

import time
from collections import deque
from collections.abc import Callable

from node.engine.protocol import WAITING_CALL_BYTES
from node.engine.worker.channel import FiberChannel
from node.engine.worker.instance import GuestError, Host, Instance, Snapshot

_START, _SETTLE, _TICK = range(3)
_HEADER_BYTES = 5
_U32 = 0xFFFFFFFF
_ENDED = -2
_NS_PER_MS = 1_000_000
_UTF8_BYTES_MAX = 3
"""Maximum UTF-8 bytes of a JavaScript unit. A frame of over 4 limits costs the whole worker."""
_FRAMES_AT_ONCE = 16_384
"""Maximum frames, more than fit into the guest's buffer, so that reading them stays short."""
LOG, CALL, DONE, ERROR, OUT_OF_MEMORY, CRASHED = b"LCDEMX"
_CALL_HEAD_BYTES = 12
"""Bytes of a bracket, the number of a call (at most nine digits), and a comma."""
_LAST = frozenset((DONE, ERROR, OUT_OF_MEMORY, CRASHED))


class FiberLimits:
    """Limits of one action. `frame_bytes` and `log_bytes` are characters (bridge.js, `deliver`)."""

    def __init__(self, memory_bytes: int, frame_bytes: int, log_bytes: int) -> None:
        self.memory_bytes = memory_bytes
        self.frame_bytes = _UTF8_BYTES_MAX * (frame_bytes + 1)
        self.job_part = f',"longestFrame":{frame_bytes},"longestLine":{log_bytes},'.encode()


class Fiber:
    """An action. `due_ns` is its next timer (monotonic) or None; `has_ended` if all is freed."""

    def __init__(
        self, number: int, instance: Instance, snapshot: Snapshot, limits: FiberLimits, yield_soon: Callable[[], None]
    ) -> None:
        self.number = number
        self.due_ns: int | None = None
        self.has_ended = False
        self.is_spent = False
        """Whether it used up its slice and wants another. Those that did not run first."""
        self._instance = instance
        self._snapshot = snapshot
        self._has_run = False
        self._limits = limits
        self._yield_soon = yield_soon
        self._inbox: deque[tuple[int, bytes]] = deque()
        self._given: tuple[int, bytes] | None = None
        """Text to copy into memory that the guest is allocating."""
        self._stream = bytearray()
        self._outcome: tuple[int, bytes] | None = None
        self._taken = 0
        """Bytes of the guest's buffer `out` that were read while the guest still runs."""
        self._unanswered: dict[bytes, int] = {}
        self._waiting: deque[tuple[bytes, bytes]] = deque()
        self._unanswered_bytes = 0
        self._waiting_bytes = 0
        self._inbox_bytes = 0

    def begin(self, job: bytes) -> None:
        """Queues the job's text, which starts the action."""
        self._receive(_START, job)

    def answer(self, answer: bytes, channel: FiberChannel) -> None:
        """Takes the node's reply to a call, `[id, …`, and sends calls that waited for it. Replies
        that the action does not take count as its memory, except a single one.
        """
        self._receive(_SETTLE, answer)
        if len(self._inbox) > 1 and self.held_bytes() > self._limits.memory_bytes:
            self.end(OUT_OF_MEMORY, channel)
            return
        self._unanswered_bytes -= self._unanswered.pop(answer[1 : answer.find(b",")], 0)
        while self._waiting and self._may_send(len(self._waiting[0][1])):
            call_id, body = self._waiting.popleft()
            self._waiting_bytes -= len(body)
            self._send_call(call_id, body, channel)

    def wants_to_run(self) -> bool:
        """Returns whether it has something to do now."""
        return self._instance.is_calling or bool(self._inbox)

    def fire(self) -> None:
        """Fires its timer unless a reply comes first; the guest then reports the time again."""
        self.due_ns = None
        if not self.wants_to_run():
            self._receive(_TICK, b"")

    def held_bytes(self) -> int:
        """Returns the memory that ends with it, approximately."""
        return self._instance.size() + self._inbox_bytes + self._waiting_bytes + len(self._stream)

    def give_back(self) -> None:
        """Returns pages that equal the snapshot to the kernel, if it has run since."""
        if self._has_run:
            self._has_run = False
            if self._instance.memory is not None:
                self._instance.memory.give_back_equal()

    def end(self, kind: int | None, channel: FiberChannel, body: bytes = b"") -> None:
        """Ends it, and reports it by a frame of that kind."""
        if not self.has_ended:
            self.has_ended = True
            self._snapshot.take_back(self._instance)
            self.due_ns = None
            self._inbox.clear()
            self._waiting.clear()
            self._stream.clear()
            if kind is not None:
                channel.put(kind, self.number, body)

    def run_slice(self, host: Host, channel: FiberChannel) -> None:
        """Runs until it waits, has ended, or has used up its slice."""
        host.running = (self._instance, self._snapshot)
        host.emit = lambda at, data: self._take(at, data, channel)
        host.lacks_memory = False
        self._has_run = True
        try:
            self._carry_on(channel)
            if self._outcome is not None:
                # Write before restoring the instance, so that the node continues meanwhile.
                channel.put(self._outcome[0], self.number, self._outcome[1])
                channel.flush()
                self.end(None, channel)
        # A host function without memory is a trap too, with another message.
        except GuestError:
            self._instance.has_failed = True
            self.end(OUT_OF_MEMORY if host.lacks_memory else CRASHED, channel)
        except MemoryError:
            self.end(OUT_OF_MEMORY, channel)
        finally:
            host.running = None

    def _receive(self, operation: int, text: bytes) -> None:
        self._inbox.append((operation, text))
        self._inbox_bytes += len(text)

    def _carry_on(self, channel: FiberChannel) -> None:
        instance = self._instance
        if not instance.is_calling:
            operation, text = self._inbox.popleft()
            self._inbox_bytes -= len(text)
            self._give(operation, text)
        while True:
            self.is_spent = not instance.poll()
            if self.is_spent:
                self._take_unfinished(channel)
            if self.is_spent or self._outcome is not None:
                return
            if self._given is None:
                break
            self._copy(instance.result() & _U32)
        self._finish(instance.result(), channel)

    def _give(self, operation: int, text: bytes) -> None:
        if len(text) > self._snapshot.exchange_bytes:
            self._given = (operation, text)
            # The guest's allocator may lack memory or use up its slice, as any call.
            self._instance.start_alloc(len(text))
            return
        self._instance.write(self._snapshot.exchange_at, text)
        self._start(operation, self._snapshot.exchange_at, len(text))

    def _copy(self, at: int) -> None:
        (operation, text), self._given = self._given or (0, b""), None
        if at == 0:
            raise MemoryError
        self._instance.write(at, text)
        self._start(operation, at, len(text))

    def _start(self, operation: int, at: int, length: int) -> None:
        self.due_ns = None
        self._instance.start_run(operation, at, length, (time.time_ns(), time.monotonic_ns()))

    def _finish(self, result: int, channel: FiberChannel) -> None:
        used, wait = (result >> 32) & _U32, result & _U32
        # The lower half is a signed number of 32 bits.
        wait -= (wait & 0x80000000) << 1
        if used:
            self._take(self._snapshot.out_at, self._instance.read(self._snapshot.out_at, used), channel)
        if self._outcome is not None:
            return
        if wait <= _ENDED or self._stream:
            raise GuestError("an end without a frame that says so")
        if wait >= 0:
            self.due_ns = time.monotonic_ns() + wait * _NS_PER_MS

    def _take_unfinished(self, channel: FiberChannel) -> None:
        """Reads the guest's output so far without writing, since the guest may be writing it."""
        used = int.from_bytes(self._instance.read(self._snapshot.out_used_at, 4), "little")
        if used > self._taken:
            taken, self._taken = self._taken, used
            self._parse(self._instance.read(self._snapshot.out_at + taken, used - taken), channel)

    def _take(self, at: int, data: bytes, channel: FiberChannel) -> None:
        if at == self._snapshot.out_at:
            data, self._taken = data[self._taken :], 0
        self._parse(data, channel)

    def _parse(self, data: bytes, channel: FiberChannel) -> None:
        stream = self._stream
        stream += data
        frames = 0
        while len(stream) >= _HEADER_BYTES and self._outcome is None:
            end = _HEADER_BYTES + int.from_bytes(stream[1:_HEADER_BYTES])
            if end > self._limits.frame_bytes + _HEADER_BYTES:
                raise GuestError("too long a frame")
            if len(stream) < end:
                return
            frames += 1
            if frames > _FRAMES_AT_ONCE:
                raise GuestError("more frames than the guest's buffer holds")
            kind, body = stream[0], bytes(stream[_HEADER_BYTES:end])
            del stream[:end]
            if kind in _LAST:
                # The instance may still be in the call that reports it.
                self._outcome = (kind, body)
            elif kind == CALL:
                self._take_call(body, channel)
            elif kind == LOG:
                channel.put(LOG, self.number, body)
                if channel.is_clogged:
                    self._yield_soon()
            else:
                raise GuestError("no such frame")

    def _take_call(self, body: bytes, channel: FiberChannel) -> None:
        call_id = body[1 : body.find(b",", 0, _CALL_HEAD_BYTES)]
        # The reply is matched by this number alone, so it must be a new number.
        if not call_id.isdigit() or call_id in self._unanswered:
            raise GuestError("a call without a number of its own")
        # Calls above the limit wait here and count as the action's memory.
        if self._may_send(len(body)):
            self._send_call(call_id, body, channel)
            return
        self._waiting.append((call_id, body))
        self._waiting_bytes += len(body)
        if self.held_bytes() > self._limits.memory_bytes:
            raise MemoryError

    def _may_send(self, size: int) -> bool:
        return not self._unanswered or self._unanswered_bytes + size <= WAITING_CALL_BYTES

    def _send_call(self, call_id: bytes, body: bytes, channel: FiberChannel) -> None:
        self._unanswered[call_id] = len(body)
        self._unanswered_bytes += len(body)
        channel.put(CALL, self.number, body)
