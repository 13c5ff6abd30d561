"""A WebAssembly instance and its imported functions, all that an action can reach of the worker.

An action may have compromised its guest, so every address and length is checked. A host function
must not raise, since ctypes would continue as if it had returned. A failure becomes a trap of the
calling instance, and other instances continue.
"""

import os
import time
from collections.abc import Callable
from ctypes import Array, c_int64, c_uint32, create_string_buffer, memmove, string_at
from struct import Struct

from node.engine.worker import natives
from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.hashes import LongText, Steps, Text
from node.engine.worker.memory import Image, Memory
from node.engine.worker.openssl import AesStream

_ARGUMENTS = Struct("<" + "B7xq16x" * 5)
_RESULT_AT = 5 * wasmtime.VALUE_BYTES
_RESULT = Struct("<q16xQQ")
"""Value, trap and error of a call. The value is inside a `wasmtime_val_t`, hence the gap."""
_TRAP_AT = _RESULT_AT + wasmtime.VALUE_BYTES
_ERROR_AT = _TRAP_AT + 8
_INSTANCE_AT = _ERROR_AT + 8
_EXTERN_AT = _INSTANCE_AT + wasmtime.INSTANCE_BYTES
_RUN_AT = _EXTERN_AT + wasmtime.EXTERN_BYTES
_ALLOC_AT = _RUN_AT + wasmtime.EXTERN_BYTES
_ASKED_AT = _ALLOC_AT + wasmtime.EXTERN_BYTES
_BUFFER_BYTES = _ASKED_AT + wasmtime.EXTERN_BYTES
_U32 = 0xFFFFFFFF
_FAILURES = Struct("<QQ")

RUN = _RUN_AT + wasmtime.EXTERN_VALUE
ALLOC = _ALLOC_AT + wasmtime.EXTERN_VALUE
"""Exports of the guest that are called, by their place in `Instance`."""
_RUN_ARGUMENTS = 5
_ALLOC_ARGUMENTS = 1


class GuestError(Exception):
    """The guest trapped or broke the protocol with its host."""


