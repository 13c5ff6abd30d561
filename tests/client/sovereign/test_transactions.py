"""Transactions on a chain that forks, stalls and is raced: one thing is signed under one nonce, and the error names the hash."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes

from devkit.local_chain import FUNDED_KEYS
from svc_client import InvalidArgument, NonceTaken, NotSent, Reverted, Unconfirmed
from svc_client.chain import sending
from svc_client.sovereign import Sent, Sovereign
from tests.support.lies import Ask, Outcome, Tell, altering, answering, per_call
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest, only, refusing
from tests.support.sovereign import SUCCESSOR, WALLET, Stage

PATIENCE_S = 60.0
SENT = "eth_sendRawTransaction"
RECEIPT = "eth_getTransactionReceipt"


class Counting:
    """The wallet, and every transaction it was asked to sign."""

    def __init__(self, account: LocalAccount = WALLET) -> None:
        self.address = account.address
        self.asked: list[dict[str, Any]] = []
        self._account = account

    def sign_typed_data(self, **given: Any) -> Any:
        return self._account.sign_typed_data(**given)

    def sign_transaction(self, transaction: dict[str, Any]) -> Any:
        self.asked.append(transaction)
        return self._account.sign_transaction(transaction)


async def until(stage: Stage, holds: Callable[[Any], bool]) -> None:
    """Wait until the first provider was asked something."""
    async with asyncio.timeout(PATIENCE_S):
        while not any(holds(call) for call in stage.one.seen):
            stage.one.arrived.clear()
            await stage.one.arrived.wait()


async def passed_on(stage: Stage, place: int = 0) -> None:
    """Wait until all providers have the form of this place: only then is its receipt looked for."""
    await until(
        stage,
        lambda call: call["method"] == RECEIPT and len(stage.told) > place and call["params"][0] == stage.told[place],
    )


def sent(stage: Stage) -> list[str]:
    return [call["params"][0] for call in stage.one.seen if call["method"] == SENT]


def read(raw: str) -> dict[str, Any]:
    return dict(TypedTransaction.from_bytes(HexBytes(raw)).as_dict())


def opening(stage: Stage, wallet: object, **options: Any) -> "asyncio.Task[Sent]":
    return asyncio.create_task(stage.by(lambda mine: mine.open("me"), wallet, **options))


async def test_a_transaction_that_a_fork_throws_out_is_sent_again_as_the_same_bytes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At once, and not when it has waited as long as any other.
    monkeypatch.setattr("svc_client.chain.sending._RESEND_POLLS", 10_000)
    await stage.mining(False)
    wallet = Counting()

    def work(mine: Sovereign) -> Sent:
        mine._account._providers.confirmations = 3
        return mine.open("me")

    task = asyncio.create_task(stage.by(work, wallet))
    await passed_on(stage)
    await stage.chain.rpc.ask("evm_mine")
    mined = await stage.chain.rpc.ask("eth_blockNumber")
    # The receipt was seen: its block is looked for at the provider.
    await until(stage, lambda call: call["method"] == "eth_getBlockByNumber" and call["params"][0] == mined)
    before = len(sent(stage))
    await stage.chain.rpc.ask("anvil_reorg", 1, [])
    assert await stage.sent_count() == 0
    async with asyncio.timeout(PATIENCE_S):
        while len(sent(stage)) == before:
            stage.one.arrived.clear()
            await stage.one.arrived.wait()
        # It arrived at the provider, and may not be in the chain's pool yet.
        while await stage.sent_count(block="pending") == 0:
            pass
    await stage.chain.rpc.ask("anvil_mine", "0x3")
    done = await task
    assert (len(wallet.asked), set(sent(stage)), stage.told) == (1, {sent(stage)[0]}, [done.transaction_hash])
    assert await stage.sent_count() == 1


@pytest.mark.exhaustive
async def test_a_transaction_that_waits_is_paid_more_for_under_its_nonce(stage: Stage) -> None:
    await stage.mining(False)
    wallet = Counting()
    task = opening(stage, wallet)
    await passed_on(stage, 1)
    await stage.chain.rpc.ask("evm_mine")
    done = await task
    first, second = (read(raw) for raw in dict.fromkeys(sent(stage)))
    fees = ("maxFeePerGas", "maxPriorityFeePerGas")
    assert all(second[name] * 10 >= first[name] * 11 for name in fees)
    left_out = {*fees, "v", "r", "s"}
    assert {k: v for k, v in first.items() if k not in left_out} == {
        k: v for k, v in second.items() if k not in left_out
    }
    assert (done.transaction_hash, len(stage.told), await stage.sent_count()) == (stage.told[1], 2, 1)


async def until_or_over(task: "asyncio.Task[Sent]", provider: RpcProxy, holds: Callable[[], bool]) -> None:
    """Wait until this holds at some question to the provider, or the task is over."""
    async with asyncio.timeout(PATIENCE_S):
        while not (holds() or task.done()):
            provider.arrived.clear()
            arrived = asyncio.ensure_future(provider.arrived.wait())
            await asyncio.wait({task, arrived}, return_when=asyncio.FIRST_COMPLETED)
            arrived.cancel()


class Declining(Counting):
    """A wallet whose owner agrees once, and declines whatever comes after that."""

    def sign_transaction(self, transaction: dict[str, Any]) -> Any:
        self.asked.append(transaction)
        if len(self.asked) > 1:
            raise RuntimeError("declined on the device")
        return self._account.sign_transaction(transaction)


async def test_an_owner_who_declines_to_pay_more_is_not_told_that_nothing_was_sent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_RAISE_POLLS", 1)
    await stage.mining(False)
    wallet = Declining()
    task = opening(stage, wallet)
    await until_or_over(task, stage.one, lambda: len(wallet.asked) > 2)
    await stage.chain.rpc.ask("evm_mine")
    done = await task
    assert (stage.told, len(set(sent(stage)))) == ([done.transaction_hash], 1)


async def test_a_provider_that_shows_another_chain_late_does_not_hide_what_was_sent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three: it is out until the transaction is sent, and names its chain when that is sent again."""
    monkeypatch.setattr(sending, "_RESEND_POLLS", 1)
    await stage.mining(False)
    lies = asked = 0

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        nonlocal asked, lies
        asked += bool(sent(stage))
        # Each look asks it twice, for the receipt and for the nonce, and sending again once.
        if not asked or asked % 3:
            return {"error": {"code": -1, "message": "out"}}
        lies += 1
        return {"result": "0x1"}

    async with RpcProxy(stage.chain.url).running() as three:
        three.behaviour = per_call(tell)
        urls = [each.url for each in (stage.one, stage.two, three)]
        task = asyncio.create_task(stage.by(lambda mine: mine.open("me"), WALLET, *urls))
        await until_or_over(task, three, lambda: lies > 1)
        await stage.chain.rpc.ask("evm_mine")
        done = await task
    assert (stage.told, await stage.sent_count()) == ([done.transaction_hash], 1)


