"""The owner's tools with receipts that do not count, and on a chain without tips."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from compose.errors import ComposeError, Exit
from compose.governance.sending import Sent, send_transaction
from devkit.local_chain import LocalChainOptions, local_chain
from node.keyring.signing_key import key_from_hex
from svc_verifier.gathering.chain import RpcEndpoint
from svc_verifier.gathering.host import GatheringLimits, plain_session
from tests.compose.conftest import CHAIN_ID, OWNER_KEY
from tests.support.contract import Rpc
from tests.support.odd_providers import CHANGES, UNKNOWN, UNSUPPORTED, showing, without_tips
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest

TO = bytes([0x12]) * 20


@contextlib.asynccontextmanager
async def provider() -> AsyncIterator[tuple[RpcProxy, RpcEndpoint, Rpc]]:
    """A provider of a fresh chain, the tools' way to it, and the test's own way to the chain."""
    async with (
        local_chain(LocalChainOptions()) as chain,
        RpcProxy(chain.url).running() as proxy,
        plain_session() as session,
    ):
        yield proxy, RpcEndpoint(session, proxy.url, GatheringLimits()), Rpc(session, chain.url)


async def send(endpoint: RpcEndpoint) -> Sent:
    return await send_transaction(endpoint, key_from_hex(OWNER_KEY), TO, b"", CHAIN_ID)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compose.governance.sending.POLL_S", 0.02)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if place < 4 else pytest.mark.exhaustive)
        for place, name in enumerate(CHANGES)
        # The events are not read, so what stands in the list is not either.
        if name != "with logs that are none"
    ],
)
async def test_an_incomplete_receipt_is_undecided_and_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking, change = CHANGES[name]
    monkeypatch.setattr("compose.governance.sending.RECEIPT_TIMEOUT_S", 0.5)
    async with provider() as (proxy, endpoint, rpc):
        proxy.behaviour = showing(change)
        with pytest.raises(ComposeError) as undecided:
            await send(endpoint)
        made, shown = (await rpc.ask("eth_getBlockByNumber", "latest", False))["transactions"], endpoint.name
    assert undecided.value.code is Exit.UNDECIDED
    assert f"(the receipt that {shown} shows does not count by its {lacking})" in undecided.value.message
    assert made[0] in undecided.value.message


@pytest.mark.parametrize(("change", "is_done"), [({}, True), ({"status": "0x0"}, False)], ids=["done", "failed"])
async def test_a_whole_receipt_decides(change: dict[str, str], is_done: bool) -> None:
    async with provider() as (proxy, endpoint, rpc):
        proxy.behaviour = showing(change)
        if is_done:
            head = int(await rpc.ask("eth_blockNumber"), 16)
            assert (await send(endpoint)).block_number == head + 1
            return
        with pytest.raises(ComposeError, match="was mined and failed") as failed:
            await send(endpoint)
        assert failed.value.code is Exit.REFUSED


@pytest.mark.parametrize(
    ("behaviour", "gwei"),
    [
        (without_tips(3, UNKNOWN), 3),
        (without_tips(3, UNSUPPORTED), 3),
        (without_tips(None), 0),
        pytest.param(without_tips(-1), 0, marks=pytest.mark.exhaustive),
        pytest.param(honest, 1, marks=pytest.mark.exhaustive),
    ],
    ids=["method unknown", "method not supported", "no gas price", "below the base fee", "with tips"],
)
async def test_the_tip_follows_from_the_gas_price_where_there_is_no_other(behaviour: Behaviour, gwei: float) -> None:
    async with provider() as (proxy, endpoint, rpc):
        proxy.behaviour = behaviour
        sent = await send(endpoint)
        made = await rpc.ask("eth_getTransactionByHash", f"0x{sent.transaction_hash.hex()}")
    assert int(made["maxPriorityFeePerGas"], 16) == pytest.approx(gwei * 10**9, rel=0.1)


async def test_a_refusal_for_another_reason_sends_nothing() -> None:
    async with provider() as (proxy, endpoint, rpc):
        proxy.behaviour = without_tips(3, {"code": -32005, "message": "limit exceeded"})
        with pytest.raises(ComposeError, match="eth_maxPriorityFeePerGas was refused"):
            await send(endpoint)
        owner = key_from_hex(OWNER_KEY).address
        assert await rpc.ask("eth_getTransactionCount", owner, "pending") == "0x0"
