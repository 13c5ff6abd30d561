"""Tips of chains that have no eth_maxPriorityFeePerGas: what the gas price is above the base fee, voted and capped alike."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from node.chain.rpc import RpcRefusedError
from node.chain.rpc.answers import MalformedResultError, suggested_tip
from node.chain.writes.fees import PRIORITY_FEE_MAX_WEI
from node.settings.chain import ChainWriteSettings
from node.settings.field import WEI_PER_GWEI
from tests.support.lies import answering, per_call
from tests.support.odd_providers import TIP, UNSUPPORTED, without_tips
from tests.support.rpc_proxy import Behaviour, RpcProxy
from tests.support.writes import WriteWorld, set_constants

ACCOUNT = 0xACC
LEAST_WEI = 7_777
SETTINGS = ChainWriteSettings(fee_priority_fee_min_wei=LEAST_WEI, fee_max_fee_cap_wei=1_000 * WEI_PER_GWEI)
TIPPING = per_call(answering({TIP}, lambda _: {"result": hex(3 * WEI_PER_GWEI)}))

CASES: list[tuple[str, Sequence[Behaviour], float]] = [
    ("one provider", [without_tips(3)], 3),
    ("one provider, not supported", [without_tips(3, UNSUPPORTED)], 3),
    ("one provider, without a gas price", [without_tips(None)], LEAST_WEI / WEI_PER_GWEI),
    ("two of three", [without_tips(3), without_tips(3), TIPPING], 3),
    ("one provider, a gas price below the base fee", [without_tips(-1)], LEAST_WEI / WEI_PER_GWEI),
    ("one provider, a price beyond reason", [without_tips(200)], PRIORITY_FEE_MAX_WEI / WEI_PER_GWEI),
    ("one of three", [without_tips(3), TIPPING, TIPPING], 3),
    ("one of three, a price beyond reason", [without_tips(200), without_tips(3), without_tips(3)], 3),
    ("all three", [without_tips(3), without_tips(3), without_tips(3)], 3),
]


@pytest.mark.parametrize(
    ("behaviours", "gwei"),
    [
        pytest.param(*each[1:], id=each[0], marks=[] if place < 4 else pytest.mark.exhaustive)
        for place, each in enumerate(CASES)
    ],
)
async def test_a_write_is_priced_by_the_gas_price_where_there_are_no_tips(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch, behaviours: Sequence[Behaviour], gwei: float
) -> None:
    set_constants(monkeypatch, TIP_MAX_AGE_S=0.0)
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(world.url).running()) for _ in behaviours]
        for proxy, behaviour in zip(proxies, behaviours, strict=True):
            proxy.behaviour = behaviour
        quorum, urls = len(proxies) // 2 + 1, [proxy.url for proxy in proxies]
        writes = await stack.enter_async_context(world.open(database, urls=urls, quorum=quorum, settings=SETTINGS))
        result = await writes.writer.write(world.new_account(ACCOUNT))
        made = await world.rpc.call("eth_getTransactionByHash", [result.transaction_hash])
    assert isinstance(made, dict)
    # A block may come between what the node and what the proxy sees of the base fee.
    assert int(str(made["maxPriorityFeePerGas"]), 16) == pytest.approx(gwei * WEI_PER_GWEI, rel=0.1)


REFUSED = RpcRefusedError("host", -32601, "no such method")


@pytest.mark.parametrize(
    ("outcomes", "tip"),
    [
        (["0x5", "0x64"], 5),
        (["0x0", "0x64"], 0),
        (["0x5", REFUSED], 5),
        (["0x5", None], 5),
        ([REFUSED, "0x64"], 90),
        ([REFUSED, "0x9"], 0),
        ([REFUSED, REFUSED], 0),
    ],
    ids=str,
)
def test_a_tip_is_the_suggested_one_or_follows_from_the_gas_price(outcomes: list[Any], tip: int) -> None:
    assert suggested_tip(outcomes, base_fee=10) == tip


@pytest.mark.parametrize("outcomes", [[None, "0x64"], [REFUSED, None], [REFUSED, "64"]], ids=str)
def test_what_is_no_price_is_no_tip(outcomes: list[Any]) -> None:
    with pytest.raises(MalformedResultError):
        suggested_tip(outcomes, base_fee=10)


@pytest.mark.exhaustive
async def test_a_replacement_is_priced_likewise(world: WriteWorld, database: Path) -> None:
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = without_tips(9)
        async with world.open(database, urls=[proxy.url], settings=SETTINGS) as writes:
            fees = await writes.transactor.simulator.current_offer()
    assert fees is not None
    assert fees.priority_fee == pytest.approx(9 * WEI_PER_GWEI, rel=0.1)
