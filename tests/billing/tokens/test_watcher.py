"""Deposits followed step by step over a real chain: pending, credited, dropped, and never twice."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from node.api.errors import as_node_error
from node.billing.tokens.prices import Ignored
from node.chain.deposits.port import Deposit, ReadTo
from node.chain.deposits.watcher import LookResult
from node.database.port import Statement
from node.errors import DomainError
from tests.billing.tokens.bench import DOLLAR, Bench, to_head
from tests.support import rpc_proxy
from tests.support.constants import replace_constants
from tests.support.deposits import TOKENS, deploy
from tests.support.lies import per_call
from tests.support.lying_rpc import limited_logs
from tests.support.rpc_proxy import Behaviour, Forward

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def entries(bench: Bench) -> int:
    """Token credits in the ledger, by its own table."""
    (((count,),),) = await bench.ledger.read(Statement("SELECT count(*) FROM ledger_entry WHERE cause LIKE 'token:%'"))
    assert isinstance(count, int)
    return count


async def test_a_deposit_is_pending_until_it_has_its_confirmations_and_then_credited(one: Bench) -> None:
    account = await one.payments.account("one")
    watcher = one.watcher()
    await one.payments.pay(account, 5 * DOLLAR)
    for _ in range(2):
        await to_head(watcher)
        assert (await one.statuses(account), await one.credit(account)) == (["pending"], 0)
        await one.mine()
    await to_head(watcher)
    assert (await one.statuses(account), await one.credit(account)) == (["credited"], 5 * DOLLAR)
    (told,) = await one.told(account)
    assert told.price is not None
    assert (told.amount, told.microdollars, told.price.microdollars_per_token) == (5 * DOLLAR, 5 * DOLLAR, DOLLAR)


async def test_one_confirmation_is_the_deposits_own_block(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await to_head(one.watcher(token_confirmations=1))
    assert await one.credit(account) == DOLLAR


async def test_looking_again_and_again_and_after_a_restart_credits_once(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    for _ in range(3):
        watcher = one.watcher()
        for _ in range(3):
            await to_head(watcher)
        await one.mine()
    assert (await one.credit(account), await entries(one)) == (DOLLAR, 1)


async def test_a_lost_cursor_credits_nothing_twice(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    await to_head(one.watcher())
    await one.ledger.execute(Statement("DELETE FROM token_cursor"))
    await to_head(one.watcher())
    assert (await one.credit(account), await entries(one)) == (DOLLAR, 1)


async def test_two_deposits_of_one_transaction_both_count(one: Bench) -> None:
    accounts = [await one.payments.account("one"), await one.payments.account("two")]
    chain, token = one.payments.chain, one.payments.token
    twice = await deploy(chain.rpc, chain.owner, TOKENS["PaysTwice"])
    await token.send(chain.owner, "mint", twice.address, 4 * DOLLAR)
    watcher = one.watcher()
    for pair in (accounts, [accounts[0], accounts[0]]):
        await twice.send(chain.owner, "pay", one.payments.contract.address, pair, token.address, DOLLAR)
        await one.mine(3)
        await to_head(watcher)
    assert [await one.credit(each) for each in accounts] == [3 * DOLLAR, DOLLAR]
    assert await entries(one) == 4


async def test_a_crowd_of_deposits_in_one_block_is_settled_to_the_last(one: Bench) -> None:
    account, rpc = await one.payments.account("one"), one.payments.chain.rpc
    await rpc.ask("evm_setAutomine", False)
    data = one.payments.contract.data("deposit", account, one.payments.token.address, DOLLAR)
    asked = {"from": one.payments.payer, "to": one.payments.contract.address, "data": data, "gas": hex(200_000)}
    for _ in range(130):
        await rpc.ask("eth_sendTransaction", asked)
    await rpc.ask("evm_setAutomine", True)
    await one.mine(4)
    first, second = one.watcher(), one.watcher()
    await asyncio.gather(to_head(first), to_head(second))
    assert (await one.credit(account), await entries(one)) == (130 * DOLLAR, 130)


async def test_two_nodes_over_one_database_credit_once(one: Bench) -> None:
    account = await one.payments.account("one")
    first, second = one.watcher(), one.watcher()
    for _ in range(4):
        await one.payments.pay(account, DOLLAR)
        await to_head(first)
        await one.mine(2)
        await to_head(second)
        await to_head(first)
    await one.mine(3)
    await to_head(second)
    await to_head(first)
    assert (await one.credit(account), await entries(one)) == (4 * DOLLAR, 4)


@pytest.mark.parametrize("depth", [1, 2])
async def test_a_deposit_that_vanishes_before_it_is_final_is_told_and_never_credited(one: Bench, depth: int) -> None:
    account = await one.payments.account("one")
    watcher = one.watcher()
    await to_head(watcher)
    await one.payments.pay(account, DOLLAR)
    for _ in range(depth - 1):
        await one.mine()
    await to_head(watcher)
    assert await one.statuses(account) == ["pending"]
    await one.reorganise(depth)
    await to_head(watcher)
    assert await one.statuses(account) == ["dropped"]
    await one.mine(10)
    await to_head(watcher)
    assert (await one.statuses(account), await one.credit(account)) == (["dropped"], 0)


async def test_a_deposit_that_comes_back_in_another_block_is_credited_once(one: Bench) -> None:
    account = await one.payments.account("one")
    watcher, rpc = one.watcher(), one.payments.chain.rpc
    snapshot = await rpc.ask("evm_snapshot")
    receipt = await one.payments.pay(account, DOLLAR)
    raw = await rpc.ask("eth_getTransactionByHash", receipt["transactionHash"])
    await to_head(watcher)
    assert await rpc.ask("evm_revert", snapshot)
    await one.mine(2)
    await to_head(watcher)
    assert await one.statuses(account) == ["dropped"]
    asked = {name: raw[name] for name in ("from", "to", "gas", "nonce", "maxFeePerGas", "maxPriorityFeePerGas")}
    again = await rpc.ask("eth_sendTransactionSync", asked | {"data": raw["input"]})
    assert again["transactionHash"] == receipt["transactionHash"]
    assert again["blockHash"] != receipt["blockHash"]
    await to_head(watcher)
    assert await one.statuses(account) == ["pending"]
    await one.mine(3)
    await to_head(watcher)
    assert (await one.statuses(account), await one.credit(account)) == (["credited"], DOLLAR)


async def test_a_reorganisation_deeper_than_the_confirmations_takes_nothing_back_and_misses_nothing(one: Bench) -> None:
    first, second = await one.payments.account("first"), await one.payments.account("second")
    watcher = one.watcher()
    await one.payments.pay(first, DOLLAR)
    await one.mine(12)
    await to_head(watcher)
    await one.payments.chain.rpc.ask("anvil_rollback", 13)
    await one.payments.pay(second, 2 * DOLLAR)
    await one.mine(16)
    await to_head(watcher)
    assert (await one.credit(first), await one.credit(second)) == (DOLLAR, 2 * DOLLAR)
    assert await one.statuses(first) == ["credited"]


async def test_another_block_at_the_very_height_of_the_last_settled_is_read(one: Bench) -> None:
    account = await one.payments.account("one")
    watcher = one.watcher(token_confirmations=1)
    await one.mine()
    await to_head(watcher)
    await one.payments.chain.rpc.ask("anvil_rollback", 1)
    await one.payments.pay(account, DOLLAR)
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR


async def test_what_is_credited_stays_so_whatever_another_node_sees(one: Bench) -> None:
    """One whose providers are behind finds it pending, or not at all; one without the price would ignore it."""
    account = await one.payments.account("one")
    receipt = await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    await to_head(one.watcher())
    (told,) = await one.told(account)
    seen = Deposit(
        told.transaction,
        told.log_index,
        told.block_number,
        receipt["blockHash"],
        account,
        told.payer,
        told.token,
        DOLLAR,
    )
    behind = one.book(prices=one.prices(f"0x{'11' * 20}:NONE:6:1"))
    await behind.pending([seen], told.block_number)
    await behind.pending([], told.block_number + 100)
    await behind.settle([replace(seen, amount=7)], None, ReadTo(1, ""))
    assert await one.told(account) == [told]
    assert await one.credit(account) == DOLLAR


async def test_what_a_log_says_in_the_block_that_became_final_is_what_counts(one: Bench) -> None:
    """The same transaction may tell another amount, of a token with a fee, say, in another block."""
    account, other = await one.payments.account("one"), await one.payments.account("two")
    seen = Deposit("0x" + "ab" * 32, 3, 50, "0x" + "01" * 32, account, one.payments.payer, "", 5 * DOLLAR)
    seen = replace(seen, token=one.payments.token.address.lower())
    await one.book().pending([seen], 51)
    final = replace(seen, block_number=52, block_hash="0x" + "02" * 32, account=other, amount=7 * DOLLAR)
    await one.book().settle([final], None, ReadTo(60, ""))
    assert await one.told(account) == []
    (told,) = await one.told(other)
    assert (told.amount, told.block_number, told.microdollars) == (7 * DOLLAR, 52, 7 * DOLLAR)
    assert (await one.credit(account), await one.credit(other)) == (0, 7 * DOLLAR)


async def test_an_older_head_drops_nothing_above_it(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await to_head(one.watcher())
    (told,) = await one.told(account)
    await one.book().pending([], told.block_number - 1)
    assert await one.statuses(account) == ["pending"]


async def test_a_transaction_credited_before_a_deep_reorganisation_is_not_credited_at_another_place(one: Bench) -> None:
    """Mined again behind another deposit its log has another index: another cause, but not another payment."""
    account, rpc = await one.payments.account("one"), one.payments.chain.rpc
    watcher = one.watcher()
    other = one.payments.chain.owner
    await one.payments.token.send(one.payments.payer, "mint", other, DOLLAR)
    await one.payments.token.send(other, "approve", one.payments.contract.address, DOLLAR)
    snapshot = await rpc.ask("evm_snapshot")
    receipt = await one.payments.pay(account, DOLLAR)
    raw = await rpc.ask("eth_getTransactionByHash", receipt["transactionHash"])
    await one.mine(3)
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR
    assert await rpc.ask("evm_revert", snapshot)
    await one.mine()
    await rpc.ask("evm_setAutomine", False)
    data = one.payments.contract.data("deposit", account, one.payments.token.address, 7)
    earlier = {"from": other, "to": one.payments.contract.address, "data": data, "gas": hex(300_000)}
    await rpc.ask("eth_sendTransaction", earlier | {"maxPriorityFeePerGas": hex(10**10), "maxFeePerGas": hex(10**11)})
    asked = {name: raw[name] for name in ("from", "to", "gas", "nonce", "maxFeePerGas", "maxPriorityFeePerGas")}
    assert await rpc.ask("eth_sendTransaction", asked | {"data": raw["input"]}) == receipt["transactionHash"]
    await rpc.ask("evm_setAutomine", True)
    await one.mine(8)
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR + 7
    told = {(each.transaction, each.log_index): (each.status.value, each.reason) for each in await one.told(account)}
    mine = [found for (transaction, _), found in told.items() if transaction == receipt["transactionHash"]]
    assert sorted(mine, key=str) == [("credited", None), ("ignored", Ignored.COUNTED_BEFORE)]


async def test_a_chain_that_stays_shorter_than_it_was_is_read_again(one: Bench) -> None:
    """The local chain loses its last blocks when it is killed."""
    account = await one.payments.account("one")
    watcher = one.watcher(token_confirmations=1)
    await one.mine(5)
    await to_head(watcher)
    await one.payments.chain.rpc.ask("anvil_rollback", 5)
    one.providers.floor._value = 0
    await one.payments.pay(account, DOLLAR)
    await to_head(watcher)
    assert await one.credit(account) == 0
    one.clock.advance(100)
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR


async def refusing_by_status(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Too large a range is refused by the status of the whole exchange, 413, as QuickNode does."""
    answers = json.loads(str(getattr(await per_call(limited_logs(50))(request, asked, forward), "text", "")))
    too_large = any("error" in each for each in (answers if isinstance(answers, list) else [answers]))
    return web.json_response(answers, status=413 if too_large else 200)


