"""The calls of an action to the node, and its first time: the first call ends it, since others can run meanwhile."""

from collections.abc import Sequence

from pydantic import JsonValue

from node.engine.admission.admission import Turn
from node.engine.port import HostCalls


class TurnHolder:
    """A `HostCalls` that notes the first call of an action that has a turn."""

    def __init__(self, host: HostCalls, turn: Turn) -> None:
        self.turn = turn
        self._host = host

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """As `HostCalls.call`."""
        self.turn.waits()
        return await self._host.call(name, arguments)
