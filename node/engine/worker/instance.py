"""A WebAssembly instance: its memory, read and written within its bounds alone, and the one call that is in progress.

The guest may have been taken over by its action, so every address and length of its is checked against its memory.
"""

from _struct import Struct
from ctypes import create_string_buffer, memmove, string_at

from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.hashes import Steps

_ARGUMENTS = Struct("<" + "B7xq16x" * 5)
_RESULT_AT = 5 * wasmtime.VALUE_BYTES
_RESULT = Struct("<q16xQQ")
"""Of the call: value, trap, error. The value is inside a `wasmtime_val_t`, hence what comes between."""
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
"""Functions of the guest that are called, by where `Instance` keeps them."""
_RUN_ARGUMENTS = 5
_ALLOC_ARGUMENTS = 1


class GuestError(Exception):
    """The guest trapped, or broke the rules between it and its host."""


class Instance:
    """A fresh instance of a prepared module, with at most `memory_bytes` of memory. Raises WasmtimeError."""

    __slots__ = ("_address", "_buffer", "_call", "_context", "_size", "_store", "base", "is_calling", "work")

    def __init__(self, engine: int, prepared: int, memory_bytes: int) -> None:
        self.is_calling = False
        self.work: Steps | None = None
        """Of a native function that goes in steps."""
        self._call = 0
        self._size = 0
        self._buffer = create_string_buffer(_BUFFER_BYTES)
        self._address = address = wasmtime.address_of(self._buffer)
        self._store = store = wasmtime.store_new(engine, None, None)
        self._context = context = wasmtime.store_context(store)
        # Enforced by the engine at memory.grow, below anything that the guest could reach.
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
        """Bytes of its memory, which only grows."""
        self._size = wasmtime.memory_size(self._context, self._address + _EXTERN_AT + wasmtime.EXTERN_VALUE)
        return self._size

    def address(self, at: int, length: int) -> int:
        """Return the address of a part of the guest's memory in this process. Raises GuestError when it is not within it."""
        # The known size first: memory only grows, so the engine is asked only when that does not suffice.
        if not 0 <= at <= at + length <= self._size and not 0 <= at <= at + length <= self.size():
            raise GuestError("not within the guest's memory")
        return self.base + at

    def read(self, at: int, length: int) -> bytes:
        """A copy of a part of the guest's memory. Raises GuestError."""
        return string_at(self.address(at, length), length)

    def write(self, at: int, data: bytes) -> None:
        """Write into the guest's memory. Raises GuestError."""
        memmove(self.address(at, len(data)), data, len(data))

    def start_run(self, operation: int, at: int, length: int, clocks: tuple[int, int]) -> None:
        """Begin a call of `run`; `poll` carries it on. `clocks`: real and monotonic time, in nanoseconds."""
        _ARGUMENTS.pack_into(self._buffer, 0, 0, operation, 0, at, 0, length, 1, clocks[0], 1, clocks[1])
        self._start(RUN, _RUN_ARGUMENTS)

    def start_alloc(self, size: int) -> None:
        """Begin a call of `alloc`."""
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
        """Call an export without parameters, before any action ran, and return its result. Raises GuestError, WasmtimeError."""
        self._find(name, _ASKED_AT)
        self._start(_ASKED_AT + wasmtime.EXTERN_VALUE, 0)
        while not self.poll():
            pass
        return self.result() & _U32

    def _find(self, name: bytes, at: int) -> None:
        """Keep an export there. Raises WasmtimeError."""
        address = self._address
        if not wasmtime.export_get(self._context, address + _INSTANCE_AT, name, len(name), address + at):
            raise wasmtime.WasmtimeError("the guest lacks an export")

    def poll(self) -> bool:
        """Run until the call has ended, or the next tick of the epoch; whether it has ended."""
        # One tick from now: the deadline is relative to the current epoch.
        wasmtime.set_deadline(self._context, 1)
        return bool(wasmtime.call_poll(self._call))

    def result(self) -> int:
        """Return the result of the call that has ended, as a signed number of 64 bits. Raises GuestError."""
        self._end_call()
        value, trap, error = _RESULT.unpack_from(self._buffer, _RESULT_AT + 8)
        if trap:
            raise GuestError(f"trap {wasmtime.discard_trap(trap)}")
        if error:
            wasmtime.discard_error(error)
            raise GuestError("the call failed")
        return int(value)

    def drop(self) -> None:
        """End it, in the middle of a call or not. Its memory becomes the snapshot's again at once."""
        # The call holds the store's stack: it is deleted before the store.
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