class Instance:
    """A new instance of a module with at most `memory_bytes`. Raises WasmtimeError."""

    __slots__ = (
        *("_address", "_buffer", "_call", "_context", "_size", "_store"),
        *("aes", "base", "has_failed", "is_calling", "memory", "work"),
    )

    def __init__(self, engine: int, prepared: int, memory_bytes: int) -> None:
        self.is_calling = False
        self.has_failed = False
        """True after a trap or a violation of the protocol."""
        self.memory: Memory | None = None
        """Set if it is to be restored after its action."""
        self.work: Steps | None = None
        """Steps of an unfinished native function."""
        self.aes = AesStream()
        self._call = 0
        self._size = 0
        self._buffer = create_string_buffer(_BUFFER_BYTES)
        self._address = address = wasmtime.address_of(self._buffer)
        self._store = store = wasmtime.store_new(engine, None, None)
        self._context = context = wasmtime.store_context(store)
        # The engine enforces it at memory.grow, out of the guest's reach.
        wasmtime.store_limiter(store, memory_bytes, -1, -1, -1, -1)
        wasmtime.set_deadline(context, 1)
        try:
            wasmtime.check(wasmtime.instantiate(prepared, context, address + _INSTANCE_AT, address + _TRAP_AT))
            wasmtime.yield_at_deadline(context, 1)
            for name, at in ((b"run", _RUN_AT), (b"alloc", _ALLOC_AT), (b"memory", _EXTERN_AT)):
                self._find(name, at)
        except wasmtime.WasmtimeError:
            wasmtime.store_delete(store)
            raise
        self.base: int = wasmtime.memory_data(context, address + _EXTERN_AT + wasmtime.EXTERN_VALUE)

    def size(self) -> int:
        """Returns the bytes of its memory, which only grows."""
        self._size = wasmtime.memory_size(self._context, self._address + _EXTERN_AT + wasmtime.EXTERN_VALUE)
        return self._size

    def address(self, at: int, length: int) -> int:
        """Returns the process address of a part of the guest's memory, or raises GuestError."""
        # Memory only grows, so ask the engine only beyond the known size.
        if not 0 <= at <= at + length <= self._size and not 0 <= at <= at + length <= self.size():
            raise GuestError("not within the guest's memory")
        return self.base + at

    def read(self, at: int, length: int) -> bytes:
        """Returns a copy of a part of the guest's memory. Raises GuestError."""
        return string_at(self.address(at, length), length)

    def write(self, at: int, data: bytes) -> None:
        """Writes into the guest's memory. Raises GuestError."""
        memmove(self.address(at, len(data)), data, len(data))

    def start_run(self, operation: int, at: int, length: int, clocks: tuple[int, int]) -> None:
        """Begins a call of `run` for `poll`. `clocks` are real and monotonic nanoseconds."""
        _ARGUMENTS.pack_into(self._buffer, 0, 0, operation, 0, at, 0, length, 1, clocks[0], 1, clocks[1])
        self._start(RUN, _RUN_ARGUMENTS)

    def start_alloc(self, size: int) -> None:
        """Begins a call of `alloc`."""
        _ARGUMENTS.pack_into(self._buffer, 0, 0, size, 0, 0, 0, 0, 0, 0, 0, 0)
        self._start(ALLOC, _ALLOC_ARGUMENTS)

    def _start(self, function: int, count: int) -> None:
        address = self._address
        _FAILURES.pack_into(self._buffer, _TRAP_AT, 0, 0)
        self.is_calling = True
        self._call = wasmtime.call(
            *(self._context, address + function, address, count, address + _RESULT_AT, 1),
            *(address + _TRAP_AT, address + _ERROR_AT),
        )

    def ask(self, name: bytes) -> int:
        """Calls an export without parameters before actions. Raises GuestError, WasmtimeError."""
        self._find(name, _ASKED_AT)
        self._start(_ASKED_AT + wasmtime.EXTERN_VALUE, 0)
        while not self.poll():
            pass
        return self.result() & _U32

    def _find(self, name: bytes, at: int) -> None:
        """Stores an export there. Raises WasmtimeError."""
        address = self._address
        if not wasmtime.export_get(self._context, address + _INSTANCE_AT, name, len(name), address + at):
            raise wasmtime.WasmtimeError("the guest lacks an export")

    def poll(self) -> bool:
        """Runs until the call or the tick of the epoch ends. Returns whether the call has ended."""
        # The deadline is one tick from the current epoch.
        wasmtime.set_deadline(self._context, 1)
        return bool(wasmtime.call_poll(self._call))

    def result(self) -> int:
        """Returns the result of the ended call as a signed 64-bit number. Raises GuestError."""
        self._end_call()
        value, trap, error = _RESULT.unpack_from(self._buffer, _RESULT_AT + 8)
        if trap:
            self.has_failed = True
            raise GuestError(f"trap {wasmtime.discard_trap(trap)}")
        if error:
            self.has_failed = True
            wasmtime.discard_error(error)
            raise GuestError("the call failed")
        return int(value)

    def drop(self) -> None:
        """Ends the instance, also in a call. Its memory becomes the snapshot's again at once."""
        # The call has the store's stack, so delete it first.
        if self.is_calling:
            self._end_call()
            _, trap, error = _RESULT.unpack_from(self._buffer, _RESULT_AT + 8)
            if trap:
                wasmtime.discard_trap(trap)
            if error:
                wasmtime.discard_error(error)
        self.work = None
        wasmtime.store_delete(self._store)

    def _end_call(self) -> None:
        wasmtime.call_delete(self._call)
        self.is_calling = False


