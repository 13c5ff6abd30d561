"""Writes while one of three providers lies, the one asked first: each ends as the chain has it, once."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import WriteResult
from node.chain.quorum.reader import MinimumBlock
from node.chain.writes.payers import FundingResult
from node.chain.writes.writer import ChainWrites
from node.errors import DomainError
from node.settings.chain import ChainWriteSettings, RpcSettings
from node.settings.field import WEI_PER_GWEI
from tests.support.constants import replace_constants
from tests.support.lies import Ask, Outcome, Tell, altering, answering, per_call
from tests.support.lying_rpc import FAR, LIES, Stage
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, hang, honest, refusing
from tests.support.writes import BY_HAND_S, ETHER, Heard, Told, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
PATIENT = ChainWriteSettings()
SHORT = ChainWriteSettings(write_receipt_timeout_s=3.0)
"""A write that must not end by a lie is watched for long enough that it would have."""

RPC = RpcSettings(rpc_attempt_timeout_s=10.0, rpc_call_timeout_s=20.0)
"""For a busy machine: an honest provider that is late, or is left alone because it was, is one liar too many."""


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that failed or dissented is asked again at once."""
    replace_constants(monkeypatch, "node.chain", ENDPOINT_REST_S=0.0, DISSENTER_REST_S=0.0)


@dataclass
class Three:
    """A node's providers: the first is the liar's."""

    world: WriteWorld
    proxies: list[RpcProxy]
    told: Told = field(default_factory=Told)
    floor: MinimumBlock = field(default_factory=MinimumBlock)

    @property
    def liar(self) -> RpcProxy:
        return self.proxies[0]

    def lies(self, behaviour: Behaviour) -> None:
        self.liar.behaviour = behaviour

    def asked(self, place: int, method: str) -> int:
        """Number of calls of this method to this provider."""
        asked = self.proxies[place].seen
        calls = [call for each in asked for call in (each if isinstance(each, list) else [each])]
        return [call["method"] for call in calls].count(method)

    async def rounds(self, count: int) -> None:
        """Wait until the node has gone over its writes so many times."""
        goal = self.asked(1, "eth_blockNumber") + count
        while self.asked(1, "eth_blockNumber") < goal:
            self.proxies[1].arrived.clear()
            await self.proxies[1].arrived.wait()

    def stage(self) -> Stage:
        return Stage(1, self.world.contract)

    def open(
        self, database: Path, settings: ChainWriteSettings = PATIENT, **more: Any
    ) -> contextlib.AbstractAsyncContextManager[ChainWrites]:
        given: dict[str, Any] = {"urls": [proxy.url for proxy in self.proxies], "quorum": 2, "rpc_limits": RPC} | more
        return self.world.open(database, told=self.told, floor=self.floor, settings=settings, **given)

    async def head(self) -> int:
        return int(str(await self.world.rpc.call("eth_blockNumber")), 16)

    async def assert_nothing_odd(self, writes: ChainWrites, database: Path) -> None:
        """No floor above the chain, no gap in nonces, nothing pending, no second notification, no dear or idle offer."""
        assert self.floor.value <= await self.head()
        for payer in (*writes.payers.addresses, writes.payers.admin_address):
            assert await self.world.count(payer) == await self.world.count(payer, "pending")
        assert await self.world.rpc.call("txpool_status") == {"pending": "0x0", "queued": "0x0"}
        heard = [intent.write_id for intent, _ in self.told.ended]
        assert len(heard) == len(set(heard))
        assert [purpose for purpose, *_ in offers(database) if purpose == "filler"] == []
        assert max(offer for _, *fees in offers(database) for offer in fees) <= 5 * WEI_PER_GWEI


def offers(database: Path, idempotency_id: str = "%") -> list[tuple[str, int, int]]:
    """Purpose, fee and tip per gas of every signed attempt."""
    query = (
        "SELECT purpose, CAST(max_fee AS INTEGER), CAST(priority_fee AS INTEGER)"
        " FROM write_attempt JOIN chain_write USING (instance, payer, nonce) WHERE coalesce(idempotency_id, '') LIKE ?"
    )
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return list(connection.execute(query, (idempotency_id,)))


@pytest.fixture
async def three(world: WriteWorld, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Three]:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1, NONCE_PROOF_S=0.1, TIP_MAX_AGE_S=0.0)
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(world.url).running()) for _ in range(3)]
        for proxy in proxies[1:]:
            proxy.behaviour = unhurried
        yield Three(world, proxies)


