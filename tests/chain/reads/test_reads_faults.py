"""Reads over providers that are behind, fail or lie: a 503 or the next provider, never an old or a foreign answer."""

import json
import math
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import Page
from node.errors import DomainError
from tests.support.constants import replace_constants
from tests.support.populated_account import EVERY_READ, MASTER, USAGE, Bench
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, changing, drop, refusing, saying

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- never behind our own writes ----------------------------------------------------------------------------------


class Replay:
    """A server that stays at the moment it first saw each request: a head that is frozen. Thaws after `answers` more."""

    def __init__(self, answers: float) -> None:
        self.left = answers
        self.kept: dict[str, Any] = {}

    async def __call__(self, _request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        calls = asked if isinstance(asked, list) else [asked]
        name = json.dumps([[call["method"], call["params"]] for call in calls])
        answers = self.kept.setdefault(name, await forward())
        self.left -= 1
        if self.left < 0:
            answers = await forward()
        for call, answer in zip(calls, answers if isinstance(answers, list) else [answers], strict=True):
            answer["id"] = call["id"]
        return web.json_response(answers)


@pytest.mark.parametrize("name", EVERY_READ)
async def test_an_endpoint_behind_our_own_write_is_passed_over(bench: Bench, name: str) -> None:
    async with RpcProxy(bench.chain.url).running() as current, aiohttp.ClientSession() as session:
        reader = bench.reader_over(session, [bench.proxy.url, current.url, bench.chain.url])
        bench.proxy.behaviour = Replay(math.inf)
        before = await EVERY_READ[name](reader)
        bench.floor.raise_to(await bench.chain.write("addGroup", MASTER, "later", "", [], []))
        after = await EVERY_READ[name](reader)
        if name == "groups":
            assert (before.total, after.total) == (3, 4)


async def test_a_read_waits_for_an_endpoint_that_catches_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", BEHIND_TIMEOUT_S=60)
    bench.proxy.behaviour = Replay(6)
    async with aiohttp.ClientSession() as session:
        reader = bench.reader_over(session, [bench.proxy.url])
        assert (await reader.groups(MASTER, Page(0, 9))).total == 3
        bench.floor.raise_to(await bench.chain.write("addGroup", MASTER, "later", "", [], []))
        assert (await reader.groups(MASTER, Page(0, 9))).total == 4
    assert len(bench.proxy.seen) > 6


@pytest.mark.parametrize("name", EVERY_READ)
async def test_a_read_never_answers_from_before_our_own_write(bench: Bench, name: str) -> None:
    bench.proxy.behaviour = Replay(math.inf)
    await EVERY_READ[name](bench.reader)
    bench.floor.raise_to(await bench.chain.write("addGroup", MASTER, "later", "", [], []))
    with pytest.raises(DomainError) as caught:
        await EVERY_READ[name](bench.reader)
    assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert caught.value.retry_after_s


# --- providers that fail or lie -----------------------------------------------------------------------------------


def each_result(change: Callable[[str], Any]) -> Behaviour:
    """Every result of every answer, changed."""

    def of_one(answer: Any) -> Any:
        return {**answer, "result": change(answer["result"])}

    return changing(lambda answer: [of_one(each) for each in answer] if isinstance(answer, list) else of_one(answer))


LIES: dict[str, Behaviour] = {
    "HTTP 500": saying(b"", 500),
    "garbage": saying(b"garbage"),
    "drops the connection": drop,
    "leaves one out": changing(lambda answer: answer[:-1] if isinstance(answer, list) else []),
    "refuses": refusing(-32000, "no"),
    "limits": refusing(-32005, "limit exceeded"),
    "no code there": each_result(lambda _: "0x"),
    "zeros": each_result(lambda _: "0x" + "00" * 32),
    "ones": each_result(lambda _: "0x" + "ff" * 1024),
    "cut": each_result(lambda result: result[:-64]),
    "longer": each_result(lambda result: result + "00" * 32),
    "odd": each_result(lambda result: result[:-1]),
    "no hex": each_result(lambda _: "0x" + "zz" * 32),
    "null": each_result(lambda _: None),
    "a number": each_result(lambda _: 7),
    "an object": each_result(lambda result: {"result": result}),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", EVERY_READ)
async def test_a_faulty_endpoint_is_503_alone_and_unseen_beside_two_sound_ones(
    bench: Bench, name: str, lie: str
) -> None:
    if (lie, name) == ("zeros", "admin_api_payer"):
        return  # an address of zero is well-formed; that a server lies in form needs a quorum, not a parser
    bench.floor.raise_to(1)
    expected = await EVERY_READ[name](bench.reader)
    bench.proxy.behaviour = LIES[lie]
    with pytest.raises(DomainError) as caught:
        await EVERY_READ[name](bench.reader)
    assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
    async with aiohttp.ClientSession() as session:
        reader = bench.reader_over(session, [bench.proxy.url, bench.chain.url, bench.chain.url])
        assert await EVERY_READ[name](reader) == expected


BARE_REVERT = {"code": 3, "message": "execution reverted", "data": "0x"}


async def test_a_view_that_reverts_without_reason_is_no_word_of_the_contract_and_not_an_absence(bench: Bench) -> None:
    await bench.reader.groups(MASTER, Page(0, 1))

    def revert_call(answers: Any) -> Any:
        return [answers[0], {"jsonrpc": "2.0", "id": answers[1]["id"], "error": BARE_REVERT}]

    bench.proxy.behaviour = changing(revert_call)
    for read in (bench.reader.usage_key(MASTER, USAGE), bench.reader.groups(MASTER, Page(0, 1))):
        with pytest.raises(DomainError) as caught:
            await read
        assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
