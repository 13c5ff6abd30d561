"""The block this node has already relied on, so that no later read answers from an older one."""


class BlockFloor:
    """A block number: the writer raises it to each receipt's block, the reader answers at or above it.

    It falls only when a chain has lost blocks (a local chain that was killed) and holds all our writes again.

    One object is shared by both for the life of the process; it starts at 0 since a fresh process has relied on nothing.
    """

    def __init__(self) -> None:
        self._value = 0

    @property
    def value(self) -> int:
        """The lowest block number a read may be answered from."""
        return self._value

    def raise_to(self, block_number: int) -> None:
        """Take note of `block_number`; a lower one than known changes nothing."""
        self._value = max(self._value, block_number)

    def rewind_to(self, block_number: int) -> None:
        """Rely on `block_number` and no later one: every write of this process is known to be on chain there."""
        self._value = min(self._value, block_number)
