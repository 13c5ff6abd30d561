"""Wasmtime's C API for workers by ctypes, with integer addresses and errors as exceptions.

The Python package of wasmtime lacks the pooling allocator, unchecked host functions and calls that
yield, and its import costs memory. Only its shared object is used, found by `sys.path`.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from ctypes import c_bool, c_char_p, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

I32, I64 = 0, 1
"""Kinds of `wasm_valkind_t`."""
EXTERN_BYTES = 32
EXTERN_VALUE = 8
"""Size of `wasmtime_extern_t`, and the offset of its value."""
FUNCTION_BYTES = 16
INSTANCE_BYTES = 16
RAW_BYTES = 16
"""Size of `wasmtime_val_raw_t`, which has arguments and results of host functions."""
VALUE_BYTES = 32
"""Size of `wasmtime_val_t`, with the kind at 0 and the value at 8."""

HOST_FUNCTION = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_size_t)
"""`wasmtime_func_unchecked_callback_t` takes environment, caller, values, count; returns a trap."""


class WasmtimeError(Exception):
    """An error or refusal of wasmtime, with its own message."""


def _library_path() -> str:
    for folder in sys.path:
        path = f"{folder}/wasmtime/linux-x86_64/_libwasmtime.so"
        if os.path.exists(path):  # noqa: PTH110 - pathlib costs memory
            return path
    raise ImportError("the shared object of wasmtime is not on sys.path")


# Short calls keep the interpreter lock; the one that runs an action releases it for the ticker.
_keeping = ctypes.PyDLL(_library_path())
_releasing = ctypes.CDLL(_library_path())


def _function(name: str, result: object, *arguments: object, releasing: bool = False):  # type: ignore[no-untyped-def]  # noqa: ANN202
    function = getattr(_releasing if releasing else _keeping, name)
    function.restype, function.argtypes = result, arguments
    return function


_POINTER = c_void_p
_config_new = _function("wasm_config_new", _POINTER)
_engine_new = _function("wasm_engine_new_with_config", _POINTER, _POINTER)
_target_set = _function("wasmtime_config_target_set", _POINTER, _POINTER, c_char_p)
_feature_enable = _function("wasmtime_config_cranelift_flag_enable", None, _POINTER, c_char_p)
_pool_new = _function("wasmtime_pooling_allocation_config_new", _POINTER)
_pool_set = _function("wasmtime_pooling_allocation_strategy_set", None, _POINTER, _POINTER)
_module_new = _function("wasmtime_module_new", _POINTER, _POINTER, c_char_p, c_size_t, _POINTER)
_module_serialize = _function("wasmtime_module_serialize", _POINTER, _POINTER, _POINTER)
_module_deserialize = _function("wasmtime_module_deserialize_file", _POINTER, _POINTER, c_char_p, _POINTER)
_error_message = _function("wasmtime_error_message", None, _POINTER, _POINTER)
_error_delete = _function("wasmtime_error_delete", None, _POINTER)
_trap_message = _function("wasm_trap_message", None, _POINTER, _POINTER)
_trap_code = _function("wasmtime_trap_code", c_bool, _POINTER, _POINTER)
_trap_delete = _function("wasm_trap_delete", None, _POINTER)
_trap_new = _function("wasmtime_trap_new", _POINTER, c_char_p, c_size_t)
_byte_vec_delete = _function("wasm_byte_vec_delete", None, _POINTER)
_functype_new = _function("wasm_functype_new", _POINTER, _POINTER, _POINTER)
_valtype_new = _function("wasm_valtype_new", _POINTER, c_uint8)
_valtype_vec_new = _function("wasm_valtype_vec_new", None, _POINTER, c_size_t, _POINTER)
_linker_new = _function("wasmtime_linker_new", _POINTER, _POINTER)
_linker_define = _function(
    "wasmtime_linker_define_func_unchecked",
    *(_POINTER, _POINTER, c_char_p, c_size_t, c_char_p, c_size_t, _POINTER, HOST_FUNCTION, _POINTER, _POINTER),
)
_linker_pre = _function("wasmtime_linker_instantiate_pre", _POINTER, _POINTER, _POINTER, _POINTER)

store_new = _function("wasmtime_store_new", _POINTER, _POINTER, _POINTER, _POINTER)
store_context = _function("wasmtime_store_context", _POINTER, _POINTER)
store_limiter = _function("wasmtime_store_limiter", None, _POINTER, c_int64, c_int64, c_int64, c_int64, c_int64)
store_delete = _function("wasmtime_store_delete", None, _POINTER)
instantiate = _function("wasmtime_instance_pre_instantiate", *(_POINTER,) * 5)
export_get = _function("wasmtime_instance_export_get", c_bool, _POINTER, _POINTER, c_char_p, c_size_t, _POINTER)
memory_data = _function("wasmtime_memory_data", _POINTER, _POINTER, _POINTER)
memory_size = _function("wasmtime_memory_data_size", c_size_t, _POINTER, _POINTER)
call = _function("wasmtime_func_call_async", *(_POINTER,) * 4, c_size_t, _POINTER, c_size_t, *(_POINTER,) * 2)
call_poll = _function("wasmtime_call_future_poll", c_bool, _POINTER, releasing=True)
call_delete = _function("wasmtime_call_future_delete", None, _POINTER)
set_deadline = _function("wasmtime_context_set_epoch_deadline", None, _POINTER, c_uint64)
# The header declares an error as its result, but the function has none.
yield_at_deadline = _function("wasmtime_context_epoch_deadline_async_yield_and_update", None, _POINTER, c_uint64)
increment_epoch = _function("wasmtime_engine_increment_epoch", None, _POINTER)

# The address of an object is its value's; a struct of one pointer costs a microsecond.
address_of = ctypes.addressof


class _Vector(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("data", _POINTER))


def check(error: int | None) -> None:
    """Frees a `wasmtime_error_t` and raises it as WasmtimeError."""
    if error:
        text = _text(error, _error_message)
        _error_delete(error)
        raise WasmtimeError(text)


def discard_trap(trap: int) -> int:
    """Frees a `wasm_trap_t`. Returns its code, -1 if it has none."""
    code = c_uint8()
    has_code = _trap_code(trap, address_of(code))
    _trap_delete(trap)
    return code.value if has_code else -1


def discard_error(error: int) -> None:
    """Frees a `wasmtime_error_t`."""
    _error_delete(error)


def new_trap(text: bytes) -> int:
    """Returns a trap that a host function can return."""
    trap: int = _trap_new(text, len(text))
    return trap


def new_engine(pool: dict[str, int] | None = None) -> int:
    """Returns an engine with the one configuration of modules. `pool` has sizes of the pooling
    allocator, which do not change compiled code.
    """
    config = _config_new()
    for name, kind, value in _CONFIGURATION:
        _function(f"wasmtime_config_{name}_set", None, _POINTER, kind)(config, value)
    # Without a target wasmtime compiles for this machine, and images would differ.
    check(_target_set(config, _TARGET))
    for feature in _FEATURES:
        _feature_enable(config, feature)
    if pool is not None:
        allocator = _pool_new()
        for name, number in pool.items():
            width = c_uint32 if name.startswith(("total", "max_unused")) else c_size_t
            _function(f"wasmtime_pooling_allocation_config_{name}_set", None, _POINTER, width)(allocator, number)
        _pool_set(config, allocator)
    engine: int | None = _engine_new(config)
    if not engine:
        raise WasmtimeError("no engine")
    return engine


WASM_STACK_BYTES = 12 * 1024 * 1024
"""Stack of compiled code. The guest's C stack (guest.c) is in its memory and must overflow first.
Recursion in its parsers, the worst known, needs 6 MiB here."""
CALL_STACK_BYTES = WASM_STACK_BYTES + 2 * 1024 * 1024
"""Stack of a call, with the Python host functions on top."""
_TARGET = b"x86_64-unknown-linux-gnu"
_FEATURES = (b"has_sse3", b"has_ssse3", b"has_sse41", b"has_sse42", b"has_popcnt")
"""x86-64-v2, as fast as the machine's own set (ADR 0023). wasmtime refuses other machines."""
_CONFIGURATION = (
    ("epoch_interruption", c_bool, True),
    ("async_stack_size", c_uint64, CALL_STACK_BYTES),
    ("max_wasm_stack", c_size_t, WASM_STACK_BYTES),
    ("memory_reservation", c_uint64, 4 << 30),
    ("memory_guard_size", c_uint64, 32 << 20),
    ("memory_may_move", c_bool, False),
    ("memory_init_cow", c_bool, True),
)


