"""One endpoint's word on who administered an account, read from its logs, the newest first."""

import asyncio
from collections.abc import Sequence
from typing import Final

from node.chain.admins.history import AdminEvents, NamedAdmin, linked
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.listener.logs import MalformedLogsError
from node.chain.rpc import Endpoint, RpcCall, RpcError, RpcRefusedError, RpcUnavailableError

EVERY_BLOCK: Final = 2**62
"""More than any chain has."""


class EndpointHistory:
    """Asks one endpoint; remembers how many blocks' logs it gives at once."""

    def __init__(self, endpoint: Endpoint, events: AdminEvents, limits: AdminHistoryLimits) -> None:
        self._endpoint = endpoint
        self._events = events
        self._limits = limits
        self._blocks = EVERY_BLOCK

    async def admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """The account's admins from the present one back, by the logs up to block `last`.

        Raises RpcUnavailableError when its logs do not tell, or not in time.
        """
        try:
            async with asyncio.timeout(self._limits.endpoint_timeout_s):
                admins = await self._admins(account, present, last)
        except TimeoutError:
            self._blocks = EVERY_BLOCK
            raise RpcUnavailableError(self._endpoint.host, "took too long over its logs") from None
        self._blocks = min(2 * self._blocks, EVERY_BLOCK)  # what was refused once may be given the next time
        return admins

    async def _admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Backwards, so that nothing is read from before the account's unmanaged life."""
        found: list[NamedAdmin] = []
        while last >= 0:
            ranges = self._ranges(last)
            try:
                found += await self._read(account, ranges)
            except RpcError as refused:
                # The endpoint refuses, or breaks down over so much; which of the two, no error says.
                self._blocks = min(self._blocks, last + 1) // 2
                if self._blocks == 0:
                    self._blocks = EVERY_BLOCK
                    raise RpcUnavailableError(self._endpoint.host, "gives no logs") from refused
                continue
            admins = linked(present, found, self._limits.max_per_account)
            if admins is not None:
                return admins
            last = ranges[-1][0] - 1
        raise RpcUnavailableError(self._endpoint.host, "its logs do not tell who administered an account")

    def _ranges(self, last: int) -> list[tuple[int, int]]:
        """First and last block of each range of the next exchange, the newest first."""
        ends = range(last, -1, -self._blocks)[: self._limits.batch_max_calls]
        return [(max(0, end - self._blocks + 1), end) for end in ends]

    async def _read(self, account: int, ranges: Sequence[tuple[int, int]]) -> list[NamedAdmin]:
        calls = [RpcCall("eth_getLogs", [self._events.filter(account, *each)]) for each in ranges]
        found: list[NamedAdmin] = []
        for outcome in await self._endpoint.send(calls, self._limits.exchange_timeout_s):
            if isinstance(outcome, RpcRefusedError):
                raise outcome
            try:
                found += self._events.named(outcome, account)
            except MalformedLogsError as malformed:
                raise self._endpoint.fault(str(malformed)) from None
        return found