async def unhurried(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Honest, and slow enough that the liar is the fastest and is always among those asked first."""
    await asyncio.sleep(0.005)
    return await honest(request, asked, forward)


def refused(methods: set[str], message: str, code: int = -32000) -> Behaviour:
    """An error for these methods, the truth for others."""
    return per_call(answering(methods, lambda _: {"error": {"code": code, "message": message}}))


def told(methods: set[str], result: Any) -> Behaviour:
    """Behaviour with this result for these methods, and the truth for others."""
    return per_call(answering(methods, lambda _: {"result": result}))


def receipts(**changed: Any) -> Tell:
    """Receipts that were never given, or were given otherwise."""
    there = {"status": "0x1", "blockNumber": hex(FAR), "blockHash": "0x" + "ab" * 32, "transactionIndex": "0x0"}

    def forged(params: list[Any]) -> dict[str, Any]:
        return {"result": {**there, "logs": [], **changed, "transactionHash": params[0]}}

    return answering({"eth_getTransactionReceipt"}, forged)


SEND = {"eth_sendRawTransaction"}
MORE_LIES: dict[str, Callable[[], Behaviour]] = {
    "every write reverted": lambda: per_call(receipts(status="0x0", blockNumber="0x1")),
    "receipts of another block": lambda: per_call(
        altering({"eth_getTransactionReceipt"}, lambda receipt: receipt | {"blockHash": "0x" + "cd" * 32})
    ),
    "receipts of other events": lambda: per_call(
        altering({"eth_getTransactionReceipt"}, lambda receipt: receipt | {"logs": []})
    ),
    "refuses transactions": lambda: refused(SEND, "not by me"),
    "calls every offer too low": lambda: refused(SEND, "transaction underpriced"),
    "calls every payer poor": lambda: refused(SEND, "insufficient funds for gas * price + value"),
    "calls every nonce used": lambda: refused(SEND, "nonce too low"),
    "hangs when sent to": lambda: per_call(_hanging),
    "no money anywhere": lambda: told({"eth_getBalance"}, "0x0"),
    "money everywhere": lambda: told({"eth_getBalance"}, hex(10**30)),
    "too little gas": lambda: told({"eth_estimateGas"}, "0x5208"),
    "too much gas": lambda: told({"eth_estimateGas"}, hex(10**12)),
    "huge tips": lambda: told({"eth_maxPriorityFeePerGas"}, hex(10**18)),
    "huge base fees": lambda: per_call(
        altering({"eth_getBlockByNumber"}, lambda block: block | {"baseFeePerGas": hex(10**18)})
    ),
    "no base fees": lambda: per_call(
        altering({"eth_getBlockByNumber"}, lambda block: block | {"baseFeePerGas": "0x0"})
    ),
    "tiny blocks": lambda: per_call(altering({"eth_getBlockByNumber"}, lambda block: block | {"gasLimit": "0x1"})),
}


async def _hanging(method: str, params: list[Any], ask: Any) -> Any:
    if method in SEND:
        await asyncio.sleep(3600)
    return await ask(method, *params)


ALL_LIES = [*LIES, *MORE_LIES]


def lie_of(name: str, stage: Stage) -> Behaviour:
    return MORE_LIES[name]() if name in MORE_LIES else LIES[name](stage)


async def test_a_receipt_that_one_endpoint_forges_ends_no_write(three: Three, database: Path) -> None:
    await _writes_end_as_the_chain_has_them(three, database, "forged receipts")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ALL_LIES)
async def test_whatever_one_endpoint_says_writes_end_once_and_as_the_chain_has_them(
    three: Three, database: Path, name: str
) -> None:
    await _writes_end_as_the_chain_has_them(three, database, name)


async def _writes_end_as_the_chain_has_them(three: Three, database: Path, name: str) -> None:
    world = three.world
    async with three.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        three.lies(lie_of(name, three.stage()))
        first = await writes.writer.write(world.add_group(ACCOUNT, "first"))
        assert first.event("GroupAdded") is not None
        names = [f"g{number}" for number in range(6)]
        await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT, each)) for each in names))
        with pytest.raises(DomainError) as unknown:
            await writes.writer.write(world.add_group(404))
        assert as_node_error(unknown.value).code is ErrorCode.NOT_FOUND
        await writes.writer.write(world.intent("removeGroup", ACCOUNT, _group_id(first)))
        assert sorted(await world.group_names(ACCOUNT)) == names
        await three.assert_nothing_odd(writes, database)
    assert len(three.told.ended) == 9
    assert all(result is not None for _, result in three.told.ended)


def _group_id(result: WriteResult) -> object:
    added = result.event("GroupAdded")
    assert added is not None
    return added.arguments["groupId"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["nonces of nobody", "nonces far ahead", "forged receipts", "no money anywhere"])
async def test_a_node_that_starts_beside_a_liar_with_an_empty_journal_goes_on_where_its_payers_are(
    three: Three, database: Path, name: str
) -> None:
    async with three.open(database) as writes:
        await writes.writer.write(three.world.new_account(ACCOUNT))
        sent = [await three.world.count(payer) for payer in (*writes.payers.addresses, writes.payers.admin_address)]
    three.lies(lie_of(name, three.stage()))
    database = database.with_name("another")
    async with three.open(database) as writes:
        assert writes.payers.status().problem is None
        assert [
            await three.world.count(payer) for payer in (*writes.payers.addresses, writes.payers.admin_address)
        ] == sent
        for each in ("a", "b", "c", "d", "e"):
            await writes.writer.write(three.world.add_group(ACCOUNT, each))
        await three.assert_nothing_odd(writes, database)
    assert await three.world.group_names(ACCOUNT) == ["a", "b", "c", "d", "e"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "lie",
    [
        receipts(),
        receipts(status="0x0"),
        receipts(blockNumber="0x1"),
        receipts(status="0x0", blockNumber="0x1"),
        altering({"eth_getTransactionCount"}, lambda count: hex(int(count, 16) + 1)),
    ],
    ids=["success far ahead", "failure far ahead", "success", "failure", "nonce used by another"],
)
async def test_a_write_that_waits_for_its_block_is_ended_by_no_single_endpoint(
    three: Three, database: Path, lie: Tell
) -> None:
    world = three.world
    async with three.open(database, SHORT) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        floor = three.floor.value
        await world.automine(False)
        three.lies(per_call(lie))
        intent = world.add_group(ACCOUNT, "waits", idempotency_id="waits")
        with pytest.raises(DomainError) as late:
            await writes.writer.write(intent)
        assert as_node_error(late.value).code is ErrorCode.CHAIN_TIMEOUT
        assert three.floor.value == floor
        assert three.told.of(intent.write_id) == []
        await world.automine(True)
        await world.mine()
        found = await writes.writer.recall("waits")
        assert found is not None
        assert found.result is not None
        await three.assert_nothing_odd(writes, database)
    assert three.told.of(intent.write_id) == [found.result]
    assert await world.group_names(ACCOUNT) == ["waits"]


@pytest.mark.exhaustive
async def test_what_nobody_but_the_liar_took_is_sent_again_and_lands(three: Three, database: Path) -> None:
    world = three.world
    async with three.open(database, SHORT) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        three.lies(lie_of("swallows transactions", three.stage()))
        for proxy in three.proxies[1:]:
            proxy.behaviour = refused(SEND, "the pool is full")
        with pytest.raises(DomainError) as late:
            await writes.writer.write(world.add_group(ACCOUNT, idempotency_id="sent"))
        assert as_node_error(late.value).code is ErrorCode.CHAIN_TIMEOUT
        three.proxies[2].behaviour = honest
        found = await writes.writer.recall("sent")
        assert found is not None
        assert found.result is not None
        await three.assert_nothing_odd(writes, database)
    assert await world.group_names(ACCOUNT) == ["group"]


@pytest.mark.exhaustive
async def test_one_endpoint_cannot_make_the_node_offer_more(three: Three, database: Path) -> None:
    world = three.world
    async with three.open(database, SHORT.model_copy(update={"payer_count": 1})) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        three.lies(lie_of("calls every offer too low", three.stage()))
        with pytest.raises(DomainError):
            await writes.writer.write(world.add_group(ACCOUNT, idempotency_id="cheap"))
        assert len(offers(database, "cheap")) == 1
        await world.automine(True)
        await world.mine()
        assert await writes.writer.recall("cheap") is not None


@pytest.mark.exhaustive
async def test_one_endpoint_cannot_have_money_moved(three: Three, database: Path) -> None:
    async with three.open(database) as writes:
        sent = await three.world.count(writes.payers.admin_address)
        three.lies(lie_of("no money anywhere", three.stage()))
        await writes.payers.funding.run_once()
        assert await three.world.count(writes.payers.admin_address) == sent
        assert all(payer.balance_wei == ETHER // 2 for payer in writes.payers.status().payers)


class Named:
    """A DisagreementObserver that remembers."""

    def __init__(self) -> None:
        self.hosts: set[str] = set()

    def disagreed(self, host: str) -> None:
        self.hosts.add(host)


@pytest.mark.exhaustive
async def test_who_forges_a_receipt_is_named_and_nobody_else(three: Three, database: Path) -> None:
    named = Named()
    async with three.open(database, observer=named) as writes:
        await writes.writer.write(three.world.new_account(ACCOUNT))
        assert named.hosts == set()
        # Of a block that it has: one of a block ahead of its own head is no receipt yet.
        three.lies(lie_of("every write reverted", three.stage()))
        for number in range(3):
            await writes.writer.write(three.world.add_group(ACCOUNT, f"g{number}"))
    assert named.hosts == {f"127.0.0.1:{three.liar.port}"}


@pytest.mark.exhaustive
async def test_where_both_of_two_must_agree_a_liar_costs_answers_and_nothing_else(three: Three, database: Path) -> None:
    world = three.world
    urls, rpc_limits = [proxy.url for proxy in three.proxies[:2]], RPC.model_copy(update={"rpc_attempt_timeout_s": 3.0})
    async with three.open(database, SHORT, urls=urls, rpc_limits=rpc_limits) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        for name in ("reverts", "forged receipts", "hides receipts", "nonces of nobody", "hangs", "no JSON"):
            three.lies(lie_of(name, three.stage()))
            with contextlib.suppress(DomainError):
                await writes.writer.write(world.add_group(ACCOUNT, name, idempotency_id=name))
            three.lies(honest)
            if (found := await writes.writer.recall(name)) is not None:
                assert found.result is not None
                assert name in await world.group_names(ACCOUNT)
        await writes.writer.write(world.add_group(ACCOUNT, "last"))
        await three.assert_nothing_odd(writes, database)
    names = await world.group_names(ACCOUNT)
    assert len(names) == len(set(names))
    assert all(result is not None for _, result in three.told.ended)


@pytest.mark.exhaustive
async def test_one_endpoint_cannot_have_anything_sent_again(three: Three, database: Path) -> None:
    """With a quorum of two, both providers must show that the chain has lost blocks."""
    news, two = Heard(), [proxy.url for proxy in three.proxies[:2]]
    async with three.open(database, news=news, urls=two) as writes:
        await writes.writer.write(three.world.new_account(ACCOUNT))
        await three.rounds(2)
        sent = three.asked(1, *SEND)
        three.lies(lie_of("nonces of nobody", three.stage()))
        await three.rounds(5)
        assert three.asked(1, *SEND) == sent
    assert news.forks == []


@pytest.mark.exhaustive
async def test_without_a_quorum_nothing_is_sent(three: Three, database: Path) -> None:
    async with three.open(database) as writes:
        await writes.writer.write(three.world.new_account(ACCOUNT))
        for proxy in three.proxies[:2]:
            proxy.behaviour = refusing(-32005, "daily request count exceeded")
        with pytest.raises(DomainError) as unavailable:
            await writes.writer.write(three.world.add_group(ACCOUNT, idempotency_id="none"))
        assert as_node_error(unavailable.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert await writes.writer.recall("none") is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", [0, 1, 2])
async def test_an_endpoint_that_hangs_delays_a_write_by_no_more_than_the_hedge(
    three: Three, database: Path, place: int
) -> None:
    async with three.open(database, rpc_limits=RpcSettings(rpc_attempt_timeout_s=60, rpc_call_timeout_s=60)) as writes:
        await writes.writer.write(three.world.new_account(ACCOUNT))
        three.proxies[place].behaviour = hang
        async with asyncio.timeout(30):
            for number in range(10):
                await writes.writer.write(three.world.add_group(ACCOUNT, f"g{number}"))


async def test_where_both_of_two_must_agree_no_single_one_has_payers_filled(three: Three, database: Path) -> None:
    """A lying provider calls every payer but the admin payer poor, so that its money would be moved."""
    async with three.open(database, urls=[proxy.url for proxy in three.proxies[:2]]) as writes:
        admin = writes.payers.admin_address
        sent = await three.world.count(admin)

        async def poor(method: str, params: list[Any], ask: Ask) -> Outcome:
            is_poor = method == "eth_getBalance" and params[0] != admin
            return {"result": "0x0"} if is_poor else await ask(method, *params)

        three.lies(per_call(poor))
        assert await writes.payers.funding.run_once() is FundingResult.DONE
        assert await three.world.count(admin) == sent
        assert all(payer.balance_wei == ETHER // 2 for payer in writes.payers.status().payers)


async def test_the_admin_payers_nonce_that_another_instance_has_taken_is_not_outbid(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All instances sign with its key: the two would outbid each other."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S, RESEND_AFTER_S=0.0)
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=local_settings(payer_count=1)) as writes,
    ):
        await world.set_balance(writes.payers.addresses[0], 0)
        proxy.behaviour = refused(SEND, "replacement transaction underpriced")
        filling = asyncio.create_task(writes.payers.funding.run_once())
        while not (found := list(writes.transactor.payers.open_writes())):  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0)
        ((_, write),) = found
        while not write.underpriced:  # noqa: ASYNC110 - nor of this
            await asyncio.sleep(0)
        for _ in range(3):
            await writes.tracker.check_unfinished()
        assert len(write.attempts) == 1
        proxy.behaviour = honest
        while not filling.done():
            await writes.tracker.check_unfinished()
        assert await filling is FundingResult.DONE