@pytest.mark.parametrize(
    "behaviour",
    [per_call(limited_logs(50)), pytest.param(refusing_by_status, marks=pytest.mark.exhaustive)],
    ids=["by an error", "by the status"],
)
async def test_a_long_way_is_caught_up_with_within_an_endpoints_limit(
    one: Bench, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour
) -> None:
    replace_constants(monkeypatch, "node.chain.deposits", RANGES_PER_LOOK_MAX=4, LOG_RANGE_BLOCKS=400)
    account = await one.payments.account("one")
    for _ in range(3):
        await one.payments.pay(account, DOLLAR)
        await one.mine(300)
    one.proxies[0].behaviour = behaviour
    watcher = one.watcher()
    assert await watcher.look() is LookResult.MORE
    await to_head(watcher)
    assert await one.credit(account) == 3 * DOLLAR


async def test_more_logs_than_are_taken_at_once_are_read_in_parts(one: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain.deposits", LOGS_MAX=2)
    account = await one.payments.account("one")
    for _ in range(6):
        await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    await to_head(one.watcher())
    assert await one.credit(account) == 6 * DOLLAR


async def test_deposits_before_the_first_block_are_not_looked_for(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await one.payments.pay(account, 2 * DOLLAR)
    first = (await one.providers.head()).number
    await one.mine(3)
    await to_head(one.watcher(token_first_block=first))
    assert await one.credit(account) == 2 * DOLLAR


async def test_a_token_without_a_price_is_ignored_until_it_has_one(one: Bench) -> None:
    account = await one.payments.account("one")
    token = await one.payments.hostile(18)
    await one.payments.pay(account, 3 * 10**18, token)
    await one.mine(3)
    await to_head(one.watcher())
    (told,) = await one.told(account)
    assert (told.status.value, told.reason, told.price) == ("ignored", Ignored.NO_PRICE, None)
    assert await one.credit(account) == 0
    priced = one.book(prices=one.prices(f"{token.address}:HOST:18:250000"))
    for _ in range(2):
        await priced.open()
        await to_head(one.watcher(priced))
    assert (await one.statuses(account), await one.credit(account)) == (["credited"], 750_000)
    assert await entries(one) == 1


async def test_another_price_after_a_restart_changes_nothing_that_was_credited(one: Bench) -> None:
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    await to_head(one.watcher())
    dearer = one.book(prices=one.prices(f"{one.payments.token.address}:LUSD:6:{2 * DOLLAR}"))
    await one.ledger.execute(Statement("DELETE FROM token_cursor"))
    await to_head(one.watcher(dearer))
    (told,) = await one.told(account)
    assert told.price is not None
    assert (await one.credit(account), told.price.microdollars_per_token) == (DOLLAR, DOLLAR)


async def test_two_nodes_with_different_prices_credit_once(one: Bench) -> None:
    """Both have read that nothing is credited yet; the second posts what the ledger knows at another amount."""
    account = await one.payments.account("one")
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    await to_head(one.watcher())
    await one.ledger.execute(
        Statement("UPDATE token_deposit SET status = 'pending'"), Statement("DELETE FROM token_cursor")
    )
    dearer = one.book(prices=one.prices(f"{one.payments.token.address}:LUSD:6:{2 * DOLLAR}"))
    await to_head(one.watcher(dearer))
    assert (await one.credit(account), await entries(one)) == (DOLLAR, 1)


async def test_amounts_too_small_and_too_large_are_told_and_left(one: Bench) -> None:
    account = await one.payments.account("one")
    token = await one.payments.hostile(18)
    await one.payments.pay(account, 1, token)
    await one.payments.pay(account, 10**29, token)
    await one.mine(3)
    await to_head(one.watcher(one.book(prices=one.prices(f"{token.address}:HOST:18:{DOLLAR}"))))
    assert [each.reason for each in await one.told(account)] == [Ignored.TOO_SMALL, Ignored.TOO_LARGE]
    assert await one.credit(account) == 0


async def test_an_endpoint_that_is_out_loses_nothing(one: Bench) -> None:
    account = await one.payments.account("one")
    watcher = one.watcher()
    await to_head(watcher)
    await one.payments.pay(account, DOLLAR)
    await one.mine(3)
    one.proxies[0].behaviour = rpc_proxy.drop
    for _ in range(3):
        with pytest.raises(DomainError) as refused:
            await watcher.look()
        assert as_node_error(refused.value).code == "chain_unavailable"
    assert await one.credit(account) == 0
    one.proxies[0].behaviour = rpc_proxy.honest
    await to_head(watcher)
    assert await one.credit(account) == DOLLAR
