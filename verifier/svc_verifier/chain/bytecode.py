"""What of a contract's behaviour its bytecode alone decides (Ethereum yellow paper, appendix H)."""

from typing import Final

_PUSH1: Final = 0x60
_PUSH32: Final = 0x7F
_JUMPDEST: Final = 0x5B
_LEAVES: Final = frozenset({0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF})
"""STOP, JUMP, RETURN, REVERT, INVALID and SELFDESTRUCT: what stands behind them runs only when jumped to."""

_NOT_LEGACY: Final = b"\xef"
"""EIP-3541: no such code can be deployed; an account that delegates its code starts so (EIP-7702), for as long as it likes."""

_CHANGES: Final = frozenset({0xF2, 0xF4, 0xFF})
"""CALLCODE and DELEGATECALL run other code in the contract's name; SELFDESTRUCT makes room for other code."""


def can_change(code: bytes) -> bool:
    """Whether some way through `code` may run another contract's code as its own, or destroy it.

    Execution starts at the first byte and jumps to JUMPDESTs outside of pushed data alone, so this linear reading meets
    every instruction that can ever run; metadata behind the last one cannot, and is passed over.
    """
    if code[:1] == _NOT_LEGACY:
        return True
    place, runs = 0, True
    while place < len(code):
        instruction = code[place]
        runs = runs or instruction == _JUMPDEST
        if runs and instruction in _CHANGES:
            return True
        if instruction in _LEAVES:
            runs = False
        place += 1 + (instruction - _PUSH1 + 1 if _PUSH1 <= instruction <= _PUSH32 else 0)
    return False