@pytest.mark.exhaustive
async def test_no_more_is_paid_than_allowed(stage: Stage) -> None:
    await stage.mining(False)
    task = opening(stage, WALLET, max_fee_gwei=3, timeout_s=15)
    with pytest.raises(Unconfirmed):
        await task
    assert max(read(raw)["maxFeePerGas"] for raw in sent(stage)) <= 3 * 10**9
    with pytest.raises(NotSent, match="gwei"):
        await stage.by(lambda mine: mine.open("me"), SUCCESSOR, max_fee_gwei=0.1)
    assert await stage.sent_count(SUCCESSOR) == 0


@pytest.mark.exhaustive
async def test_another_transaction_of_the_nonce_wins(stage: Stage) -> None:
    """Both providers take it and pass it on to nobody; meanwhile another program uses the wallet."""
    lost = per_call(answering({SENT}, lambda _: {"result": "0x" + "00" * 32}))
    stage.one.behaviour = stage.two.behaviour = lost
    wallet = Counting()
    task = opening(stage, wallet)
    await until(stage, lambda call: call["method"] == SENT)
    await stage.chain.rpc.ask("eth_sendTransaction", {"from": WALLET.address, "to": SUCCESSOR.address, "value": "0x1"})
    await stage.chain.rpc.ask("anvil_mine", "0x3")
    with pytest.raises(NonceTaken) as refused:
        await task
    assert refused.value.transaction_hash == stage.told[0]
    assert (len(wallet.asked), await stage.sent_count()) == (1, 1)


