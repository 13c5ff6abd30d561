"""How many blocks' logs an endpoint gives at once: halved when it refuses, grown again slowly; pure."""

from typing import Final

GROW_AFTER: Final = 8
"""Ranges read in full before a larger one is tried again: a refusal may count against the node's rate."""


class LogRange:
    """Starts at `most` blocks and never leaves 1..`most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._in_a_row = 0
        self.blocks = most

    def refused(self) -> bool:
        """Take half; False when it was one block already."""
        self._in_a_row = 0
        if self.blocks == 1:
            return False
        self.blocks //= 2
        return True

    def read(self, blocks: int) -> None:
        """So many blocks were read at once; only a full range says that a larger one may do."""
        if blocks < self.blocks:
            return
        self._in_a_row += 1
        if self._in_a_row >= GROW_AFTER:
            self._in_a_row = 0
            self.blocks = min(self._most, self.blocks * 2)
