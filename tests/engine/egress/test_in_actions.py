"""`fetch` in an action, through its process and the node, to real servers."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from node.engine.egress.egress import Egress, FetchCalls
from node.engine.egress.targets import AddressPolicy
from node.engine.port import ActionOutcome, StopReason
from node.engine.process_engine import ProcessEngine
from node.settings.execution import EgressSettings
from tests.engine.egress.fetching import ACCOUNT, LIMITS, LOOPBACK, Names
from tests.engine.egress.servers import Asked, Server, answer, redirect, server
from tests.engine.hosts import LIMITS as ENGINE_LIMITS
from tests.engine.hosts import EchoHost, job_of
from tests.support.settings import changed

GATE = """async function main({ url }) {
  const answered = await fetch(url + '/price?of=x', { headers: { 'X-Api-Key': 'k' } });
  if (!answered.ok) throw new Error('no price');
  const { price } = await answered.json();
  const told = await fetch(url + '/told', { method: 'POST', body: JSON.stringify({ price }) });
  return [price, told.status, await told.text(), told.redirected, told.headers.get('x-own')];
}"""
CAUGHT = "async function main({ url }) { try { return await fetch(url); } catch (e) { return [e.name, e.message]; } }"


async def act(
    code: str, params: Mapping[str, JsonValue], policy: AddressPolicy = LOOPBACK, limits: EgressSettings = LIMITS
) -> ActionOutcome:
    """One action in a process of its own, which may reach loopback."""
    stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
    egress = Egress(limits, policy, resolver=Names())
    async with (
        ProcessEngine(changed(ENGINE_LIMITS, action_timeout_s=60.0)) as engine,
        FetchCalls(EchoHost(), egress, ACCOUNT, stop) as calls,
    ):
        return await engine.run(job_of(code, params), calls, stop, lambda: None)


async def response(code: str, origin: Server, **how: Any) -> JsonValue:
    outcome = await act(code, {"url": origin.url("")}, **how)
    assert outcome.error is None, outcome.error
    return outcome.response


async def test_an_action_acts_on_what_a_server_says() -> None:
    async with server() as origin:
        origin.by_path |= {
            "/price": answer(b'{"price": 7}', "Content-Type: application/json"),
            "/told": redirect("/end", 307),
            "/end": answer("tolð".encode(), "X-Own: 1", status="201 Made"),
        }
        assert await response(GATE, origin) == [7, 201, "tolð", True, "1"]
        price, told, end = origin.asked
        assert price.headers["x-api-key"] == "k"
        assert json.loads(told.body) == json.loads(end.body) == {"price": 7}
        assert end.headers["content-type"] == "text/plain;charset=UTF-8"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8545",
        "http://2130706433",
        "http://0x7f.1",
        "http://[::1]",
        "http://localhost",
        "http://①⑦②.16.0.1",
    ],
)
async def test_an_action_reaches_nothing_of_the_node(url: str) -> None:
    outcome = await act(CAUGHT, {"url": url}, policy=AddressPolicy())
    assert outcome.response == [
        "TypeError",
        "fetch failed: only public addresses can be reached, and this host has none",
    ]


async def test_one_fetch_too_many_ends_the_action_also_one_that_catches() -> None:
    code = "async function main({ url }) { for (;;) { try { await fetch(url); } catch { } } }"
    async with server() as origin:
        origin.by_path["/"] = answer(b"x")
        outcome = await act(code, {"url": origin.url()}, limits=changed(LIMITS, egress_requests=5))
        assert outcome.error is not None
        assert outcome.error.name == "ActionFetchLimit"
        assert len(origin.asked) == 5


async def test_an_abort_in_the_action_ends_the_connection() -> None:
    gone = asyncio.Event()

    async def drip(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.01)
        finally:
            gone.set()

    code = """async function main({ url }) {
      try { await fetch(url + '/', { signal: AbortSignal.timeout(200) }); } catch (e) { return e.name; }
    }"""
    async with server() as origin:
        origin.by_path["/"] = drip
        assert await response(code, origin) == "TimeoutError"
        await asyncio.wait_for(gone.wait(), 10)


async def test_a_body_of_ten_mebibytes_arrives_whole() -> None:
    code = """async function main({ url }) {
      const bytes = new Uint8Array(await (await fetch(url + '/')).arrayBuffer());
      let sum = 0;
      for (let i = 0; i < bytes.length; i += 4096) sum += bytes[i];
      return [bytes.length, sum];
    }"""
    body = bytes(range(256)) * (10 * 4096)
    async with server() as origin:
        origin.by_path["/"] = answer(body)
        assert await response(code, origin) == [10 * 1024 * 1024, sum(body[::4096])]
        origin.by_path["/"] = answer(body + b"x")
        outcome = await act(CAUGHT, {"url": origin.url()})
        assert outcome.response == ["TypeError", "fetch failed: the answer has more than 10485760 bytes"]
