"""A provider of two lies, is silent, or is of another chain: nothing is signed, and the error names it without its key."""

import re
from typing import Any

import pytest

from svc_client import InvalidArgument, ProvidersDisagree, SvcError, Unreachable
from svc_client.sovereign import Sovereign
from tests.support import rpc_proxy
from tests.support.lies import Ask, Outcome, Tell, altering, per_call
from tests.support.rpc_proxy import Behaviour, honest, only
from tests.support.sovereign import WALLET, Stage

SECRET = "s3cret"


def flipped(text: Any) -> Any:
    """The same hex with its last digit changed; of a block its hash."""
    if isinstance(text, dict):
        return text | {"hash": flipped(text["hash"])}
    return str(text)[:-1] + ("0" if str(text)[-1] != "0" else "1")


def refusing_calls(method: str, data: str) -> Tell:
    async def tell(asked: str, params: list[Any], ask: Ask) -> Outcome:
        if asked != method:
            return await ask(asked, *params)
        return {"error": {"code": 3, "message": "execution reverted", "data": data}}

    return tell


def older(blocks: int) -> Tell:
    """State of so many blocks ago for the present one."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method in {"eth_call", "eth_getTransactionCount", "eth_getBalance"} and str(params[-1]).startswith("0x"):
            return await ask(method, *params[:-1], hex(max(0, int(params[-1], 16) - blocks)))
        return await ask(method, *params)

    return tell


LIES: list[tuple[str, Behaviour, str]] = [
    ("another block", per_call(altering({"eth_getBlockByNumber"}, flipped)), "the block"),
    (
        "another base fee",
        per_call(altering({"eth_getBlockByNumber"}, lambda block: block | {"baseFeePerGas": "0x1"})),
        "the block",
    ),
    ("another result", per_call(altering({"eth_call"}, flipped)), "eth_call"),
    ("a revert", per_call(refusing_calls("eth_call", "0xdeadbeef")), "eth_call"),
    ("the state of before", per_call(older(1)), "eth_call"),
    ("other code", per_call(altering({"eth_getCode"}, flipped)), "eth_getCode"),
    ("no code", per_call(altering({"eth_getCode"}, lambda _: "0x")), "eth_getCode"),
    ("another nonce", per_call(altering({"eth_getTransactionCount"}, flipped)), "eth_getTransactionCount"),
    ("another balance", per_call(altering({"eth_getBalance"}, lambda _: "0x1")), "eth_getBalance"),
    ("another chain", per_call(altering({"eth_chainId"}, lambda _: "0x1")), "serves chain 1"),
]
SILENCE: list[tuple[str, Behaviour]] = [
    ("closes", rpc_proxy.drop),
    ("resets", rpc_proxy.reset),
    ("cuts its answers", rpc_proxy.truncate),
    ("speaks no HTTP", rpc_proxy.speak_no_http),
    ("floods", rpc_proxy.flood),
    ("speaks no JSON", rpc_proxy.saying(b"<html>")),
    ("nests", rpc_proxy.saying(b"[" * 200_000)),
    ("nests objects", rpc_proxy.saying(b'{"a":' * 200_000)),
    ("redirects", rpc_proxy.saying(b"", 302, {"Location": "http://127.0.0.1:1"})),
    ("refuses", rpc_proxy.refusing(-32000, f"no key {SECRET}")),
    ("answers null", per_call(altering({"eth_getBlockByNumber"}, lambda _: None))),
    ("answers no numbers", per_call(altering({"eth_getBlockByNumber"}, lambda block: block | {"number": "0xzz"}))),
    ("answers text", per_call(altering({"eth_call"}, lambda _: "0x é"))),
    ("answers numbers without end", per_call(altering({"eth_getBalance"}, lambda _: "0x" + "1" * 1000))),
]


async def attempt(stage: Stage) -> SvcError:
    """Write with the second provider, whose address holds a key; the error. The chain must show nothing of it."""
    before = await stage.sent_count()

    def work(mine: Sovereign) -> SvcError:
        with pytest.raises(SvcError) as refused:
            mine.send(mine.calls.add_group("g"))
        return refused.value

    error = await stage.by(work, WALLET, stage.one.url, f"{stage.two.url}/{SECRET}")
    assert await stage.sent_count() == before
    assert not any(call["method"] == "eth_sendRawTransaction" for call in (*stage.one.seen, *stage.two.seen))
    assert SECRET not in str(error)
    return error


@pytest.mark.parametrize(("lie", "what"), [each[1:] for each in LIES], ids=[each[0] for each in LIES])
async def test_a_contradiction_stops_everything(stage: Stage, lie: Behaviour, what: str) -> None:
    await stage.chain.write("newChainSecuredAccount", "me", "", sender=WALLET.address)
    stage.two.behaviour = lie
    error = await attempt(stage)
    assert isinstance(error, ProvidersDisagree)
    assert what in str(error)
    assert f"127.0.0.1:{stage.two.port}" in str(error)
    if "serves chain" not in what:
        assert re.search(r"127\.0\.0\.1:\d+ and 127\.0\.0\.1:\d+ contradict each other about block \d+: ", str(error))


@pytest.mark.exhaustive
@pytest.mark.parametrize("behaviour", [each[1] for each in SILENCE], ids=[each[0] for each in SILENCE])
async def test_a_provider_that_gives_no_answer_leaves_too_few(stage: Stage, behaviour: Behaviour) -> None:
    stage.two.behaviour = behaviour
    error = await attempt(stage)
    assert isinstance(error, Unreachable), error
    assert f"127.0.0.1:{stage.two.port}" in str(error)


async def test_of_three_one_may_be_out_and_none_may_lie(stage: Stage) -> None:
    async with rpc_proxy.RpcProxy(stage.chain.url).running() as three:
        urls = (stage.one.url, stage.two.url, three.url)
        stage.two.behaviour = rpc_proxy.drop
        await stage.by(lambda mine: mine.open("me"), WALLET, *urls)
        stage.two.behaviour = per_call(altering({"eth_call"}, flipped))
        with pytest.raises(ProvidersDisagree):
            await stage.by(lambda mine: mine.status(), WALLET, *urls)
        stage.two.behaviour = three.behaviour = rpc_proxy.drop
        with pytest.raises(Unreachable, match="2 providers of the chain have to answer, 1 did"):
            await stage.by(lambda mine: mine.status(), WALLET, *urls)


async def test_of_three_one_that_is_minutes_behind_does_not_choose_the_block(stage: Stage) -> None:
    """What it still shows may have been changed since: a permission that was taken back, a nonce that is used."""
    past = await stage.chain.rpc.ask("eth_blockNumber")
    await stage.by(lambda mine: mine.open("me"))
    await stage.chain.rpc.ask("anvil_mine", "0x2", "0x12c")

    async def behind(method: str, params: list[Any], ask: Ask) -> Outcome:
        return await ask(method, *(past if each == "latest" else each for each in params))

    async with rpc_proxy.RpcProxy(stage.chain.url).running() as three:
        stage.two.behaviour = per_call(behind)
        status = await stage.by(lambda mine: mine.status(), WALLET, stage.one.url, stage.two.url, three.url)
        assert status.is_admin


@pytest.mark.exhaustive
async def test_a_fork_that_passes_is_waited_for(stage: Stage) -> None:
    """Both follow the same chain again before it counts as a lie."""
    await stage.by(lambda mine: mine.open("me"))
    asked = 0

    async def for_a_moment(method: str, params: list[Any], ask: Ask) -> Outcome:
        nonlocal asked
        outcome = await ask(method, *params)
        if method != "eth_getBlockByNumber" or params[0] == "latest":
            return outcome
        asked += 1
        return outcome if asked > 1 else {"result": flipped(outcome["result"])}

    stage.two.behaviour = per_call(for_a_moment)
    await stage.chain.rpc.ask("anvil_mine", "0x4")
    assert (await stage.by(lambda mine: mine.status())).is_admin
    assert asked > 1


@pytest.mark.exhaustive
async def test_reasons_that_one_provider_leaves_out_are_taken_from_the_other(stage: Stage) -> None:
    for proxy in (stage.one, stage.two):
        stage.one.behaviour = stage.two.behaviour = honest
        proxy.behaviour = only("eth_call", rpc_proxy.changing(_without_data))
        with pytest.raises(SvcError, match="AccountDoesNotExist"):
            await stage.by(lambda mine: mine.send(mine.calls.remove_group(1)))


def _without_data(answer: Any) -> Any:
    return answer | {"error": {"code": 3, "message": "execution reverted"}} if "error" in answer else answer


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [0, 9])
async def test_how_many_providers_there_may_be(stage: Stage, count: int) -> None:
    urls = [f"http://127.0.0.1:{port}" for port in range(1, count + 1)] or [
        "http://127.0.0.1:1",
        "http://127.0.0.1:1/x",
    ]
    with pytest.raises(InvalidArgument, match="each of another host"):
        await stage.by(lambda mine: mine.status(), WALLET, *urls)


async def test_two_reasons_of_one_refusal_contradict_each_other(stage: Stage) -> None:
    """The reason is what the caller goes by: one of the two lies."""

    async def another_reason(method: str, params: list[Any], ask: Ask) -> Outcome:
        outcome = await ask(method, *params)
        if method != "eth_call" or "error" not in outcome:
            return outcome
        return {"error": {"code": 3, "message": "execution reverted", "data": "0xdeadbeef"}}

    await stage.chain.rpc.ask("anvil_mine", "0x8")  # deeper blocks, which are asked then, have the contract too
    stage.two.behaviour = per_call(another_reason)
    with pytest.raises(ProvidersDisagree, match=r"contradict each other about block \d+: eth_call"):
        await stage.by(lambda mine: mine.send(mine.calls.remove_group(1)))
