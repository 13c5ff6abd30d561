"""What the listener asks of the room that reads the chain."""

from typing import Protocol

from node.chain.port import Head
from node.chain.rpc import Endpoint


class HeadNews(Protocol):
    """Whoever knows the endpoints' heads."""

    def saw(self, endpoint: Endpoint, head: Head) -> None:
        """This endpoint shows this head, or announces it."""
        ...


class Relied(Protocol):
    """The blocks that reads relied on since an earlier mark."""

    @property
    def mark(self) -> int:
        """What to ask with the next time."""
        ...

    @property
    def heads(self) -> tuple[Head, ...]:
        """Those blocks, each once."""
        ...

    @property
    def complete(self) -> bool:
        """False when there were more than are remembered."""
        ...


class ReliedHeads(Protocol):
    """Remembers the blocks that reads relied on."""

    def since(self, mark: int) -> Relied:
        """Those since `mark`, which is what an earlier call gave, or 0."""
        ...
