"""The guest's code by its bytes: what a call can change beside the memory, which instances that are used again rely on."""

from collections import Counter

import pytest

from node.engine.guest.snapshot import GUEST, _read_number, _sections

GLOBALS, CODE = 6, 10
I32, MUTABLE, IMMUTABLE, CONST = 0x7F, 1, 0, 0x41
BLOCKS = frozenset({0x02, 0x03, 0x04})
BLOCK_TYPES = frozenset({0x40, 0x7F, 0x7E, 0x7D, 0x7C, 0x7B})
IMMEDIATES = {
    **dict.fromkeys((0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x41, 0x42, 0xD2), 1),
    **dict.fromkeys((0x11, *range(0x28, 0x3F)), 2),
    **dict.fromkeys((0x3F, 0x40, 0xD0), 1),
}
"""Numbers in LEB128 that follow an operation (WebAssembly core specification, section 5.4)."""
FIXED_BYTES = {0x43: 4, 0x44: 8}
PREFIX = 0xFC
PREFIXED = {**dict.fromkeys(range(8), 0), 8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}
BARE = frozenset({0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5)})
TABLE_SET = 0x26
CHANGING = {
    8: "memory.init",
    9: "data.drop",
    12: "table.init",
    13: "elem.drop",
    14: "table.copy",
    15: "table.grow",
    17: "table.fill",
}


@pytest.fixture(scope="module")
def sections() -> dict[int, bytes]:
    return dict(_sections(GUEST.read_bytes()))


def test_the_one_global_that_can_change_is_the_stack_pointer(sections: dict[int, bytes]) -> None:
    globals_ = sections[GLOBALS]
    count, at = _read_number(globals_, 0)
    kinds = []
    for _ in range(count):
        kinds.append((globals_[at], globals_[at + 1]))
        # Each is a number that `i32.const` gives, and `end`.
        assert globals_[at + 2] == CONST
        at = _read_number(globals_, at + 3)[1] + 1
    assert at == len(globals_)
    assert kinds[0] == (I32, MUTABLE)
    assert all(kind == (I32, IMMUTABLE) for kind in kinds[1:])


def test_it_writes_no_table_and_drops_no_segment(sections: dict[int, bytes]) -> None:
    code = sections[CODE]
    count, at = _read_number(code, 0)
    found: Counter[tuple[int, int]] = Counter()
    for _ in range(count):
        size, at = _read_number(code, at)
        found += operations(code, at, at + size)
        at += size
    # It calls functions, or the walk through the code has gone astray.
    assert found[0x10, 0] > count
    assert found[TABLE_SET, 0] == 0
    assert not {CHANGING[number] for operation, number in found if operation == PREFIX and number in CHANGING}


def operations(code: bytes, at: int, end: int) -> Counter[tuple[int, int]]:
    """Count the operations of a function's body."""
    found: Counter[tuple[int, int]] = Counter()
    kinds, at = _read_number(code, at)
    for _ in range(kinds):
        at = _read_number(code, at)[1] + 1
    while at < end:
        operation, number = code[at], 0
        at += 1
        if operation in BLOCKS:
            skipped = 0 if code[at] in BLOCK_TYPES else 1
            at += 1 - skipped
        elif operation == 0x0E:
            targets, at = _read_number(code, at)
            skipped = targets + 1
        elif operation == PREFIX:
            number, at = _read_number(code, at)
            skipped = PREFIXED[number]
        elif operation in FIXED_BYTES:
            skipped, at = 0, at + FIXED_BYTES[operation]
        else:
            assert operation in IMMEDIATES or operation in BARE, hex(operation)
            skipped = IMMEDIATES.get(operation, 0)
        for _ in range(skipped):
            at = _read_number(code, at)[1]
        found[operation, number] += 1
    assert at == end
    return found
