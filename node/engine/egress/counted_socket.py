"""Sockets of outbound connections, each taken from a budget until it is closed: their number is bounded for the whole node."""

import socket

from node.engine.egress.budget import Budget


class CountedSocket(socket.socket):
    """A socket that counts as one of `budget` from its making to its closing. Raises FetchRefusedError when there is none left."""

    def __init__(self, budget: Budget, family: int, kind: int, protocol: int) -> None:
        budget.take(1)
        self._budget: Budget | None = budget
        try:
            super().__init__(family, kind, protocol)
        except BaseException:
            self._give_back()
            raise

    def close(self) -> None:
        """Close it, and count it no more."""
        super().close()
        self._give_back()

    def _give_back(self) -> None:
        if self._budget is not None:
            self._budget.give_back(1)
            self._budget = None
