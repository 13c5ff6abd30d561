"""A receipt without a field, or of a pending block, tells nothing: neither that something was done, nor that it was not."""

import contextlib
from typing import Any

import pytest

from svc_client import Unconfirmed
from svc_client.chain.providers import Providers
from svc_client.chain.receipts import Found, look_for
from tests.support.lies import answering, per_call
from tests.support.odd_providers import ABSENT, CHANGES, RECEIPT, showing
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest
from tests.support.sovereign import SUCCESSOR, WALLET, Stage

HIDING = per_call(answering({RECEIPT}, lambda _: {"result": None}))


async def looked(stage: Stage, *behaviours: Behaviour) -> tuple[Found, list[str]]:
    """One look for a transaction that is mined, at so many providers; and their hosts."""
    transfer = {"from": WALLET.address, "to": SUCCESSOR.address, "value": "0x1"}
    transaction_hash = (await stage.chain.rpc.ask("eth_sendTransactionSync", transfer))["transactionHash"]
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(stage.chain.url).running()) for _ in behaviours]
        for proxy, behaviour in zip(proxies, behaviours, strict=True):
            proxy.behaviour = behaviour
        urls = [each.url for each in proxies]
        providers = Providers(urls, 31337, one_is_enough=True, is_development=True, proxy_url=None)
        stack.push_async_callback(providers.close)
        found = await look_for(providers, [bytes.fromhex(transaction_hash[2:])])
    return found, list(providers.hosts)


COUNTS = {"the one provider": (1, 1), "two of three": (2, 3), "one of three": (1, 3)}
QUICK = {
    ("the one provider", "without status"),
    ("the one provider", "without place"),
    ("the one provider", "of a third status"),
}
QUICK |= {("two of three", "without status"), ("one of three", "of a third status")}


@pytest.mark.parametrize(
    ("who", "change"),
    [
        pytest.param(who, change, marks=[] if (who, change) in QUICK else pytest.mark.exhaustive, id=f"{who}, {change}")
        for who in COUNTS
        for change in CHANGES
    ],
)
async def test_an_incomplete_receipt_decides_nothing(stage: Stage, who: str, change: str) -> None:
    bad, count = COUNTS[who]
    lacking, members = CHANGES[change]
    found, hosts = await looked(stage, *[showing(members)] * bad, *[honest] * (count - bad))
    assert found.is_absent is False
    assert (found.confirmed is not None) == (count - bad > count // 2)
    said = [f"{host} shows a receipt that does not count by its {lacking}" for host in hosts[:bad]]
    assert list(found.incomplete) == said


async def test_a_nonce_is_not_called_taken_while_one_provider_shows_an_incomplete_receipt(stage: Stage) -> None:
    found, _ = await looked(stage, HIDING, HIDING, showing({"status": ABSENT}))
    assert (found.is_shown, found.is_absent) == (False, False)
    found, _ = await looked(stage, HIDING, HIDING, honest)
    assert (found.is_shown, found.is_absent) == (True, True)


async def test_the_error_names_provider_and_field(stage: Stage) -> None:
    stage.one.behaviour = stage.two.behaviour = showing({"status": ABSENT})
    with pytest.raises(Unconfirmed, match=rf"127.0.0.1:{stage.one.port} .* does not count by its status") as late:
        await stage.by(lambda mine: mine.open("me"), timeout_s=2.0)
    assert late.value.transaction_hash == stage.told[0]
    assert await stage.sent_count() == 1


@pytest.mark.parametrize(
    "change", [{}, {"effectiveGasPrice": ABSENT}, {"gasUsed": ABSENT}], ids=["said", "no price", "no gas"]
)
async def test_a_price_that_is_not_said_is_not_made_up(stage: Stage, change: dict[str, Any]) -> None:
    stage.one.behaviour = stage.two.behaviour = showing(change)
    done = await stage.by(lambda mine: mine.open("me"))
    receipt = await stage.chain.rpc.ask(RECEIPT, done.transaction_hash)
    paid = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert done.fee_wei == (None if change else paid)
