"""Whom the listener tells of heads; of changes it tells `ChainNews` of node/chain/port.py."""

from typing import Protocol

from node.chain.port import Head
from node.chain.rpc import Endpoint


class HeadNews(Protocol):
    """Whoever knows the endpoints' heads."""

    def saw(self, endpoint: Endpoint, head: Head) -> None:
        """This endpoint shows this head, or announces it."""
        ...