def compile_module(wasm: bytes) -> bytes:
    """Returns a module's compiled code for `load_module`. Raises WasmtimeError."""
    engine = new_engine()
    module = c_void_p()
    check(_module_new(engine, wasm, len(wasm), address_of(module)))
    serialized = _Vector()
    check(_module_serialize(module.value, address_of(serialized)))
    return ctypes.string_at(serialized.data or 0, serialized.size)


def load_module(engine: int, path: str) -> int:
    """Loads a compiled module from a trusted file, as it is native code. Raises WasmtimeError."""
    module = c_void_p()
    check(_module_deserialize(engine, path.encode(), address_of(module)))
    return module.value or 0


class Linker:
    """The host functions that a module imports."""

    def __init__(self, engine: int) -> None:
        self._linker = _linker_new(engine)
        self._kept: list[object] = []

    def define(self, name: bytes, parameters: str, results: str, function: Callable[[int, int, int, int], int]) -> None:
        """Defines a function of `host`, with types i (i32) and l (i64). Raises WasmtimeError."""
        callback = HOST_FUNCTION(function)
        self._kept.append(callback)
        # Named, so that they live until the call has read them.
        taken, given = _types(parameters), _types(results)
        kind = _functype_new(address_of(taken), address_of(given))
        check(_linker_define(self._linker, b"host", 4, name, len(name), kind, callback, None, None))

    def prepare(self, module: int) -> int:
        """Returns the module with resolved imports, for `instantiate`. Raises WasmtimeError."""
        prepared = c_void_p()
        check(_linker_pre(self._linker, module, address_of(prepared)))
        return prepared.value or 0


def _types(kinds: str) -> _Vector:
    vector = _Vector()
    items = (c_void_p * len(kinds))(*(_valtype_new(I64 if kind == "l" else I32) for kind in kinds))
    _valtype_vec_new(address_of(vector), len(kinds), address_of(items))
    return vector


def _text(of: int, read) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001
    vector = _Vector()
    read(of, address_of(vector))
    text = ctypes.string_at(vector.data or 0, vector.size)
    _byte_vec_delete(address_of(vector))
    return text.decode(errors="replace")