def showing_late(looks: int) -> Behaviour:
    """Shows no receipt at so many looks."""
    left = [looks]

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == RECEIPT and left[0]:
            left[0] -= 1
            return {"result": None}
        return await ask(method, *params)

    told: Tell = tell
    return per_call(told)


@pytest.mark.exhaustive
async def test_a_transaction_that_is_counted_before_its_receipt_is_shown_is_no_others(stage: Stage) -> None:
    stage.one.behaviour, stage.two.behaviour = showing_late(5), showing_late(5)
    done = await stage.by(lambda mine: mine.open("me"))
    assert (stage.told, await stage.sent_count()) == ([done.transaction_hash], 1)


def counting_now_and_then(looks: int) -> Behaviour:
    """Shows no receipt at so many looks, and at every sixth of them does not count the transaction either."""
    left = [looks]

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == RECEIPT and left[0]:
            left[0] -= 1
            return {"result": None}
        if method == "eth_getTransactionCount" and left[0] < looks and left[0] % 6 == 0:
            return {"result": "0x0"}
        return await ask(method, *params)

    told: Tell = tell
    return per_call(told)


@pytest.mark.exhaustive
async def test_a_count_that_comes_and_goes_proves_no_other_transaction(stage: Stage) -> None:
    """As one host answers from several machines, of which some are behind."""
    stage.one.behaviour, stage.two.behaviour = counting_now_and_then(24), counting_now_and_then(24)
    task = opening(stage, Counting())
    await passed_on(stage)
    await stage.chain.rpc.ask("anvil_mine", "0x3")
    done = await task
    stage.one.behaviour = stage.two.behaviour = honest
    assert (stage.told, await stage.sent_count()) == ([done.transaction_hash], 1)


@pytest.mark.exhaustive
async def test_others_of_the_wallet_are_waited_for(stage: Stage) -> None:
    await stage.mining(False)
    waiting = {"from": WALLET.address, "to": SUCCESSOR.address, "value": "0x1"}
    await stage.chain.rpc.ask("eth_sendTransaction", waiting)
    with pytest.raises(NotSent, match=r"1 transactions of .* still wait"):
        await stage.by(lambda mine: mine.open("me"), timeout_s=2)
    assert sent(stage) == stage.told == []
    task = opening(stage, WALLET)
    await until(stage, lambda call: call["params"][-1:] == ["pending"])
    await stage.mining(True)
    await stage.chain.rpc.ask("evm_mine")
    await task
    assert read(sent(stage)[0])["nonce"] == 1


@pytest.mark.exhaustive
async def test_an_empty_wallet_sends_nothing(stage: Stage) -> None:
    with pytest.raises(NotSent, match="holds 0 wei"):
        await stage.by(lambda mine: mine.open("me"), Account.create())
    assert sent(stage) == []


def telling(methods: set[str], change: Callable[[Any], Any]) -> Behaviour:
    return per_call(altering(methods, change))


def receipt(**members: Any) -> Behaviour:
    return telling({RECEIPT}, lambda found: found | members)


def never(method: str) -> Behaviour:
    return per_call(answering({method}, lambda _: {"result": None}))


