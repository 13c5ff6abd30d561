"""Mines transactions that anvil left in its pool, which may happen with instant blocks.

In some thousand concurrent writes (foundry issue 10122) one waits until the next comes.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from pydantic import JsonValue

from node.chain.rpc import JsonRpc, RpcError
from node.runtime.http_client import plain_session

LOOK_INTERVAL_S: Final = 0.5


async def _look(rpc: JsonRpc, before: JsonValue) -> JsonValue:
    """Returns the head while transactions are pending; mines if it equals `before`."""
    pool = await rpc.call("txpool_status")
    if not isinstance(pool, dict) or pool.get("pending") == "0x0":
        return None
    head = await rpc.call("eth_blockNumber")
    # Twice the same head, since in one poll the transactions may be new. With blocks at an interval
    # they wait rightly.
    if head == before and await rpc.call("anvil_getAutomine") is True:
        await rpc.call("evm_mine")
        return None
    return head


@contextlib.asynccontextmanager
async def stuck_transactions_mined(url: str) -> AsyncIterator[None]:
    """Poll every `LOOK_INTERVAL_S` until the context ends. Chains with an interval are skipped."""

    async def keep_looking(rpc: JsonRpc) -> None:
        head: JsonValue = None
        while True:
            await asyncio.sleep(LOOK_INTERVAL_S)
            # The chain may be stopping, so a failed poll is no error of the node.
            with contextlib.suppress(RpcError):
                head = await _look(rpc, head)

    async with plain_session() as session:
        task = asyncio.create_task(keep_looking(JsonRpc(session, [url])))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
