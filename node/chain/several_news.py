"""One who is told of the chain's changes, and tells all who keep something of it."""

from node.chain.port import ChainNews


class SeveralNews:
    """Tells each of `listeners`, in order."""

    def __init__(self, *listeners: ChainNews) -> None:
        self._listeners = listeners

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """An event of this account stands in this block."""
        for listener in self._listeners:
            listener.account_changed(master_hash, block_number)

    def reorganised(self, fork_number: int) -> None:
        """Blocks after `fork_number` are no longer those that were there."""
        for listener in self._listeners:
            listener.reorganised(fork_number)
