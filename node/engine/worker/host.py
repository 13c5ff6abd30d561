"""Functions that the guest imports. Each answers the instance that runs, within the bounds of that one's memory.

Nothing may be raised out of a host function: ctypes would go on as if it had returned. What goes wrong here becomes a trap
of the instance that called, and its neighbours in the worker go on.
"""

import os
import time
from _collections_abc import Callable  # collections.abc would bring the whole of collections
from ctypes import Array, c_char, c_int64, c_uint32

from node.engine.worker import natives
from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.hashes import LongText, Text
from node.engine.worker.instance import GuestError, Instance

_Words = c_uint32 * (4 * wasmtime.RAW_BYTES // 4)
_VALUE = wasmtime.RAW_BYTES // 4
"""Words from one value of a call to the next."""
_NONE = 0xFFFFFFFF
_NOT_DONE = 0xFFFFFFFE
"""The answer of `native` that asks to be called again with the same arguments, after which it goes on."""
_ARGUMENTS_MAX = 5
_LONG_BYTES = 256 * 1024
"""A longer argument is read in parts by the functions that can, and refused by the others."""
_RANDOM_BYTES_MAX = 1 << 20
_LIBRARY_NAME_MAX = 16


class Snapshot:
    """A prepared module, a copy of the memory its instances begin with, and where in it their buffers are."""

    def __init__(self, prepared: int, image: Array[c_char], addresses: tuple[int, int, int, int]) -> None:
        self.prepared = prepared
        self.image = image
        self.exchange_at, self.exchange_bytes, self.out_at, self.out_used_at = addresses


class Host:
    """`running`: the instance in whose call the process is, of that snapshot. `emit`: takes what it hands over, with where
    that was. `drawn`: bytes of randomness; none may be taken before the fork, or all workers would share them.
    """

    def __init__(self, libraries: dict[bytes, bytes]) -> None:
        self.running: tuple[Instance, Snapshot] | None = None
        self.emit: Callable[[int, bytes], None] = lambda _, __: None
        self.lacks_memory = False
        self.drawn = 0
        self._libraries = libraries
        self._functions = [*natives.functions().values()]

    def define(self, linker: wasmtime.Linker) -> None:
        """Give the linker every import of the guest. Raises WasmtimeError."""
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
            # Told apart so that the session reports a memory limit, and not a crash.
            except MemoryError:
                self.lacks_memory = True
            except BaseException:  # noqa: BLE001, S110 - whatever it is, the guest that called ends for it
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
        # The guest chooses the length; the bytes are allocated outside its own memory limit.
        if length > _RANDOM_BYTES_MAX:
            raise GuestError("too much randomness at a time")
        self.drawn += length
        self._instance().write(at, os.urandom(length))

    def _library(self, words: Array[c_uint32]) -> None:
        name_at, length, at, room = words[0], words[_VALUE], words[2 * _VALUE], words[3 * _VALUE]
        if length > _LIBRARY_NAME_MAX:
            raise GuestError("no name of a library")
        code = self._libraries.get(self._instance().read(name_at, length))
        # The guest asks for the size first (`at` 0) and then hands over a buffer of that size.
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
    """The arguments of a native function: [length, four bytes, little endian][bytes] each. Raises GuestError."""
    end = at + length
    # Checked as a whole first: the sizes inside are the guest's too.
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
