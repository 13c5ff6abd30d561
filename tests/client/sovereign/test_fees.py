"""Price of a transaction: no provider alone sets it, and nobody pays more than was shown."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes

from svc_client import InvalidArgument, NotSent, ProvidersDisagree, SvcError, Unconfirmed
from svc_client.chain import sending
from svc_client.cli import main
from svc_client.cli_context import Exit
from svc_client.profile import FOLDER_VARIABLE, Profile, save_profile
from svc_client.sovereign import Sovereign
from svc_client.sovereign import account as sovereign_account
from svc_client.sovereign.account import Preview
from tests.support.lies import Ask, Outcome, altering, per_call
from tests.support.odd_providers import UNSUPPORTED, without_tips
from tests.support.rpc_proxy import Behaviour, RpcProxy, honest
from tests.support.sovereign import NOBODY, PASSPHRASE, WALLET, Stage, keystore

GAS = "eth_estimateGas"
TIP = "eth_maxPriorityFeePerGas"
SENT = "eth_sendRawTransaction"


def times(method: str, factor: float) -> Behaviour:
    """A provider whose answers of one method are so many times the truth."""
    return per_call(altering({method}, lambda said: hex(int(int(said, 16) * factor))))


def later(method: str, factor: float) -> Behaviour:
    """The truth at the first time, and after that so many times of it."""
    asked = 0

    async def tell(name: str, params: list[Any], ask: Ask) -> Outcome:
        nonlocal asked
        said = await ask(name, *params)
        asked += name == method
        return {"result": hex(int(int(said["result"], 16) * factor))} if name == method and asked > 1 else said

    return per_call(tell)


def signed(stage: Stage) -> list[dict[str, Any]]:
    """Return every form of the transaction that was sent, the first one first."""
    raws = dict.fromkeys(call["params"][0] for call in stage.one.seen if call["method"] == SENT)
    return [dict(TypedTransaction.from_bytes(HexBytes(raw)).as_dict()) for raw in raws]


@contextlib.asynccontextmanager
async def providers(stage: Stage, behaviours: Sequence[Behaviour]) -> AsyncIterator[list[str]]:
    """So many providers of the chain, each with its behaviour."""
    async with contextlib.AsyncExitStack() as stack:
        more = [await stack.enter_async_context(RpcProxy(stage.chain.url).running()) for _ in behaviours[2:]]
        proxies = [stage.one, stage.two, *more][: len(behaviours)]
        for proxy, behaviour in zip(proxies, behaviours, strict=True):
            proxy.behaviour = behaviour
        yield [each.url for each in proxies]


def opening(mine: Sovereign) -> Preview:
    return mine.preview(mine.calls.open("me"))


LIARS: list[tuple[str, list[Behaviour], float | None]] = [
    ("of two one says more", [honest, times(GAS, 90)], None),
    ("of three one says more", [honest, honest, times(GAS, 90)], 1.0),
    ("of three one says less", [times(GAS, 0.1), honest, honest], 1.0),
    ("of two one says less", [times(GAS, 0.1), honest], None),
    ("of two one says more than any transaction has", [honest, times(GAS, 1 << 40)], None),
    ("of two one says a little less", [honest, times(GAS, 0.85)], 0.85),
    ("of two one says a little more", [honest, times(GAS, 1.2)], 1.0),
    ("of four one says more", [honest, times(GAS, 90), honest, honest], 1.0),
    ("of four one says less", [honest, times(GAS, 0), honest, honest], 1.0),
]


@pytest.mark.parametrize(("behaviours", "share"), [each[1:] for each in LIARS], ids=[each[0] for each in LIARS])
async def test_one_provider_alone_does_not_set_the_gas(
    stage: Stage, behaviours: list[Behaviour], share: float | None
) -> None:
    true_gas = (await stage.by(opening)).fees.gas
    async with providers(stage, behaviours) as urls:
        if share is None:
            with pytest.raises(ProvidersDisagree, match=r"contradict each other about the gas of this transaction"):
                await stage.by(opening, WALLET, *urls)
            return
        gas = (await stage.by(opening, WALLET, *urls)).fees.gas
        assert gas == pytest.approx(true_gas * share, rel=0.001)
        await stage.by(lambda mine: mine.open("me"), WALLET, *urls)
        assert [each["gas"] for each in signed(stage)] == [gas]


TIPS: list[tuple[str, list[Behaviour], float]] = [
    ("of two one says nothing", [honest, times(TIP, 0)], 1.0),
    ("of two one says more", [honest, times(TIP, 1_000)], 1.0),
    ("of two both say more", [times(TIP, 5), times(TIP, 5)], 5.0),
    ("of three one says nothing", [times(TIP, 0), honest, honest], 1.0),
]


@pytest.mark.parametrize(("behaviours", "share"), [each[1:] for each in TIPS], ids=[each[0] for each in TIPS])
async def test_one_provider_alone_does_not_set_the_tip(stage: Stage, behaviours: list[Behaviour], share: float) -> None:
    ordinary = int(await stage.chain.rpc.ask(TIP), 16)
    async with providers(stage, behaviours) as urls:
        assert (await stage.by(opening, WALLET, *urls)).fees.priority_fee_wei == ordinary * share


TIPLESS: list[tuple[str, list[Behaviour], float]] = [
    ("the one provider", [without_tips(3)], 3),
    ("the one provider, not supported", [without_tips(3, UNSUPPORTED)], 3),
    ("the one provider, without a gas price", [without_tips(None)], 0),
    ("two of three", [without_tips(3), honest, without_tips(3)], 3),
    ("one of three", [without_tips(3), honest, honest], 1),
    ("one of two", [honest, without_tips(3)], 1),
    ("both of two", [without_tips(3), without_tips(3)], 3),
    ("the one provider, a gas price below the base fee", [without_tips(-1)], 0),
]


@pytest.mark.parametrize(
    ("behaviours", "gwei"),
    [
        pytest.param(*each[1:], id=each[0], marks=[] if place < 4 else pytest.mark.exhaustive)
        for place, each in enumerate(TIPLESS)
    ],
)
async def test_a_chain_without_tips_is_paid_what_its_gas_price_is_above_the_base_fee(
    stage: Stage, behaviours: list[Behaviour], gwei: float
) -> None:
    async with providers(stage, behaviours) as urls:
        assert (await stage.by(opening, WALLET, *urls)).fees.priority_fee_wei == pytest.approx(gwei * 10**9, rel=0.1)


async def test_a_provider_that_refuses_to_tell_its_tip_for_another_reason_does_not_count(stage: Stage) -> None:
    busy = {"code": -32005, "message": "limit exceeded"}
    stage.two.behaviour = without_tips(3, busy)
    with pytest.raises(SvcError, match="2 providers of the chain have to answer, 1 did"):
        await stage.by(opening)


@pytest.mark.exhaustive
async def test_a_transaction_without_a_tip_is_raised_to_an_ordinary_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_RAISE_POLLS", 2)
    await stage.mining(False)
    stage.one.behaviour = stage.two.behaviour = times(TIP, 0)
    with pytest.raises(Unconfirmed):
        await stage.by(lambda mine: mine.open("me"), timeout_s=5.0)
    first, second, *_ = [each["maxPriorityFeePerGas"] for each in signed(stage)]
    assert (first, second) == (0, int(await stage.chain.rpc.ask(TIP), 16))


def shown_and_sent(change: Callable[[], None], seen: list[Preview]) -> Callable[[Sovereign], object]:
    """Previews, lets prices change, and sends for what was shown."""

    def work(mine: Sovereign) -> object:
        call = mine.calls.open("me")
        seen.append(mine.preview(call))
        change()
        return mine.send(call, fees=seen[0].fees)

    return work


RISES: list[tuple[str, str, float]] = [
    ("the tip, 95 times", TIP, 95),
    ("the gas, 20 times", GAS, 20),
    ("the gas, a little", GAS, 1.1),
    ("nothing", TIP, 1),
]


@pytest.mark.parametrize(("method", "factor"), [each[1:] for each in RISES], ids=[each[0] for each in RISES])
async def test_no_more_is_paid_than_was_shown(stage: Stage, method: str, factor: float) -> None:
    """Every provider says so: the price has really risen since."""
    seen: list[Preview] = []

    def change() -> None:
        stage.one.behaviour = stage.two.behaviour = times(method, factor)

    if factor > 2:
        with pytest.raises(NotSent, match="was to cost"):
            await stage.by(shown_and_sent(change, seen))
        assert (signed(stage), stage.told, await stage.sent_count()) == ([], [], 0)
        return
    await stage.by(shown_and_sent(change, seen))
    (made,) = signed(stage)
    assert 0 < made["gas"] * made["maxFeePerGas"] <= seen[0].fees.most_wei
    assert await stage.sent_count() == 1


@pytest.mark.exhaustive
async def test_a_transaction_that_waits_is_not_paid_more_for_than_was_shown(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_RAISE_POLLS", 2)
    await stage.mining(False)
    # Shown at a high tip and sent at a low one: there is room to pay more, and it ends at what was shown.
    stage.one.behaviour = stage.two.behaviour = times(TIP, 2)
    seen: list[Preview] = []

    def change() -> None:
        stage.one.behaviour = stage.two.behaviour = honest

    with pytest.raises(Unconfirmed):
        await stage.by(shown_and_sent(change, seen), timeout_s=6.0)
    prices = [each["gas"] * each["maxFeePerGas"] for each in signed(stage)]
    assert len(prices) > 1
    assert prices == sorted(set(prices))
    assert prices[-1] <= seen[0].fees.most_wei


@pytest.mark.parametrize("is_rollup", [False, True])
async def test_the_command_pays_no_more_than_it_has_shown(
    stage: Stage, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, is_rollup: bool
) -> None:
    """Of a rollup's data fee, which the gas does not bound, it says that it comes on top."""
    if is_rollup:
        monkeypatch.setattr(sovereign_account, "_WITHOUT_DATA_FEE", frozenset())
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "profiles"))
    save_profile(
        "default",
        Profile(
            url=NOBODY,
            app_id="0x" + "11" * 20,
            rpc_urls=(stage.one.url, stage.two.url),
            account_contract=stage.contract,
            insecure_dev_root=str(stage.root),
        ),
    )
    stage.one.behaviour, stage.two.behaviour = later(TIP, 95), later(TIP, 95)
    command = ["chain", "open", "me", "--keystore", str(keystore(tmp_path)), "--yes"]
    ran = await asyncio.to_thread(CliRunner().invoke, main, command, input=f"{PASSPHRASE}\n")
    assert (ran.exit_code, "for at most" in ran.stderr) == (Exit.REFUSED, True), ran.stderr
    assert ("besides the rollup's data fee" in ran.stderr) == is_rollup
    assert "was to cost" in ran.stderr
    assert await stage.sent_count() == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, 0.0, -1.0])
async def test_a_limit_that_is_no_number_is_refused(stage: Stage, value: float) -> None:
    with pytest.raises(InvalidArgument, match="max_fee_gwei"):
        await stage.by(opening, max_fee_gwei=value)
    if not value > 0:
        with pytest.raises(InvalidArgument, match="timeout_s"):
            await stage.by(opening, timeout_s=value)
        with pytest.raises(InvalidArgument, match="timeout_s"):
            stage.client(timeout_s=value)


@pytest.mark.parametrize("lie", [{}, None, "0x", "0x-1", 5, [1]])
async def test_an_estimate_that_is_none_leaves_too_few(stage: Stage, lie: object) -> None:
    stage.two.behaviour = per_call(altering({GAS}, lambda _: lie))
    with pytest.raises(SvcError, match="2 providers of the chain have to answer"):
        await stage.by(opening)
