"""Writes while the chain, the provider or the payer misbehaves."""

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import JsonValue

from node.api.errors import ErrorCode, as_node_error
from node.chain.errors import PayersOutOfGasError
from node.chain.port import ContractCall, RecalledWrite, WriteIntent, WriteResult
from node.chain.writes.writer import ChainWrites
from node.errors import DomainError, StartupRefusedError
from node.keyring.enclave import EnclaveKeyring
from node.keyring.transactions import sign_transaction
from node.settings.chain import ChainWriteSettings, RpcSettings
from tests.support.constants import replace_constants
from tests.support.journal_rows import cancel_reasons, journal_rows
from tests.support.lies import answering, per_call
from tests.support.rpc_proxy import Forward, RpcProxy, drop, hang, honest, only
from tests.support.writes import ANYWHERE, CHAIN_ID, ETHER, Told, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
ONE_PAYER = local_settings(payer_count=1)
QUICK_RPC = RpcSettings(rpc_attempt_timeout_s=3.0, rpc_call_timeout_s=6.0)
"""Waits for what hangs no longer than a test can, and for what is late on a busy machine."""
QUICK = ChainWriteSettings(write_receipt_timeout_s=0.5, write_replace_after_s=0.2)
"""Soon at its deadlines; what has to succeed in time is written with other settings."""
QUICK_ONE_PAYER = QUICK.model_copy(update={"payer_count": 1})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1, NONCE_PROOF_S=0.2)


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that failed or dissented is asked again at once."""
    replace_constants(monkeypatch, "node.chain", ENDPOINT_REST_S=0.0, DISSENTER_REST_S=0.0)


async def account_made(world: WriteWorld, database: Path, settings: ChainWriteSettings | None = None) -> None:
    """The account is there, written with all the time it takes."""
    async with world.open(database, settings=settings) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))


async def send_and_drop(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """The chain gets it, the node hears nothing."""
    await forward()
    return await drop(request, asked, forward)


async def timed_out(writes: ChainWrites, intent: WriteIntent) -> str:
    """The hash that a write still undecided at the deadline answers."""
    with pytest.raises(DomainError) as error:
        await writes.writer.write(intent)
    assert as_node_error(error.value).code is ErrorCode.CHAIN_TIMEOUT
    return str(error.value.details["transaction_hash"])


async def final(writes: ChainWrites, idempotency_id: str) -> WriteResult | DomainError:
    """Final result of `recall`."""
    while True:
        with contextlib.suppress(DomainError):  # chain_timeout
            found = await writes.writer.recall(idempotency_id)
            assert found is not None
            ended = found.result or found.failure
            assert ended is not None
            return ended


async def written_in_the_end(writes: ChainWrites, intent: WriteIntent) -> None:
    """Whatever its caller was answered in the meantime."""
    with contextlib.suppress(DomainError):
        await writes.writer.write(intent)
    assert intent.idempotency_id is not None
    assert isinstance(await final(writes, intent.idempotency_id), WriteResult)


async def test_a_chain_out_of_reach_refuses_and_journals_nothing(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], rpc_limits=QUICK_RPC, told=told) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))
        proxy.behaviour = drop
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.add_group(ACCOUNT, idempotency_id="none"))
        proxy.behaviour = honest
        assert await writes.writer.recall("none") is None
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert len(told.ended) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [hang, drop, send_and_drop], ids=["hangs", "drops", "takes it and drops"])
@pytest.mark.usefixtures("quick")
async def test_an_endpoint_that_fails_while_sending_delays_the_write_and_never_doubles_it(
    world: WriteWorld, database: Path, fault: Any
) -> None:
    told = Told()
    settings = QUICK.model_copy(update={"write_receipt_timeout_s": 60.0}) if fault is send_and_drop else QUICK
    await account_made(world, database)
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], rpc_limits=QUICK_RPC, settings=settings, told=told) as writes,
    ):
        proxy.behaviour = only("eth_sendRawTransaction", fault)
        intent = world.add_group(ACCOUNT, idempotency_id="late")
        running = asyncio.create_task(writes.writer.write(intent))
        if fault is not send_and_drop:
            with pytest.raises(DomainError):
                await running
        else:
            await running
        proxy.behaviour = honest
        result = await final(writes, "late")
        assert isinstance(result, WriteResult)
    assert await world.group_names(ACCOUNT) == ["group"]
    assert told.of(intent.write_id) == [result]


async def test_a_write_past_its_deadline_answers_its_hash_and_later_its_end(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05)
    await account_made(world, database)
    async with world.open(database, settings=ChainWriteSettings(write_receipt_timeout_s=0.3), told=told) as writes:
        await world.automine(False)
        intent = world.add_group(ACCOUNT, idempotency_id="slow", answer={"name": "group"})
        sent = await timed_out(writes, intent)
        with pytest.raises(DomainError) as still:
            await writes.writer.recall("slow")
        assert still.value.details["transaction_hash"] == sent
        assert told.ended == []
        await world.mine()
        result = await final(writes, "slow")
        assert isinstance(result, WriteResult)
        assert (result.transaction_hash, result.answer) == (sent, {"name": "group"})
        assert await writes.writer.write(intent) == result
        assert told.of(intent.write_id) == [result]


@pytest.mark.usefixtures("quick")
async def test_a_stuck_write_is_replaced_by_a_better_offer_of_the_same_call(world: WriteWorld, database: Path) -> None:
    told = Told()
    await account_made(world, database, ONE_PAYER)
    async with world.open(database, settings=QUICK_ONE_PAYER, told=told) as writes:
        await world.automine(False)
        intent = world.add_group(ACCOUNT, idempotency_id="stuck")
        running = asyncio.create_task(timed_out(writes, intent))
        await world.until_pending(1)
        first = await _pending(world)
        while (better := await _pending(world))["hash"] == first["hash"]:
            pass
        await running
        assert (better["nonce"], better["input"]) == (first["nonce"], first["input"])
        assert int(better["maxFeePerGas"], 16) * 10 >= int(first["maxFeePerGas"], 16) * 11
        assert int(better["maxPriorityFeePerGas"], 16) * 10 >= int(first["maxPriorityFeePerGas"], 16) * 11
        await world.automine(True)
        await world.mine()
        result = await final(writes, "stuck")
        assert isinstance(result, WriteResult)
        assert result.transaction_hash != first["hash"]
        await written_in_the_end(writes, world.add_group(ACCOUNT, "next", idempotency_id="next"))
    assert await world.group_names(ACCOUNT) == ["group", "next"]
    assert told.of(intent.write_id) == [result]
    raised = [more for each, more in told.raised if each.write_id == intent.write_id]
    offers = [int(each["gas"], 16) * int(each["maxFeePerGas"], 16) for each in (first, better)]
    assert raised[0] == offers[1] - offers[0], "who keeps a budget is told what the better offer may cost more"


async def _pending(world: WriteWorld) -> dict[str, str]:
    """The one transaction in the mempool, waited for: while it is replaced there may be none (see local_settings)."""
    while True:
        content = await world.rpc.call("txpool_content")
        assert isinstance(content, dict)
        by_sender: Any = content["pending"]
        found = [transaction for by_nonce in by_sender.values() for transaction in by_nonce.values()]
        assert len(found) <= 1
        if found:
            return {str(name): str(value) for name, value in found[0].items()}


@pytest.mark.usefixtures("quick")
async def test_a_write_is_done_when_the_offer_that_was_to_be_replaced_is_mined(
    world: WriteWorld, database: Path
) -> None:
    told, lost = Told(), asyncio.Event()

    async def lose(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        lost.set()
        return await drop(request, asked, forward)

    await account_made(world, database, ONE_PAYER)
    settings = QUICK_ONE_PAYER.model_copy(update={"write_receipt_timeout_s": 60.0})
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=settings, told=told) as writes,
    ):
        await world.automine(False)
        intent = world.add_group(ACCOUNT)
        running = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        proxy.behaviour = only("eth_sendRawTransaction", lose)
        first = await _pending(world)
        while not journal_rows(database, "SELECT 1 FROM write_attempt WHERE nonce = 1 AND ordinal = 1"):
            await lost.wait()
            lost.clear()
        await world.mine()
        result = await running
    assert result.transaction_hash == first["hash"]
    assert told.of(intent.write_id) == [result]
    assert await world.group_names(ACCOUNT) == ["group"]


@pytest.mark.usefixtures("quick")
async def test_offers_below_a_risen_base_fee_are_raised_until_they_are_mined(world: WriteWorld, database: Path) -> None:
    await account_made(world, database, ONE_PAYER)
    async with world.open(database, settings=QUICK_ONE_PAYER) as writes:
        await world.automine(False)
        stuck = [world.add_group(ACCOUNT, f"g{i}", idempotency_id=f"g{i}") for i in range(5)]
        running = [asyncio.create_task(timed_out(writes, intent)) for intent in stuck]
        await world.until_pending(5)
        await world.rpc.call("anvil_setNextBlockBaseFeePerGas", [hex(40 * 10**9)])
        await asyncio.gather(*running)
        await world.automine(True)
        await world.mine()
        ends = await asyncio.gather(*(final(writes, intent.idempotency_id or "") for intent in stuck))
    assert all(isinstance(end, WriteResult) for end in ends)
    assert sorted(await world.group_names(ACCOUNT)) == [f"g{i}" for i in range(5)]


@pytest.mark.parametrize("is_told_at_the_next_start", [False, True])
async def test_a_write_that_is_never_taken_is_cancelled_and_fails_cleanly(
    world: WriteWorld, database: Path, is_told_at_the_next_start: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()
    before = Fails() if is_told_at_the_next_start else told
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1)
    settings = ChainWriteSettings(
        payer_count=1, write_receipt_timeout_s=0.2, write_replace_after_s=0.1, write_cancel_after_s=0.15
    )
    await account_made(world, database, ONE_PAYER)
    async with world.open(database, settings=settings, told=before) as writes:
        await world.automine(False)
        intent = world.add_group(ACCOUNT, "cancelled", idempotency_id="never")
        await timed_out(writes, intent)
        while (await _pending(world))["input"] != "0x":
            pass
        await world.automine(True)
        await world.mine()
        end = await final(writes, "never")
        assert isinstance(end, DomainError)
        assert as_node_error(end).code is ErrorCode.CHAIN_UNAVAILABLE
        assert "did not take this write in time" in end.message
        assert set(cancel_reasons(database)) == {"overdue"}
        assert await writes.writer.earlier("never") is None
    async with world.open(database, settings=ONE_PAYER, told=told) as writes:
        again = world.add_group(ACCOUNT, "anew", idempotency_id="never")
        assert (await writes.writer.write(again)).write_id == again.write_id
    assert await world.group_names(ACCOUNT) == ["anew"]
    assert told.of(intent.write_id) == [None]
    assert told.reverted == [], "an empty transaction took its place: that is not the account's doing"


async def _foreign(world: WriteWorld, nonce: int, max_fee: int = 10**11) -> None:
    """Somebody else uses the first payer's key."""
    key = world.keyring.payer("first", 0)
    fees = {"maxFeePerGas": max_fee, "maxPriorityFeePerGas": max_fee}
    transaction = {"to": key.address, "chainId": CHAIN_ID, "nonce": nonce, "gas": 21000, "value": 0, **fees}
    await world.rpc.call("eth_sendRawTransaction", ["0x" + sign_transaction(key, transaction).hex()])