_Words = c_uint32 * (4 * wasmtime.RAW_BYTES // 4)
_VALUE = wasmtime.RAW_BYTES // 4
"""Words between two values of a call."""
_NONE = 0xFFFFFFFF
_NOT_DONE = 0xFFFFFFFE
"""Result of `native` that requests another call with the same arguments, to continue."""
_ARGUMENTS_MAX = 5
_LONG_BYTES = 256 * 1024
"""Maximum argument read at once. Longer ones are read in parts, or refused."""
_RANDOM_BYTES_MAX = 1 << 20
_LIBRARY_NAME_MAX = 16


class Snapshot:
    """A prepared module with its initial memory and the places of its buffers.

    `idle` are instances whose action has ended, and which equal a new one.
    """

    def __init__(self, prepared: int, image: Image, addresses: tuple[int, int, int, int]) -> None:
        self.prepared = prepared
        self.image = image
        self.idle: list[Instance] = []
        self.exchange_at, self.exchange_bytes, self.out_at, self.out_used_at = addresses

    def take_back(self, instance: Instance) -> None:
        """Makes an instance equal to a new one, or drops it if that is uncertain.

        After a finished call only the memory differs: its one mutable global, the stack pointer,
        has its initial value, and the guest's code cannot write a table (ADR 22). An unfinished
        native function would pass its result to the next action.
        """
        memory = instance.memory
        is_between_calls = not (instance.is_calling or instance.has_failed or instance.work is not None)
        if memory is None or not is_between_calls or instance.size() != self.image.size:
            instance.drop()
            return
        # An unfinished one, for example without memory, has the key of the ended action.
        instance.aes.clear()
        memory.restore()
        self.idle.append(instance)

    def drop_idle(self) -> None:
        """Drops the instances that wait for an action."""
        while self.idle:
            self.idle.pop().drop()


class Host:
    """Host functions. `running` is the calling instance with its snapshot, `emit` takes its output.
    `drawn` counts random bytes; before the fork it is 0, or all workers would share them.
    """

    def __init__(self, libraries: dict[bytes, bytes], yield_soon: Callable[[], None]) -> None:
        self.running: tuple[Instance, Snapshot] | None = None
        self.emit: Callable[[int, bytes], None] = lambda _, __: None
        self.lacks_memory = False
        self.drawn = 0
        self._libraries = libraries
        self._yield_soon = yield_soon
        self._functions = [*natives.functions(lambda: self._instance().aes).values()]

    def define(self, linker: wasmtime.Linker) -> None:
        """Defines every import of the guest in the linker. Raises WasmtimeError."""
        for name, parameters, results, function in (
            (b"emit", "ii", "", self._emit),
            (b"native", "iii", "i", self._native),
            (b"clock", "i", "l", self._clock),
            (b"random", "ii", "", self._random),
            (b"library", "iiii", "i", self._library),
        ):
            linker.define(name, parameters, results, self._trapping(function))

    def _trapping(self, function: Callable[[Array[c_uint32]], None]) -> Callable[[int, int, int, int], int]:
        def answer(_: int, __: int, raw: int, ___: int) -> int:
            try:
                function(_Words.from_address(raw))
            # Separate, so that the session reports a memory limit instead of a crash.
            except MemoryError:
                self.lacks_memory = True
            except BaseException:  # noqa: BLE001, S110 - the calling guest ends
                pass
            else:
                return 0
            return wasmtime.new_trap(b"the host function failed")

        return answer

    def _emit(self, words: Array[c_uint32]) -> None:
        at = words[0]
        self.emit(at, self._instance().read(at, words[_VALUE]))

    def _clock(self, words: Array[c_uint32]) -> None:
        ns = time.monotonic_ns() if words[0] else time.time_ns()
        c_int64.from_buffer(words).value = ns

    def _random(self, words: Array[c_uint32]) -> None:
        at, length = words[0], words[_VALUE]
        # The guest chooses the length, and the bytes do not count as its memory.
        if length > _RANDOM_BYTES_MAX:
            raise GuestError("too much randomness at a time")
        self.drawn += length
        self._instance().write(at, os.urandom(length))

    def _library(self, words: Array[c_uint32]) -> None:
        name_at, length, at, room = words[0], words[_VALUE], words[2 * _VALUE], words[3 * _VALUE]
        if length > _LIBRARY_NAME_MAX:
            raise GuestError("no name of a library")
        code = self._libraries.get(self._instance().read(name_at, length))
        # The guest first asks for the size (`at` 0), then passes a buffer of that size.
        if code is None or (at and room < len(code)):
            words[0] = _NONE
            return
        if at:
            self._instance().write(at, code)
        words[0] = len(code)

    def _native(self, words: Array[c_uint32]) -> None:
        instance = self._instance()
        work = instance.work
        if work is None:
            function = self._functions[words[0]]
            answer = function(*_arguments(instance, words[_VALUE], words[2 * _VALUE]))
            if isinstance(answer, str):
                words[0] = self._write(answer)
                return
            instance.work = work = answer
        try:
            next(work)
            # Return to the guest after each step, since its loop checks the epoch, which ends a
            # slice. The ticker cannot do it, as a waiting thread requests the interpreter lock only
            # after five milliseconds, and shorter steps release it for moments.
            self._yield_soon()
            words[0] = _NOT_DONE
        except StopIteration as end:
            instance.work = None
            words[0] = self._write(end.value)

    def _write(self, answer: str) -> int:
        instance, snapshot = self.running or _nothing_runs()
        encoded = answer.encode()
        if len(encoded) > snapshot.exchange_bytes:
            return _NONE
        instance.write(snapshot.exchange_at, encoded)
        return len(encoded)

    def _instance(self) -> Instance:
        return (self.running or _nothing_runs())[0]


def _nothing_runs() -> tuple[Instance, Snapshot]:
    raise GuestError("a call while nothing runs")


def _arguments(instance: Instance, at: int, length: int) -> list[Text]:
    """Returns a native function's arguments, [length, 4 bytes little endian][bytes] each."""
    end = at + length
    # Check the whole first, since the guest also chose the sizes inside.
    instance.address(at, length)
    found: list[Text] = []
    while at < end:
        size = int.from_bytes(instance.read(at, 4), "little")
        at += 4
        if at + size > end or len(found) == _ARGUMENTS_MAX:
            raise GuestError("arguments that are none")
        if size > _LONG_BYTES:
            found.append(LongText(instance.read, at, size))
        else:
            found.append(instance.read(at, size).decode(errors="replace"))
        at += size
    return found
