"""Baselines of the node, which do the same work with nothing around it."""

import asyncio
import contextlib
import json
import multiprocessing
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
from aiohttp import web
from eth_account import Account

from devkit.local_chain import FUNDED_KEYS, LocalChain, LocalChainOptions, local_chain

RECEIPT_POLL_S = 0.001


def _serve_plainly(port: "multiprocessing.Queue[int]") -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.json_response({"name": "plain", "version": "1"})

    async def main() -> None:
        application = web.Application()
        application.router.add_get("/", handler)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


@contextlib.asynccontextmanager
async def plain_handler(session: aiohttp.ClientSession) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Runs a bare aiohttp handler in its own process."""
    context = multiprocessing.get_context("spawn")
    ports: multiprocessing.Queue[int] = context.Queue()
    process = context.Process(target=_serve_plainly, args=(ports,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{await asyncio.to_thread(ports.get)}/"

    async def once() -> None:
        async with session.get(url) as response:
            await response.json()

    try:
        yield once
    finally:
        process.kill()
        process.join()


class RawSender:
    """Signs a value transfer and waits for its receipt, the least that a write can cost."""

    def __init__(self, session: aiohttp.ClientSession, chain: LocalChain, key: str) -> None:
        self._session = session
        self._url = chain.url
        self._account = Account.from_key(key)
        self._nonce = 0

    async def rpc(self, method: str, *parameters: Any) -> Any:
        """Sends a JSON-RPC call."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        async with self._session.post(self._url, json=body) as response:
            return json.loads(await response.read())["result"]

    async def once(self) -> None:
        """Sends a transaction and waits until it is mined."""
        # Count without an await: calls at once must not take one nonce, and asking the chain
        # would be a second request.
        nonce, self._nonce = self._nonce, self._nonce + 1
        fields = {"to": self._account.address, "value": 1, "gas": 21000, "nonce": nonce, "chainId": 31337, "type": 2}
        fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 1}
        signed = self._account.sign_transaction(fields | fees)
        transaction = await self.rpc("eth_sendRawTransaction", "0x" + signed.raw_transaction.hex())
        while await self.rpc("eth_getTransactionReceipt", transaction) is None:
            await asyncio.sleep(RECEIPT_POLL_S)


@contextlib.asynccontextmanager
async def raw_transactions(
    session: aiohttp.ClientSession, block_time_s: float | None
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Sends transfers on their own chain, mined at once or every `block_time_s`."""
    async with local_chain(LocalChainOptions(block_time_s=block_time_s)) as chain:
        yield RawSender(session, chain, FUNDED_KEYS[0]).once