async def test_nonces_used_by_somebody_else_are_skipped(world: WriteWorld, database: Path) -> None:
    async with world.open(database, settings=ONE_PAYER) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        for nonce in (1, 2, 3):
            await _foreign(world, nonce)
        while await world.count(writes.payers.addresses[0]) < 4:
            pass
        await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT)) for _ in range(10)))
        assert await world.count(writes.payers.addresses[0]) == 14
    assert len(await world.group_names(ACCOUNT)) == 10


@pytest.mark.usefixtures("quick")
async def test_a_write_whose_nonce_somebody_else_took_fails_cleanly_and_the_next_goes_on(
    world: WriteWorld, database: Path
) -> None:
    told = Told()
    await account_made(world, database, ONE_PAYER)
    async with world.open(database, settings=QUICK_ONE_PAYER, told=told) as writes:
        await world.automine(False)
        intent = world.add_group(ACCOUNT, "robbed", idempotency_id="robbed")
        running = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        await _foreign(world, 1, 10**12)
        await world.automine(True)
        await world.mine()
        with pytest.raises(DomainError):
            await running
        end = await final(writes, "robbed")
        assert isinstance(end, DomainError)
        assert as_node_error(end).code is ErrorCode.CHAIN_UNAVAILABLE
        await written_in_the_end(writes, world.add_group(ACCOUNT, "next", idempotency_id="next"))
    assert await world.group_names(ACCOUNT) == ["next"]
    assert told.of(intent.write_id) == [None]


