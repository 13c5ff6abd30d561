"""The owner's tools send by the client's rules, which also say what is refused or undecided."""

import contextlib
from collections.abc import AsyncIterator

import aiohttp
import pytest

from compose.errors import ComposeError, Exit
from compose.governance.sending import providers_of, send
from devkit.local_chain import LocalChainOptions, local_chain
from node.keyring.signing_key import key_from_hex
from svc_client.chain.receipts import Receipt
from svc_client.chain.safe_batch import NamedCall
from tests.compose.conftest import CHAIN_ID, OWNER, OWNER_KEY
from tests.support.contract import Rpc
from tests.support.lies import answering, per_call
from tests.support.odd_providers import CHANGES, showing, without_tips
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest

CALL = NamedCall(f"0x{'12' * 20}", "anything", ())
"""Of an account without code, which takes any call."""
RECEIPT = "eth_getTransactionReceipt"


@contextlib.asynccontextmanager
async def two_providers(behaviour: Behaviour, other: Behaviour = honest) -> AsyncIterator[tuple[list[str], Rpc]]:
    """Two providers of a fresh chain, by URL, and the test's own way to the chain."""
    async with (
        local_chain(LocalChainOptions()) as chain,
        RpcProxy(chain.url).running() as one,
        RpcProxy(chain.url).running() as two,
        aiohttp.ClientSession() as session,
    ):
        one.behaviour, two.behaviour = behaviour, other
        yield [one.url, two.url], Rpc(session, chain.url)


async def sent(urls: list[str]) -> Receipt:
    async with providers_of(urls, CHAIN_ID) as providers:
        return await send(providers, key_from_hex(OWNER_KEY), bytes.fromhex(OWNER[2:]), CALL)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "without status" else pytest.mark.exhaustive)
        for name in ("of a pending block", "without status", "of block 1,000,000", "of a third status")
    ],
)
async def test_a_receipt_that_one_provider_shows_in_part_is_undecided_and_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking, change = CHANGES[name]
    monkeypatch.setattr("compose.governance.sending.RECEIPT_TIMEOUT_S", 3.0)
    async with two_providers(showing(change)) as (urls, rpc):
        with pytest.raises(ComposeError) as undecided:
            await sent(urls)
        (made,) = (await rpc.ask("eth_getBlockByNumber", "latest", False))["transactions"]
    assert undecided.value.code is Exit.UNDECIDED
    assert f"shows a receipt that does not count by its {lacking}" in undecided.value.message
    assert made in undecided.value.message


async def test_a_receipt_that_every_provider_shows_decides() -> None:
    async with two_providers(honest) as (urls, rpc):
        head = int(await rpc.ask("eth_blockNumber"), 16)
        assert (await sent(urls)).block_number == head + 1
    async with two_providers(showing({"status": "0x0"}), showing({"status": "0x0"})) as (urls, _):
        with pytest.raises(ComposeError, match="was mined and failed") as failed:
            await sent(urls)
    assert failed.value.code is Exit.REFUSED


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(per_call(answering({RECEIPT}, lambda _: {"result": None})), id="none"),
        pytest.param(showing({"status": "0x0"}), id="another", marks=pytest.mark.exhaustive),
    ],
)
async def test_a_receipt_that_one_provider_does_not_show_is_undecided(
    lie: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every provider has to show it: one that is silent might contradict."""
    monkeypatch.setattr("compose.governance.sending.RECEIPT_TIMEOUT_S", 3.0)
    async with two_providers(lie) as (urls, _):
        with pytest.raises(ComposeError) as undecided:
            await sent(urls)
    assert undecided.value.code is Exit.UNDECIDED


@pytest.mark.parametrize("gas", [21_000 * 20, 21_000], ids=["more gas than the other", "the same"])
async def test_estimates_that_differ_send_nothing(gas: int) -> None:
    lie = per_call(answering({"eth_estimateGas"}, lambda _: {"result": hex(gas)}))
    async with two_providers(lie) as (urls, rpc):
        if gas == 21_000:
            await sent(urls)
            return
        with pytest.raises(ComposeError, match="contradict each other about the gas") as undecided:
            await sent(urls)
        assert await rpc.ask("eth_getTransactionCount", OWNER, "pending") == "0x0"
    assert undecided.value.code is Exit.UNDECIDED


async def test_the_tip_follows_from_the_gas_price_where_there_is_no_other() -> None:
    async with two_providers(without_tips(3), without_tips(3)) as (urls, rpc):
        receipt = await sent(urls)
        made = await rpc.ask("eth_getTransactionByHash", receipt.shown)
    assert int(made["maxPriorityFeePerGas"], 16) == pytest.approx(3 * 10**9, rel=0.1)


async def test_no_more_is_offered_for_gas_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compose.governance.sending.FEE_PER_GAS_MAX_WEI", 1)
    async with two_providers(honest) as (urls, rpc):
        with pytest.raises(ComposeError, match=r"no more than .* is paid") as refused:
            await sent(urls)
        assert await rpc.ask("eth_getTransactionCount", OWNER, "pending") == "0x0"
    assert refused.value.code is Exit.REFUSED


async def test_providers_of_one_host_are_refused() -> None:
    with pytest.raises(ComposeError, match="each of another host") as misused:
        await sent(["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"])
    assert misused.value.code is Exit.MISUSE
