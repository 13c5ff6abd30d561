"""One provider of three lies: nothing it makes up is credited, and nothing it hides is lost."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from node.api.errors import as_node_error
from node.errors import DomainError
from tests.billing.tokens.bench import DOLLAR, Bench, to_head
from tests.support import rpc_proxy
from tests.support.constants import replace_constants
from tests.support.deposits import DEPOSITED
from tests.support.lies import Ask, Outcome, Tell, altering, per_call
from tests.support.lying_heads import invented_hash
from tests.support.lying_rpc import LIES, Stage

pytestmark = pytest.mark.asyncio(loop_scope="module")

THIEF = 0xBAD


@pytest.fixture(autouse=True)
def _few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain.deposits", HEDGE_DELAY_S=0.2)


Change = Callable[[dict[str, Any]], Any]
CHANGES: dict[str, Change] = {
    "another account": lambda log: log | {"topics": [*log["topics"][:1], f"0x{THIEF:064x}", *log["topics"][2:]]},
    "a larger amount": lambda log: log | {"data": f"0x{10**12:064x}"},
    "another token": lambda log: log | {"topics": [*log["topics"][:3], "0x" + "00" * 12 + "ee" * 20]},
    "another index": lambda log: log | {"logIndex": "0x7"},
    "another transaction": lambda log: log | {"transactionHash": invented_hash(7)},
    "another block's hash": lambda log: log | {"blockHash": invented_hash(8)},
    "the block before": lambda log: log | {"blockNumber": hex(int(log["blockNumber"], 16) - 1)},
    "taken back": lambda log: log | {"removed": True},
    "another contract": lambda log: log | {"address": "0x" + "ee" * 20},
    "no data": lambda log: log | {"data": "0x"},
    "no log": lambda _log: None,
}


def invented(bench: Bench, count: int) -> Tell:
    """Well-formed deposits that never were, for an account that never was, in the last block of every range."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        outcome = await ask(method, *params)
        if method != "eth_getLogs" or "error" in outcome:
            return outcome
        block = (await ask("eth_getBlockByNumber", params[0]["toBlock"], False))["result"]
        words = [f"0x{THIEF:064x}", "0x" + "00" * 12 + "aa" * 20]
        token = "0x" + "00" * 12 + bench.payments.token.address[2:].lower()
        made_up = [
            {
                "address": bench.payments.contract.address.lower(),
                "topics": [DEPOSITED, *words, token],
                "data": f"0x{DOLLAR:064x}",
                "blockNumber": params[0]["toBlock"],
                "blockHash": block["hash"],
                "transactionHash": invented_hash(index),
                "transactionIndex": "0x0",
                "logIndex": hex(1000 + index),
                "removed": False,
            }
            for index in range(count)
        ]
        return {"result": [*outcome["result"], *made_up]}

    return tell


async def assert_exact(bench: Bench, account: int) -> None:
    """A deposit is credited, once, whatever the liar, who is asked first, says; and nothing else is."""
    watcher = bench.watcher()
    await bench.payments.pay(account, DOLLAR)
    for _ in range(5):
        bench.providers.prefer(0)
        await to_head(watcher)
        assert await bench.statuses(THIEF) == []
        await bench.mine()
    assert (await bench.credit(account), await bench.credit(THIEF)) == (DOLLAR, 0)
    assert await bench.statuses(account) == ["credited"]


@pytest.mark.parametrize("count", [1, 300])
async def test_made_up_deposits_are_not_even_pending(three: Bench, count: int) -> None:
    account = await three.payments.account("one")
    three.proxies[0].behaviour = per_call(invented(three, count))
    await assert_exact(three, account)
    assert three.providers.disagreements.hosts[three.providers.host_of(0)] > 0
    # Outvoted about deposits, it is asked last about everything else too.
    three.providers.requests()
    await three.providers.quorum.look()
    assert three.providers.requests()[0] == 0


@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_deposit_is_outvoted(three: Bench, change: str) -> None:
    account = await three.payments.account("one")
    told = altering({"eth_getLogs"}, lambda logs: [CHANGES[change](log) for log in logs])
    three.proxies[0].behaviour = per_call(told)
    await assert_exact(three, account)


def only(change: str) -> Callable[[dict[str, Any]], Any]:
    return lambda log: [CHANGES[change](log)]


NOT_ASKED_FOR: dict[str, Callable[[dict[str, Any]], Any]] = {
    "taken back": only("taken back"),
    "another contract": only("another contract"),
    "no data": only("no data"),
    "no log": only("no log"),
    "one good, one bad": lambda log: [log, log | {"logIndex": "0x63", "removed": True}],
    "told twice": lambda log: [log, log],
    "after the range": lambda log: [log | {"blockNumber": "0xfffff"}],
    "before the range": lambda log: [log | {"blockNumber": "-0x1"}],
    "no number": lambda log: [log | {"blockNumber": None}],
    "no hash": lambda log: [log | {"transactionHash": "0x12"}],
    "another event": lambda log: [log | {"topics": ["0x" + "00" * 32, *log["topics"][1:]]}],
    "a topic too few": lambda log: [log | {"topics": log["topics"][:3]}],
    "a payer that is no address": lambda log: [
        log | {"topics": [*log["topics"][:2], "0x" + "ff" * 32, log["topics"][3]]}
    ],
    "two words of data": lambda log: [log | {"data": log["data"] + "00" * 32}],
    "no list": lambda log: {"logs": [log]},
    "nothing": lambda _log: None,
}


