"""May this key run this code now? The contract decides at one block; here its answer becomes an error or a go."""

import asyncio
from collections.abc import Awaitable, Callable

from node.chain.port import AccountReads, Authorisation
from node.errors import ErrorCode, NodeError
from node.execution.limits import ExecutionLimits
from node.forbidden import forbidden
from node.permissions.denial import Denial, Missing
from node.permissions.grants import Caller

_RETRY_AFTER_S = 2


class Authority:
    """Asks the contract, at or after the block a request names.

    `now` is unix seconds; `sleep` waits between two looks at the chain.
    """

    def __init__(
        self,
        reads: AccountReads,
        limits: ExecutionLimits,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._reads = reads
        self._limits = limits
        self._now = now
        self._sleep = sleep

    async def authorise(self, caller: Caller, action_hash: int, min_block: int | None) -> Authorisation:
        """The contract's yes. Raises NodeError 401 for a key gone by now, 403 with `details.missing`, 503 for a chain
        that is out of reach or does not reach `min_block` in time.
        """
        decision = await self._decision(caller, action_hash, min_block or 0)
        expired = 0 < decision.expiration <= max(self._now(), decision.block_timestamp)
        if decision.master_hash == 0 or expired:
            raise NodeError(ErrorCode.UNAUTHORIZED, "This key is unknown, removed or expired.")
        if decision.is_account_key and not decision.managed:
            raise forbidden(Denial(Missing.ADMIN_WALLET), caller)
        if not decision.may_execute:
            raise forbidden(Denial(Missing.EXECUTE_IN_GROUPS), caller)
        return decision

    async def _decision(self, caller: Caller, action_hash: int, min_block: int) -> Authorisation:
        waited_s = 0.0
        while True:
            decision = await self._reads.authorisation(caller.key_hash, action_hash, [])
            if decision.block_number >= min_block:
                return decision
            if waited_s >= self._limits.min_block_timeout_s:
                raise _not_there_yet(min_block, decision.block_number)
            await self._sleep(self._limits.min_block_poll_s)
            waited_s += self._limits.min_block_poll_s


def _not_there_yet(min_block: int, seen: int) -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"The node has seen the chain up to block {seen}, not yet block {min_block}.",
        fix="Try again, or leave `min_block` out.",
        details={"min_block": min_block, "block_number": seen},
        retry_after_s=_RETRY_AFTER_S,
    )