AFTERWARDS: list[tuple[str, Behaviour, str]] = [
    ("it failed", receipt(status="0x0"), "contradict each other about block"),
    ("no events", receipt(logs=[]), "contradict each other about block"),
    ("another price", receipt(effectiveGasPrice="0x1"), "contradict each other about block"),
    ("another block", receipt(blockHash="0x" + "11" * 32), "do not show the same receipt"),
    ("another transaction", receipt(transactionHash="0x" + "11" * 32), "do not show the same receipt"),
    ("no receipt", never(RECEIPT), "do not show the same receipt"),
    ("events without end", receipt(logs=[{}] * 5000), "do not show the same receipt"),
    ("a receipt that is none", telling({RECEIPT}, lambda _: [1]), "do not show the same receipt"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("lie", "why"), [each[1:] for each in AFTERWARDS], ids=[each[0] for each in AFTERWARDS])
async def test_a_lie_about_the_receipt_is_not_believed(stage: Stage, lie: Behaviour, why: str) -> None:
    stage.two.behaviour = lie
    with pytest.raises(Unconfirmed, match=why) as refused:
        await stage.by(lambda mine: mine.open("me"), timeout_s=3)
    assert refused.value.transaction_hash == stage.told[0]
    assert refused.value.transaction_hash in str(refused.value)


async def test_one_provider_alone_does_not_raise_the_price(stage: Stage) -> None:
    stage.two.behaviour = telling({"eth_maxPriorityFeePerGas"}, lambda _: hex(10**12))
    await stage.by(lambda mine: mine.open("me"))
    (raw,) = set(sent(stage))
    assert read(raw)["maxPriorityFeePerGas"] == int(await stage.chain.rpc.ask("eth_maxPriorityFeePerGas"), 16)
    stage.one.behaviour = stage.two.behaviour = pending_count(9)
    with pytest.raises(NotSent, match="still wait"):
        await stage.by(lambda mine: mine.create_group("g"), timeout_s=1)
    assert await stage.sent_count() == 1


async def test_one_provider_alone_does_not_stop_a_send(stage: Stage) -> None:
    stage.two.behaviour = pending_count(9)
    await stage.by(lambda mine: mine.open("me"))
    assert await stage.sent_count() == 1


def pending_count(count: int) -> Behaviour:
    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        return {"result": hex(count)} if params[-1:] == ["pending"] else await ask(method, *params)

    told: Tell = tell
    return per_call(told)


@pytest.mark.exhaustive
async def test_refusals_of_providers(stage: Stage) -> None:
    refused = only(SENT, refusing(-32000, "insufficient funds at https://host/s3cret"))
    stage.one.behaviour = stage.two.behaviour = refused
    with pytest.raises(Unconfirmed, match="refused the transaction 0x") as said:
        await stage.by(lambda mine: mine.open("me"))
    assert ("s3cret" in str(said.value), said.value.transaction_hash) == (False, stage.told[0])
    stage.two.behaviour = honest
    await stage.by(lambda mine: mine.open("me"))
    assert await stage.sent_count() == 1


@pytest.mark.exhaustive
async def test_a_transaction_that_fails_on_chain_says_so_with_its_hash(stage: Stage) -> None:
    await stage.mining(False)
    task = opening(stage, WALLET)
    await passed_on(stage)
    await stage.chain.rpc.ask("anvil_setCode", stage.contract, "0x5f5ffd")
    await stage.chain.rpc.ask("evm_mine")
    with pytest.raises(Reverted) as refused:
        await task
    assert refused.value.transaction_hash == stage.told[0]
    assert stage.told[0] in str(refused.value)


class Changing(Counting):
    """A wallet that signs something else than it is asked."""

    def __init__(self, change: dict[str, Any], account: LocalAccount = WALLET) -> None:
        super().__init__(WALLET)
        self._change = change
        self._signs = account

    def sign_transaction(self, transaction: dict[str, Any]) -> Any:
        return self._signs.sign_transaction(transaction | self._change)


class Raising(Counting):
    def sign_transaction(self, _: dict[str, Any]) -> Any:
        raise RuntimeError(f"the key is {FUNDED_KEYS[3]}")


WALLETS: list[tuple[str, object]] = [
    ("another nonce", Changing({"nonce": 5})),
    ("another contract", Changing({"to": SUCCESSOR.address})),
    ("ether with it", Changing({"value": 1})),
    ("another call", Changing({"data": b"\x01"})),
    ("a higher fee", Changing({"maxFeePerGas": 10**12})),
    ("more gas", Changing({"gas": 16_000_000})),
    ("an access list", Changing({"accessList": [{"address": SUCCESSOR.address, "storageKeys": []}]})),
    ("another chain", Changing({"chainId": 1})),
    ("another key", Changing({}, SUCCESSOR)),
    ("nothing", Raising()),
]


@pytest.mark.parametrize("wallet", [each[1] for each in WALLETS], ids=[each[0] for each in WALLETS])
async def test_a_wallet_that_signs_something_else_sends_nothing(stage: Stage, wallet: object) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await stage.by(lambda mine: mine.open("me"), wallet)
    assert FUNDED_KEYS[3][2:] not in str(refused.value)
    assert (sent(stage), stage.told) == ([], [])