@pytest.mark.parametrize("lie", NOT_ASKED_FOR)
async def test_an_only_endpoint_is_believed_nothing_that_was_not_asked_for(one: Bench, lie: str) -> None:
    account = await one.payments.account("one")
    watcher = one.watcher()
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    told = altering({"eth_getLogs"}, lambda logs: NOT_ASKED_FOR[lie](logs[0]) if logs else logs)
    one.proxies[0].behaviour = per_call(told)
    with pytest.raises(DomainError):
        await to_head(watcher)
    assert (await one.credit(account), await one.told(account)) == (0, [])
    one.proxies[0].behaviour = rpc_proxy.honest
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR


@pytest.mark.parametrize("name", ["number", "hash"])
async def test_an_only_endpoint_that_shows_another_block_than_the_one_asked_for_settles_nothing(
    one: Bench, name: str
) -> None:
    """Its logs may then end earlier than they should."""
    account = await one.payments.account("one")
    watcher = one.watcher()
    await to_head(watcher)
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    earlier = await one.payments.chain.rpc.ask("eth_getBlockByNumber", "0x1", False)

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == "eth_getLogs":
            return {"result": []}
        outcome = await ask(method, *params)
        is_block = method == "eth_getBlockByNumber" and params[0] != "latest"
        return (
            {"result": outcome["result"] | {name: earlier[name] if name == "number" else None}} if is_block else outcome
        )

    one.proxies[0].behaviour = per_call(tell)
    with pytest.raises(DomainError):
        await to_head(watcher)
    one.proxies[0].behaviour = rpc_proxy.honest
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR


async def test_a_hidden_deposit_is_found_all_the_same(three: Bench) -> None:
    account = await three.payments.account("one")
    three.proxies[0].behaviour = per_call(altering({"eth_getLogs"}, lambda _: []))
    await assert_exact(three, account)


async def test_a_log_told_twice_is_refused(three: Bench) -> None:
    account = await three.payments.account("one")
    three.proxies[0].behaviour = per_call(altering({"eth_getLogs"}, lambda logs: [*logs, *logs]))
    await assert_exact(three, account)


async def test_a_deposit_that_a_late_index_and_a_liar_hid_is_found_with_the_overlap(three: Bench) -> None:
    """For a while two of three leave it out, one of them in good faith."""
    account = await three.payments.account("one")
    watcher = three.watcher()
    await to_head(watcher)
    await three.payments.pay(account, DOLLAR)
    await three.mine(3)
    hiding = per_call(altering({"eth_getLogs"}, lambda _: []))
    three.proxies[0].behaviour = three.proxies[1].behaviour = hiding
    await to_head(watcher)
    assert await three.credit(account) == 0
    three.proxies[1].behaviour = rpc_proxy.honest
    await three.mine()
    await to_head(watcher)
    assert await three.credit(account) == DOLLAR


async def test_two_endpoints_that_contradict_each_other_hold_everything_up(three: Bench) -> None:
    """The third is out: of two, both must agree. Nothing is credited, nothing lost."""
    account = await three.payments.account("one")
    watcher = three.watcher()
    await to_head(watcher)
    three.proxies[0].behaviour = per_call(invented(three, 1))
    three.proxies[2].behaviour = rpc_proxy.drop
    await three.payments.pay(account, DOLLAR)
    await three.mine(3)
    with pytest.raises(DomainError) as refused:
        await watcher.look()
    assert as_node_error(refused.value).code == "chain_unavailable"
    assert (await three.credit(account), await three.credit(THIEF)) == (0, 0)
    three.proxies[2].behaviour = rpc_proxy.honest
    await to_head(watcher)
    assert (await three.credit(account), await three.credit(THIEF)) == (DOLLAR, 0)


@pytest.mark.parametrize("lie", LIES)
async def test_whatever_one_endpoint_does_deposits_are_credited_exactly(three: Bench, lie: str) -> None:
    account = await three.payments.account("one")
    past = (await three.providers.head()).number - 1
    three.proxies[0].behaviour = LIES[lie](Stage(past, three.payments.contract.address))
    await three.payments.pay(account, DOLLAR)
    await three.mine(3)
    watcher = three.watcher()
    async with asyncio.timeout(60):  # while one of the honest is late, a liar may show the others' head as it was
        while not await three.credit(account):
            await to_head(watcher)
    assert (await three.credit(account), await three.statuses(account)) == (DOLLAR, ["credited"])
