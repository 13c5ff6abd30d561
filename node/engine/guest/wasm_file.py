"""A WebAssembly module as sections, and written back with other memory (WebAssembly core specification, section 5.5)."""

from collections.abc import Iterator
from typing import Final

_HEADER: Final = b"\0asm\x01\0\0\0"
_CUSTOM, _MEMORY, _DATA, _DATA_COUNT = 0, 5, 11, 12
_WASM_PAGE: Final = 64 << 10
_PAGE: Final = 4096
_GAP_PAGES: Final = 4
"""Zero pages between two parts of the data that cost less in the file than a segment of its own."""
_ACTIVE_AT_CONSTANT: Final = b"\x00\x41"
_END: Final = b"\x0b"


class WasmFileError(ValueError):
    """The bytes are no module, or not of the shape that the guest has."""


def with_memory(module: bytes, memory: bytes) -> bytes:
    """The module with its memory and data replaced: an instance of it begins with exactly this memory.

    Globals keep their initial values: the caller sees to it that they have not changed.
    """
    segments = list(_used_parts(memory))
    data = _number(len(segments))
    for start, end in segments:
        data += _ACTIVE_AT_CONSTANT + _signed(start) + _END + _number(end - start) + memory[start:end]
    made = _HEADER
    for kind, body in _sections(module):
        if kind == _MEMORY:
            made += _section(kind, _grown(body, len(memory) // _WASM_PAGE))
        elif kind == _DATA_COUNT:
            made += _section(kind, _number(len(segments)))
        elif kind == _DATA:
            made += _section(kind, data)
        elif kind != _CUSTOM:
            made += _section(kind, body)
    return made


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    if not module.startswith(_HEADER):
        raise WasmFileError("not a WebAssembly module")
    at = len(_HEADER)
    while at < len(module):
        size, body = _read_number(module, at + 1)
        yield module[at], module[body : body + size]
        at = body + size


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _number(len(body)) + body


def _grown(memories: bytes, pages: int) -> bytes:
    """The memory section with another initial size."""
    if memories[:2] != b"\x01\x01":
        raise WasmFileError("the guest has one memory with a maximum")
    _, maximum = _read_number(memories, 2)
    return memories[:2] + _number(pages) + memories[maximum:]


def _used_parts(memory: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of the parts that are not zero, in whole pages."""
    start = end = None
    for page in range(0, len(memory), _PAGE):
        if not any(memory[page : page + _PAGE]):
            continue
        if start is not None and end is not None and page - end > _GAP_PAGES * _PAGE:
            yield start, end
            start = None
        if start is None:
            start = page
        end = page + _PAGE
    if start is not None and end is not None:
        yield start, end


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _number(value: int) -> bytes:
    encoded = b""
    while value >= 0x80:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def _signed(value: int) -> bytes:
    """A signed LEB128 number that is not negative."""
    encoded = b""
    while value >= 0x40:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])