async def test_a_drained_payer_is_passed_over_and_filled_again(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        drained = writes.payers.addresses[1]
        await world.set_balance(drained, 0)
        before = await world.count(drained)
        await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT)) for _ in range(30)))
        assert await world.count(drained) == before
        await writes.payers.funding.run_once()
        assert all(payer.ready for payer in writes.payers.status().payers)
        await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT)) for _ in range(30)))
        assert await world.count(drained) > before
    assert len(await world.group_names(ACCOUNT)) == 60


async def test_without_any_gas_writes_are_refused_and_it_is_reported(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        for address in (*writes.payers.addresses, writes.payers.admin_address):
            await world.set_balance(address, 0)
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.add_group(ACCOUNT))
        await writes.payers.funding.run_once()
        status = writes.payers.status()
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert "gas money" in refused.value.message
        assert not status.ready
        assert status.problem is not None
        assert f"{status.admin} has not enough gas money: 0 wei for a transaction of " in status.problem
        await world.set_balance(writes.payers.admin_address, 10 * ETHER)
        await writes.payers.funding.run_once()
        assert writes.payers.status().problem is None
        await writes.writer.write(world.add_group(ACCOUNT))


async def test_a_payer_drained_under_a_signed_write_is_filled_and_the_write_lands(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The money goes between simulation and sending: the bytes are stored by then, and are sent again."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1)
    settings = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=20)
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=settings) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))

        async def drain_first(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
            proxy.behaviour = honest
            await world.set_balance(writes.payers.addresses[0], 0)
            return await honest(request, asked, forward)

        proxy.behaviour = only("eth_sendRawTransaction", drain_first)
        await writes.writer.write(world.add_group(ACCOUNT))
    assert await world.group_names(ACCOUNT) == ["group"]


async def test_fees_above_the_cap_are_not_paid(world: WriteWorld, database: Path) -> None:
    async with world.open(database, settings=ChainWriteSettings(fee_max_fee_cap_wei=10**10)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.rpc.call("anvil_setNextBlockBaseFeePerGas", [hex(10**11)])
        await world.mine()
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.add_group(ACCOUNT))
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE


class Fails(Told):
    """An observer that is out of order for a while."""

    broken = True

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        if self.broken:
            raise OSError("the ledger is away")
        await super().write_ended(intent, result)


async def test_a_journal_of_another_root_is_refused_at_the_start(world: WriteWorld, database: Path) -> None:
    async with world.open(database, told=Fails()) as writes:
        await writes.writer.write(world.new_account(ACCOUNT, answer={"api_key": "secret"}))
    stranger = replace(world, keyring=EnclaveKeyring(bytes(32), CHAIN_ID, ANYWHERE))
    with pytest.raises(StartupRefusedError, match="another root"):
        await stranger.open(database).__aenter__()


def test_secrets_do_not_print() -> None:
    secret: dict[str, JsonValue] = {"api_key": "secret"}
    result = WriteResult("0x", 1, answer=secret)
    shown = (WriteIntent("w", ContractCall("f", ()), answer=secret), result, RecalledWrite(secret, result, None, 0.0))
    assert "secret" not in repr(shown)


@pytest.mark.usefixtures("quick")
async def test_an_observer_that_fails_is_told_again(world: WriteWorld, database: Path) -> None:
    told, settings = Fails(), QUICK.model_copy(update={"write_receipt_timeout_s": 60.0})
    async with world.open(database, settings=settings, told=told) as writes:
        intent = world.new_account(ACCOUNT)
        result = await writes.writer.write(intent)
    told.broken = False
    async with world.open(database, settings=settings, told=told):
        assert told.ended == [(intent, result)]
    async with world.open(database, settings=settings, told=told):
        assert len(told.ended) == 1


REFUSALS = {
    "geth": (-32000, "insufficient funds for gas * price + value"),
    "Besu": (-32004, "Upfront cost exceeds account balance"),
}
"""What clients answer of a payer without gas money. To others Besu's code says that a method is not supported (EIP-1474)."""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("client", REFUSALS)
async def test_a_payer_without_gas_money_is_known_by_the_words_and_is_no_fault_of_the_provider(
    world: WriteWorld, database: Path, client: str
) -> None:
    code, message = REFUSALS[client]
    await account_made(world, database)
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=QUICK_ONE_PAYER) as writes,
    ):
        error = {"code": code, "message": message}
        proxy.behaviour = per_call(answering({"eth_sendRawTransaction"}, lambda _: {"error": error}))
        await timed_out(writes, world.add_group(ACCOUNT, "first"))
        with pytest.raises(PayersOutOfGasError):
            await writes.writer.write(world.add_group(ACCOUNT, "second"))
        (health,) = writes.transactor.chain.client.rpc.health()
    assert (health.healthy, health.faults) == (True, 0)
