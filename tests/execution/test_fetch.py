"""`fetch` in a paid, authorised run: counted, told to the log without its URLs, and ended with the run."""

import asyncio

import pytest
import structlog

from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.settings.execution import EgressSettings
from tests.engine.egress.servers import Asked, answer, server
from tests.execution.bench import MASTER, World, bench_over, recovered

pytestmark = pytest.mark.asyncio(loop_scope="module")

SIGNED_PRICE = """async function main({ url }) {
  const { price } = await (await fetch(url)).json();
  return [price, await Svc.Actions.signMessage({ message: String(price) })];
}"""
FETCHES = "async function main({ url }) { for (;;) await fetch(url); }"


def loopback(**settings: int) -> Egress:
    return Egress(EgressSettings(**settings), AddressPolicy(allow_loopback=True))


async def test_a_signed_price(world: World) -> None:
    bench = await bench_over(world, egress=loopback())
    async with server() as origin:
        origin.by_path["/"] = answer(b'{"price": 7}')
        with structlog.testing.capture_logs() as logs:
            got = await bench.run(MASTER, SIGNED_PRICE, {"url": origin.url("/?token=hush")})
    assert isinstance(got.response, list)
    assert got.response[0] == 7
    assert recovered("7", got.response[1]).startswith("0x")
    entry = next(line for line in logs if line["event"] == "action_executed")
    assert (entry["outbound_requests"], entry["key_operations"]) == (1, 1)
    assert "hush" not in str(logs)


async def test_a_run_that_fetches_too_often_is_an_answer_and_charged(world: World) -> None:
    bench = await bench_over(world, egress=loopback(egress_requests=2))
    async with server() as origin:
        origin.by_path["/"] = answer(b"x")
        got = await bench.run(MASTER, FETCHES, {"url": origin.url()})
        assert got.error is not None
        assert got.error.name == "ActionFetchLimit"
        assert len(origin.asked) == 2
    assert await bench.spent_cents() == 1


async def test_a_client_that_hangs_up_ends_the_request_too(world: World) -> None:
    bench = await bench_over(world, egress=loopback())
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def drip(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        try:
            while True:
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        finally:
            gone.set()

    async with server() as origin:
        origin.by_path["/"] = drip
        running = asyncio.create_task(bench.run(MASTER, FETCHES, {"url": origin.url()}))
        await arrived.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await bench.service.close()
        await asyncio.wait_for(gone.wait(), 10)
    assert await bench.spent_cents() == 1


async def test_without_the_switch_nothing_of_this_machine_is_reached(world: World) -> None:
    bench = await bench_over(world, egress=Egress())
    async with server() as origin:
        got = await bench.run(MASTER, FETCHES, {"url": origin.url()})
        assert got.error is not None
        assert (got.error.name, origin.connections) == ("TypeError", 0)
