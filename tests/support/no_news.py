"""For a process that keeps nothing of what it read from the chain."""


class NoNews:
    """A ChainNews that nobody listens to."""

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Nothing is kept, so nothing is void."""

    def reorganised(self, fork_number: int) -> None:
        """Nothing is kept, so nothing is void."""
