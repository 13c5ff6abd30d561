"""The block this node has already relied on, so that no later read answers from an older one."""


class BlockFloor:
    """A block number: the writer raises it to each receipt's block, a read to each head it agrees on, and answers at or above it.

    It falls only where it `may_fall`: on a local chain with instant blocks, which loses some when it is killed, and then
    only when the chain holds all our writes again. Elsewhere a lower head is an endpoint that lags, or lies.

    One object is shared by all for the life of the process; it starts at 0 since a fresh process has relied on nothing.
    """

    def __init__(self, *, may_fall: bool = False) -> None:
        self._value = 0
        self._may_fall = may_fall

    @property
    def value(self) -> int:
        """The lowest block number a read may be answered from."""
        return self._value

    def raise_to(self, block_number: int) -> None:
        """Take note of `block_number`; a lower one than known changes nothing."""
        self._value = max(self._value, block_number)

    def rewind_to(self, block_number: int) -> None:
        """Rely on `block_number` and no later one: every write of this process is known to be on chain there.

        Changes nothing where the floor may not fall.
        """
        if self._may_fall:
            self._value = min(self._value, block_number)
