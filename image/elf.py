"""Libraries that the files of an image need, by the dynamic sections of ELF (gABI, elf(5)).

The loader of the packed Python falls back on the building machine's libraries, so a build succeeds
without a library that the image then lacks.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from image.commands import ImageError
from image.tree import File, Tree

_MAGIC: Final = b"\x7fELF\x02\x01"
"""ELF, 64 bits, little-endian."""
_LOAD, _DYNAMIC = 1, 2
"""Types of segments."""
_END, _NEEDED, _STRINGS = 0, 1, 5
"""Tags of the dynamic section."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """A program header. `address` is where the `size` bytes at `offset` of the file are loaded."""

    kind: int
    offset: int
    address: int
    size: int


def missing_libraries(tree: Tree) -> list[str]:
    """Returns a line for each library that a file of the tree needs and the tree lacks.

    Raises ImageError for a damaged ELF file.
    """
    # By name alone: a wheel brings its own libraries under names that no other package has.
    held = {PurePosixPath(path).name for path in tree}
    return [
        f"/{path} needs {name}"
        for path, entry in sorted(tree.items())
        if isinstance(entry, File) and entry.data.startswith(_MAGIC)
        for name in _needed(path, entry.data)
        if name not in held
    ]


def _needed(path: str, data: bytes) -> list[str]:
    """Returns the values of DT_NEEDED."""
    try:
        segments = list(_segments(data))
        entries = [entry for each in segments if each.kind == _DYNAMIC for entry in _entries(data, each)]
        offsets = [value for tag, value in entries if tag == _NEEDED]
        if not offsets:
            return []
        (strings,) = (value for tag, value in entries if tag == _STRINGS)
        (start,) = (
            strings - each.address + each.offset
            for each in segments
            if each.kind == _LOAD and each.address <= strings < each.address + each.size
        )
        return [data[start + at : data.index(b"\0", start + at)].decode() for at in offsets]
    except (struct.error, ValueError) as error:
        raise ImageError(f"/{path} cannot be read as an ELF file ({error}).") from error


def _segments(data: bytes) -> Iterator[_Segment]:
    # Offsets of e_phoff, e_phentsize and e_phnum; an entry is an Elf64_Phdr.
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", data, table + number * size)
        yield _Segment(kind, offset, address, in_file)


def _entries(data: bytes, dynamic: _Segment) -> Iterator[tuple[int, int]]:
    for at in range(dynamic.offset, dynamic.offset + dynamic.size, 16):
        tag, value = struct.unpack_from("<QQ", data, at)
        if tag == _END:
            return
        yield tag, value
