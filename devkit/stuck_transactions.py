"""Mines transactions that anvil left in its pool, which happens now and then with instant blocks.

Seen once in some thousand concurrent writes (foundry issue 10122): the transaction waits until the next one comes.
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
    """The head while transactions are ready, None when none is; mines when neither has moved since `before`."""
    pool = await rpc.call("txpool_status")
    if not isinstance(pool, dict) or pool.get("pending") == "0x0":
        return None
    head = await rpc.call("eth_blockNumber")
    # Twice the same head: in a single look the transactions may just have arrived. With blocks at an interval they wait
    # rightly.
    if head == before and await rpc.call("anvil_getAutomine") is True:
        await rpc.call("evm_mine")
        return None
    return head


@contextlib.asynccontextmanager
async def stuck_transactions_mined(url: str) -> AsyncIterator[None]:
    """Look every `LOOK_INTERVAL_S` until the context ends; a chain that does not mine at once is left alone."""

    async def keep_looking(rpc: JsonRpc) -> None:
        head: JsonValue = None
        while True:
            await asyncio.sleep(LOOK_INTERVAL_S)
            # The chain may be stopping: a look that fails is no error of the node.
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
