"""Authorisations without a cache, until the node watches its chain: every question is read at the head."""

import asyncio
from collections.abc import Awaitable, Callable

from node.chain.port import AccountReads, Authorisation, MayReread, WalletUse
from node.errors import ErrorCode, NodeError
from node.permissions.grants import Caller

_WAIT_S = 10.0
_PAUSE_S = 0.25


class LiveAuthorisations:
    """Reads anew each time; `sleep` waits between two looks for a `min_block`."""

    def __init__(self, reads: AccountReads, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._reads = reads
        self._sleep = sleep

    async def caller(self, key_hash: int) -> Caller | None:
        """Who a key is."""
        return await self._reads.caller(key_hash)

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:  # noqa: ARG002 - no denial is kept
        """May this key run this action, decided at `min_block` or later."""
        waited_s = 0.0
        while True:
            decision = await self._reads.authorisation(caller.key_hash, action_hash, [])
            if decision.block_number >= min_block:
                return decision
            if waited_s >= _WAIT_S:
                raise NodeError(ErrorCode.CHAIN_UNAVAILABLE, "The node has not seen this block yet.", retry_after_s=2)
            await self._sleep(_PAUSE_S)
            waited_s += _PAUSE_S

    async def wallet_use(self, caller: Caller, action_hash: int, wallet: str | int, may_reread: MayReread) -> WalletUse:  # noqa: ARG002 - as above
        """May this key use this wallet in this action."""
        if isinstance(wallet, int):
            found = await self._reads.wallet_by_id(caller.master_hash, wallet)
        else:
            found = await self._reads.wallet(caller.master_hash, wallet)
        wallets = [] if found is None else [found.address]
        decision = await self._reads.authorisation(caller.key_hash, action_hash, wallets)
        allowed = decision.may_execute and list(decision.wallets) == [True]
        return WalletUse(found, allowed, decision.block_number)
