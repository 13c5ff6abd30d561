"""A receipt counts when enough providers show it deep enough, each in its own chain."""

import contextlib
from typing import Any

import pytest

from svc_client.chain.providers import Providers
from svc_client.chain.receipts import Found, look_for
from tests.support.lies import Ask, Outcome, answering, per_call
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest
from tests.support.sovereign import SUCCESSOR, WALLET, Stage

CONFIRMATIONS = 3


def behind(block: str) -> Behaviour:
    """A provider whose newest block is this one."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        is_head = method == "eth_getBlockByNumber" and params[0] == "latest"
        return await ask(method, *([block, *params[1:]] if is_head else params))

    return per_call(tell)


@pytest.mark.parametrize(
    ("count", "ahead", "is_confirmed"),
    [(2, 1, False), (2, 2, True), (3, 1, False), (3, 2, True)],
    ids=["one of two", "both", "one of three", "two of three"],
)
async def test_providers_that_are_ahead_do_not_confirm_for_those_behind(
    stage: Stage, count: int, ahead: int, is_confirmed: bool
) -> None:
    transfer = {"from": WALLET.address, "to": SUCCESSOR.address, "value": "0x1"}
    transaction_hash = (await stage.chain.rpc.ask("eth_sendTransactionSync", transfer))["transactionHash"]
    mined = await stage.chain.rpc.ask("eth_blockNumber")
    await stage.chain.rpc.ask("anvil_mine", hex(CONFIRMATIONS - 1))
    async with contextlib.AsyncExitStack() as stack:
        more = [await stack.enter_async_context(RpcProxy(stage.chain.url).running()) for _ in range(count - 2)]
        proxies = [stage.one, stage.two, *more]
        for place, proxy in enumerate(proxies):
            proxy.behaviour = honest if place < ahead else behind(mined)
        providers = Providers(
            [each.url for each in proxies], 31337, one_is_enough=False, is_development=True, proxy_url=None
        )
        stack.push_async_callback(providers.close)
        providers.confirmations = CONFIRMATIONS
        found: Found = await look_for(providers, [bytes.fromhex(transaction_hash[2:])])
    assert (found.is_shown, found.confirmed is not None) == (True, is_confirmed)


async def test_a_receipt_that_is_kept_of_a_block_that_is_gone_confirms_nothing(stage: Stage) -> None:
    """Every provider shows it still, and has another block at its place."""
    transfer = {"from": WALLET.address, "to": SUCCESSOR.address, "value": "0x1"}
    transaction_hash = (await stage.chain.rpc.ask("eth_sendTransactionSync", transfer))["transactionHash"]
    kept = await stage.chain.rpc.ask("eth_getTransactionReceipt", transaction_hash)
    await stage.chain.rpc.ask("anvil_reorg", 1, [])
    await stage.chain.rpc.ask("anvil_mine", hex(CONFIRMATIONS))
    for proxy in (stage.one, stage.two):
        proxy.behaviour = per_call(answering({"eth_getTransactionReceipt"}, lambda _: {"result": kept}))
    urls = [stage.one.url, stage.two.url]
    providers = Providers(urls, 31337, one_is_enough=False, is_development=True, proxy_url=None)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(providers.close)
        providers.confirmations = CONFIRMATIONS
        found = await look_for(providers, [bytes.fromhex(transaction_hash[2:])])
    assert (found.is_shown, found.confirmed) == (True, None)
