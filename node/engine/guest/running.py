"""A guest instance that makes a snapshot. Its functions are deterministic."""

from collections.abc import Mapping
from typing import Final

import wasmtime

from node.engine.worker import natives
from node.engine.worker.hashes import Native, Steps
from node.engine.worker.openssl import AesStream

STACK_BYTES: Final = 512 << 10
"""Stack of the guest's C functions (build.py), 384 KiB with depth checks, 128 KiB without."""
GC_BYTES: Final = 16 << 20
"""Bytes allocated before the first garbage collection, which most actions never reach, as it writes
to every object of the snapshot."""
FREE_BYTES: Final = 1 << 20
"""Free heap at the start of an action, enough for most. An instance that grows is used once, and
untouched pages cost nothing."""


class GuestError(Exception):
    """The guest used something nondeterministic, or its JavaScript threw."""


class Guest:
    """An instance whose engine is yet to be started, or comes started with a snapshot."""

    def __init__(
        self,
        engine: wasmtime.Engine,
        module: wasmtime.Module,
        libraries: Mapping[str, bytes],
        functions: Mapping[str, Native] | None = None,
    ) -> None:
        self._libraries = libraries
        self._emitted = bytearray()
        aes = AesStream()
        self._functions = natives.functions(lambda: aes) if functions is None else functions
        self._numbered = list(self._functions.values())
        self._store = wasmtime.Store(engine)
        self._exports = _linker(engine, self).instantiate(self._store, module).exports(self._store)
        memory = self._exports["memory"]
        if not isinstance(memory, wasmtime.Memory):
            raise GuestError("the guest exports no memory")
        self._memory = memory
        self._exchange = self._call("exchange_at")
        self._out = self._call("out_at")
        self._stack_top = self._stack_pointer()

    def start_engine(self) -> None:
        """Makes the runtime and its context, with the native functions in the global scope."""
        self._call("start_engine", STACK_BYTES)
        for number, name in enumerate(self._functions):
            self._call("add_native", self._text(name), number)

    def compile(self, name: str, source: str) -> bytes:
        """Returns a script's bytecode without its source. Stack frames show `name`."""
        self._emitted.clear()
        size = self._call("compile", self._text(source), len(source.encode()), self._text(name))
        if size < 0:
            raise GuestError(f"{name}: {self._read(self._out, 2000).decode(errors='replace')}")
        return bytes(self._emitted)

    def load(self, name: str, code: bytes, *, is_bridge: bool = False) -> str:
        """Evaluates bytecode. Returns the text from the function that it evaluates to, if any."""
        # The objects that it makes come below it, so that it leaves no hole between them.
        below = self._call("alloc", FREE_BYTES)
        at = self._bytes(code)
        self._call("release", below)
        used = self._call("load", at, len(code), int(is_bridge))
        self._call("release", at)
        text = self._read(self._out, used if used >= 0 else -1 - used).decode(errors="replace")
        if used < 0:
            raise GuestError(f"{name}: {text}")
        return text

    def settled_memory(self) -> bytes:
        """Returns the whole memory, from which a new instance can continue."""
        self._call("release", self._call("alloc", FREE_BYTES))
        self._call("settle_heap", GC_BYTES)
        if self._stack_pointer() != self._stack_top:
            raise GuestError("the stack is not empty")
        # Data below the stack pointer is unused.
        dead = bytes(self._stack_top)
        return dead + bytes(self._memory.read(self._store, self._stack_top))

    def emit(self, at: int, length: int) -> None:
        """Takes what `compile` made."""
        self._emitted += self._read(at, length)

    def native(self, number: int, at: int, length: int) -> int:
        """Calls a native function."""
        # Unchecked, unlike in a worker, since only our scripts run here.
        packed, arguments, begin = self._read(at, length), [], 0
        while begin < length:
            end = begin + 4 + int.from_bytes(packed[begin : begin + 4], "little")
            arguments.append(packed[begin + 4 : end].decode())
            begin = end
        answer = text_of(self._numbered[number](*arguments)).encode()
        self._memory.write(self._store, answer, self._exchange)
        return len(answer)

    def library(self, name_at: int, name_length: int, at: int, room: int) -> int:
        """Copies a library's bytecode if there is room, and returns its length."""
        code = self._libraries.get(self._read(name_at, name_length).decode())
        if code is None:
            return -1
        if at and room >= len(code):
            self._memory.write(self._store, code, at)
        return len(code)

    def clock(self, _number: int) -> int:
        """Refuses, since all actions would share the time."""
        raise GuestError("the clock was read before the snapshot: all actions would share what it said")

    def random(self, _at: int, _length: int) -> None:
        """Refuses, since all actions would share the randomness."""
        raise GuestError("randomness was drawn before the snapshot: all actions would share it")

    def _call(self, name: str, *arguments: int) -> int:
        function = self._exports[name]
        if not isinstance(function, wasmtime.Func):
            raise GuestError(f"the guest exports no function {name}")
        answer = function(self._store, *arguments)
        return answer if isinstance(answer, int) else 0

    def _stack_pointer(self) -> int:
        pointer = self._exports["__stack_pointer"]
        if not isinstance(pointer, wasmtime.Global):
            raise GuestError("the guest exports no stack pointer")
        return int(pointer.value(self._store))

    def _read(self, at: int, length: int) -> bytes:
        return bytes(self._memory.read(self._store, at, at + length))

    def _bytes(self, data: bytes) -> int:
        at = self._call("alloc", len(data))
        if not at:
            raise GuestError("the guest has no memory left")
        self._memory.write(self._store, data, at)
        return at

    def _text(self, text: str) -> int:
        return self._bytes(text.encode() + b"\0")


def _linker(engine: wasmtime.Engine, guest: Guest) -> wasmtime.Linker:
    i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
    linker = wasmtime.Linker(engine)
    linker.define_func("host", "emit", wasmtime.FuncType([i32, i32], []), guest.emit)
    linker.define_func("host", "native", wasmtime.FuncType([i32, i32, i32], [i32]), guest.native)
    linker.define_func("host", "library", wasmtime.FuncType([i32, i32, i32, i32], [i32]), guest.library)
    linker.define_func("host", "clock", wasmtime.FuncType([i32], [i64]), guest.clock)
    linker.define_func("host", "random", wasmtime.FuncType([i32, i32], []), guest.random)
    return linker


def text_of(answer: str | Steps) -> str:
    """Returns the text of a native function, after all its steps."""
    if isinstance(answer, str):
        return answer
    while True:
        try:
            next(answer)
        except StopIteration as ended:
            return str(ended.value)
